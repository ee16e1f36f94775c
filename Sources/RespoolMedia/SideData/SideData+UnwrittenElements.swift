extension FourCC {
  /// Side data of a file or a track: names of elements that no muxer writes, one per line, so that conversions can
  /// report them.
  public static let unwrittenElements: FourCC = "part"
}

extension SideData {
  /// Creates a record of the names of elements that no muxer writes.
  public init(unwrittenElements names: [String]) {
    self.init(.unwrittenElements, Array(names.joined(separator: "\n").utf8))
  }

  /// The names of the elements; empty for a record of another type.
  public var unwrittenElements: [String] {
    guard type == .unwrittenElements else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
