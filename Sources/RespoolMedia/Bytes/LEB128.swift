extension Int {
  /// The number as `leb128`: groups of seven bits, the lowest first (AV1 specification 4.10.5).
  package var leb128Bytes: [UInt8] {
    var (rest, bytes) = (self, [UInt8]())
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }
}

extension ByteReader {
  /// Reads a number in `leb128` of up to eight bytes.
  package mutating func leb128() throws(MediaError) -> Int {
    var value = 0
    for place in 0..<8 {
      let byte = try u8()
      value |= Int(byte & 0x7F) << (7 * place)
      if byte & 0x80 == 0 { break }
    }
    return value
  }
}
