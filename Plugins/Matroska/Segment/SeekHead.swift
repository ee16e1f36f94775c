/// Positions of the other elements of the segment (RFC 9559 5.1.1).
struct SeekHead {
  /// Bytes reserved for it at the start of the segment.
  static let reserved = 160

  /// Positions relative to the segment's payload.
  var entries: [(id: ElementID, position: Int64)] = []

  /// The bytes of the element, padded to the reserved size.
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
    // At most 6 entries of 21 bytes, so the rest always has room for a Void element.
    writer.void(Self.reserved - writer.count)
    return writer.bytes
  }
}
