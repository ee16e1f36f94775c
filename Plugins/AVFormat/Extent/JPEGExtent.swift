import RespoolPlugin

/// JPEG: checks that the image ends with its marker EOI (ITU-T T.81 B.1.1).
enum JPEGExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var end: Int64?
    return try missing(in: source, size, end: &end)
  }

  /// Returns `true` if a second image begins where the first one ends.
  static func isFollowedByImage(_ source: ByteSource, _ size: Int64) throws(MediaError) -> Bool {
    var end: Int64?
    _ = try missing(in: source, size, end: &end)
    guard let end else { return false }
    return try source.read(at: end, count: 3) == [0xFF, 0xD8, 0xFF]
  }

  /// Sets `end` to the place after the end marker.
  private static func missing(in source: ByteSource, _ size: Int64, end: inout Int64?)
    throws(MediaError) -> String?
  {
    var window = SourceWindow(source)
    guard try window.bytes(at: 0, count: 2).elementsEqual([0xFF, 0xD8]) else { return nil }
    var offset: Int64 = 2
    var isInScan = false
    while offset < size {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      let head = Array(try window.bytes(at: offset, count: 4))
      guard head[0] == 0xFF else {
        guard isInScan else { return nil }
        let data = try window.bytes(at: offset, count: 1 << 12)
        offset += Int64((data.firstIndex(of: 0xFF) ?? data.endIndex) - data.startIndex)
        continue
      }
      guard head.count > 1 else { break }
      switch head[1] {
      case 0xD9:
        end = offset + 2
        return nil
      // Fill bytes, escaped bytes and restart markers.
      case 0xFF: offset += 1
      case 0, 0x01, 0xD0...0xD8: offset += 2
      default:
        guard head.count == 4 else { return "the file ends within a JPEG segment" }
        isInScan = head[1] == 0xDA
        let length = Int64(head[2]) << 8 | Int64(head[3])
        guard length <= size - offset - 2 else {
          return DeclaredExtent.sentence(
            "a JPEG segment", declares: length, there: size - offset - 2)
        }
        offset += 2 + length
      }
    }
    return "the marker at the end of the JPEG image is missing"
  }
}
