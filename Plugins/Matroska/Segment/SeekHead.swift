/// Where the other parts of the segment are (RFC 9559 5.1.1).
struct SeekHead {
  /// Room that is kept for it at the start of the segment.
  static let reserved = 160

  /// From the start of the segment's payload.
  var entries: [(id: ElementID, position: Int64)] = []

  /// The element, filled up to the room kept for it.
  var bytes: [UInt8] {
    var writer = EBMLWriter()
    writer.master(.seekHead) { head in
      for entry in entries {
        head.master(.seek) { seek in
          var id = EBMLWriter()
          id.identifier(entry.id)
          seek.binary(.seekID, id.bytes)
          seek.unsigned(.seekPosition, UInt64(clamping: entry.position))
        }
      }
    }
    // 6 entries of at most 21 bytes: what is left is always room for an element.
    writer.void(Self.reserved - writer.count)
    return writer.bytes
  }
}
