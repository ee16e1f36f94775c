import RespoolPlugin

/// WavPack packets in Matroska's form: block headers omit fields that the container stores.
///
/// The form is defined in the Matroska codec specification, A_WAVPACK4. The block header is that of WavPack 4
/// and 5 (32 bytes, little-endian).
enum WavPackBlocks {
  private static let headSize = 32
  private static let initial: UInt32 = 0x800
  private static let final: UInt32 = 0x1000

  static func stripped(_ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    var reader = ByteReader(packet)
    var result: [UInt8] = []
    result.reserveCapacity(packet.count)
    while reader.remaining > 0 {
      guard reader.remaining >= headSize, try reader.take(4).elementsEqual("wvpk".utf8) else {
        throw MediaError(.malformed, "a WavPack packet has no block header")
      }
      let size = Int(try reader.little(UInt32.self))
      try reader.skip(12)
      let sampleCount = try reader.take(4)
      let flagBytes = Array(try reader.take(4))
      let checksum = try reader.take(4)
      guard size >= headSize - 8, size - (headSize - 8) <= reader.remaining else {
        throw MediaError(.malformed, "a WavPack block has an invalid size of \(size) bytes")
      }
      let body = size - (headSize - 8)
      let flags = flagBytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if flags & initial != 0 { result += sampleCount }
      result += flagBytes
      result += checksum
      if flags & (initial | final) != initial | final {
        result += (0..<4).map { UInt8(truncatingIfNeeded: body >> ($0 * 8)) }
      }
      result += try reader.take(body)
    }
    return result
  }
}
