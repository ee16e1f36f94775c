/// Detection of Opus at the start of a file, without libogg for speed.
enum OggProbe {
  /// Returns `true` if all streams are Opus.
  ///
  /// Their first pages are all at the start (RFC 3533 4). Covers never have streams of their own.
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
