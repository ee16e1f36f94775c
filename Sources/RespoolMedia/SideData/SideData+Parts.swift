extension FourCC {
  /// Side data of a file or a track: names of parts that no muxer writes, one per line, so that conversions can
  /// report them.
  public static let parts: FourCC = "part"
}

extension SideData {
  /// Makes a record of parts by their names.
  public init(parts: [String]) {
    self.init(.parts, Array(parts.joined(separator: "\n").utf8))
  }

  /// The names of the parts; empty for a record of another type.
  public var parts: [String] {
    guard type == .parts else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
