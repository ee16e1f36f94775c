/// Looks at the beginning of a file without libogg: probing must be cheap.
enum OggProbe {
  /// Whether the pages that start streams, which stand together at the front (RFC 3533 4), are all of
  /// Opus; covers in a stream of their own do not exist.
  static func isOpus(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    var found = false
    while offset + 27 <= bytes.count, bytes[offset..<offset + 4].elementsEqual(Array("OggS".utf8)) {
      guard bytes[offset + 5] & 2 != 0 else { return found }
      let segments = Int(bytes[offset + 26])
      let body = offset + 27 + segments
      guard body + 8 <= bytes.count else { return found }
      guard bytes[body..<body + 8].elementsEqual(Array("OpusHead".utf8)) else { return false }
      found = true
      offset = body + bytes[offset + 27..<body].reduce(0) { $0 + Int($1) }
    }
    return found
  }
}
