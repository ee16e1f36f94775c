import RespoolPlugin

/// WavPack packets in Matroska's form: block headers omit fields that the container stores.
///
/// The form is defined in the Matroska codec specification, A_WAVPACK4. The block header is that of WavPack 4
/// and 5 (32 bytes, little-endian).
enum WavPackBlocks {
  private static let headSize = 32
  private static let initial: UInt32 = 0x800
  private static let final: UInt32 = 0x1000

  /// Returns the blocks with whole headers.
  ///
  /// `version` is the stream version, two bytes of CodecPrivate. Damaged blocks stay as they are: the decoder reports
  /// them.
  static func restored(_ packet: [UInt8], version: [UInt8]) -> [UInt8] {
    var reader = ByteReader(packet)
    var result = LittleEndianBytes()
    do throws(MediaError) {
      let sampleCount = try reader.take(4)
      while reader.remaining > 0 {
        let flags = try reader.little(UInt32.self)
        let checksum = try reader.take(4)
        let isOnly = flags & (initial | final) == initial | final
        let size = isOnly ? reader.remaining : Int(try reader.little(UInt32.self))
        // The survey passes only the start of the first packet.
        let body = try reader.take(min(size, reader.remaining))
        result.bytes += Array("wvpk".utf8)
        result.add(UInt32(clamping: size + headSize - 8))
        result.bytes += version.count >= 2 ? version[..<2] : [0x10, 0x04]
        // Track and index, number of all samples, number of the first sample.
        result.bytes += [UInt8](repeating: 0, count: 2 + 4 + 4)
        result.bytes += sampleCount
        result.add(flags)
        result.bytes += checksum
        result.bytes += body
      }
    } catch {
      return result.bytes.isEmpty ? packet : result.bytes
    }
    return result.bytes
  }

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
