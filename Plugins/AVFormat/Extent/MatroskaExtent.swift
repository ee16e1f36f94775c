import RespoolPlugin

/// Matroska and WebM: checks the size of the Segment, or of its elements if the Segment has none (RFC 8794
/// 4).
enum MatroskaExtent {
  private static let header: UInt64 = 0x1A45_DFA3
  private static let segment: UInt64 = 0x1853_8067
  private static let cluster: UInt64 = 0x1F43_B675

  struct Element {
    var id: UInt64
    var bodyStart: Int64
    /// `nil` if the size is unknown, as in live streams.
    var size: Int64?
    var end: Int64? { size.map { bodyStart + $0 } }
  }

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let first = try element(source, at: 0)
    guard first.id == header, let afterHeader = first.end, afterHeader < size else { return nil }
    let segment = try element(source, at: afterHeader)
    guard segment.id == Self.segment else { return nil }
    if let length = segment.size {
      guard let end = segment.end, end > size else { return nil }
      return DeclaredExtent.sentence(
        "the Segment", declares: length, there: size - segment.bodyStart)
    }
    var offset = segment.bodyStart
    while offset < size {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      let child = try element(source, at: offset)
      guard let length = child.size, let end = child.end else { return nil }
      if end > size {
        guard child.id == cluster else { return nil }
        return DeclaredExtent.sentence(
          "the last Cluster", declares: length, there: size - child.bodyStart)
      }
      offset = end
    }
    return nil
  }

  static func element(_ source: ByteSource, at offset: Int64) throws(MediaError) -> Element {
    var reader = ByteReader(try source.read(at: offset, count: 12), origin: offset)
    let id = try number(&reader, longest: 4, keepsMarker: true)
    let size = try number(&reader, longest: 8, keepsMarker: false)
    let bodyStart = reader.offset
    guard let id, bodyStart > offset else {
      throw MediaError(.malformed, "no EBML element", offset: offset)
    }
    // No file is that large, and the sum stays within 64 bits.
    let length = size.flatMap { $0 < 1 << 56 ? Int64($0) : nil }
    return Element(id: id, bodyStart: bodyStart, size: length)
  }

  /// Reads a variable-size integer.
  ///
  /// `nil` if all its bits are set, which means unknown.
  static func number(_ reader: inout ByteReader, longest: Int, keepsMarker: Bool)
    throws(MediaError) -> UInt64?
  {
    let first = try reader.u8()
    let count = first.leadingZeroBitCount + 1
    guard count <= longest else { throw MediaError(.malformed, "no EBML number") }
    let mask = UInt64(0xFF) >> UInt64(count)
    var value = keepsMarker ? UInt64(first) : UInt64(first) & mask
    for _ in 1..<count { value = value << 8 | UInt64(try reader.u8()) }
    let unknown = (UInt64(1) << UInt64(7 * count)) - 1
    return !keepsMarker && value == unknown ? nil : value
  }
}
