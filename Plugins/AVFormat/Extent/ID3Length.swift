import RespoolPlugin

/// Lengths of ID3v2 tags (ID3 2.4.0 section 3 and 6.2).
enum ID3Length {
  static let headSize = 10

  /// Reads a number of seven bits a byte.
  static func syncSafe(_ bytes: some Collection<UInt8>) -> Int64 {
    bytes.prefix(4).reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
  }

  /// Returns the offset behind the tags in front of the media; 0 if there are none.
  static func end(in source: ByteSource) throws(MediaError) -> Int64 {
    var end: Int64 = 0
    for _ in 0..<16 {
      let head = try source.read(at: end, count: headSize)
      guard head.count == headSize, head.starts(with: Array("ID3".utf8)) else { break }
      let footer = head[5] & 0x10 != 0 ? headSize : 0
      end += Int64(headSize) + syncSafe(head[6...]) + Int64(footer)
    }
    return end
  }
}
