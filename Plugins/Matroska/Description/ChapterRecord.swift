import RespoolPlugin

/// The body of a Chapters element, passed through as side data beside the flat list of chapters.
enum ChapterRecord {
  /// Returns the body of a Chapters element with all times shifted by `nanoseconds`.
  static func moved(_ body: ByteReader, by nanoseconds: Int64) throws(MediaError) -> [UInt8] {
    guard nanoseconds != 0 else { return Array(body.bytes) }
    var writer = EBMLWriter()
    try move(
      EBMLElement(.chapters, in: "Segment", payload: body), by: nanoseconds, to: &writer, depth: 0)
    return writer.bytes
  }

  private static let deepest = 32

  private static func move(
    _ element: EBMLElement, by nanoseconds: Int64, to writer: inout EBMLWriter, depth: Int
  ) throws(MediaError) {
    guard depth < deepest else {
      throw MediaError(.limitExceeded, "chapters are nested more than \(deepest) deep")
    }
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .editionEntry, .chapterAtom:
        var inner = EBMLWriter()
        try move(child, by: nanoseconds, to: &inner, depth: depth + 1)
        writer.binary(child.id, inner.bytes)
      case .chapterTimeStart, .chapterTimeEnd:
        let time = Int64(clamping: try child.unsigned).addingClamped(nanoseconds)
        writer.unsigned(child.id, UInt64(max(0, time)))
      // A checksum would no longer match.
      case .crc32: break
      default: writer.binary(child.id, child.payload.bytes)
      }
    }
  }
}
