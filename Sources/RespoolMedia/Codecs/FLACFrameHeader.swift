/// The header of a FLAC frame (RFC 9639 9.1).
package struct FLACFrameHeader {
  /// `true` if ``number`` counts samples.
  ///
  /// Otherwise it counts frames, all of the same size except the last.
  package private(set) var hasVariableSize: Bool
  package private(set) var number: Int64
  /// Number of audio samples of each channel in the frame.
  package private(set) var blockSize: Int
  /// Bytes of ``number`` in the header.
  private let numberBytes: Range<Int>
  /// Number of bytes before the checksum of the header.
  private let length: Int

  /// Maximum size of a header in bytes.
  package static let largestSize = 16

  /// Parses the header at the start of `bytes`.
  ///
  /// `nil` if the sync code or the checksum does not match.
  package init?(_ bytes: some Collection<UInt8>) {
    let header = Array(bytes.prefix(Self.largestSize))
    guard header.count >= 6, header[0] == 0xFF, header[1] & 0xFE == 0xF8 else { return nil }
    hasVariableSize = header[1] & 1 == 1
    let (blockCode, rateCode) = (header[2] >> 4, header[2] & 15)
    guard blockCode != 0, rateCode != 15, header[3] & 1 == 0 else { return nil }
    // A number of up to 36 bits, in UTF-8 coding.
    let count = (~header[4]).leadingZeroBitCount
    guard count != 1, count <= 7, header.count >= 5 + count else { return nil }
    number = count == 0 ? Int64(header[4]) : Int64(header[4]) & (0x7F >> Int64(count))
    var position = 5
    for _ in 1..<max(1, count) {
      guard header[position] & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int64(header[position] & 0x3F)
      position += 1
    }
    numberBytes = 4..<position
    let sizeBytes = blockCode == 6 ? 1 : blockCode == 7 ? 2 : 0
    let rateBytes = rateCode == 12 ? 1 : rateCode == 13 || rateCode == 14 ? 2 : 0
    guard position + sizeBytes + rateBytes < header.count else { return nil }
    switch blockCode {
    case 1: blockSize = 192
    case 2...5: blockSize = 576 << (Int(blockCode) - 2)
    case 6: blockSize = Int(header[position]) + 1
    case 7: blockSize = (Int(header[position]) << 8 | Int(header[position + 1])) + 1
    default: blockSize = 256 << (Int(blockCode) - 8)
    }
    position += sizeBytes + rateBytes
    length = position
    guard header[position] == Self.checksum(header[..<position]) else { return nil }
  }

  /// Returns the number of the frame's first sample.
  ///
  /// `largestBlock` is the block size in STREAMINFO.
  package func start(largestBlock: Int) -> Int64 {
    hasVariableSize ? number : number * Int64(largestBlock)
  }

  /// Returns the number of the sample after the frame.
  ///
  /// `nil` if the frame is larger than STREAMINFO allows.
  package func end(largestBlock: Int) -> Int64? {
    blockSize <= largestBlock ? start(largestBlock: largestBlock) + Int64(blockSize) : nil
  }

  /// Computes the CRC-8 with the polynomial x^8 + x^2 + x + 1.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { value, _ in value & 0x80 == 0 ? value << 1 : value << 1 ^ 7 }
    }
  }

  /// Returns `frame`, to which this header belongs, with another number and new checksums.
  ///
  /// `number` has up to 36 bits.
  package func renumbered(
    _ frame: UnsafeRawBufferPointer, number: Int64, hasVariableSize: Bool
  ) -> [UInt8] {
    guard frame.count >= length + 3 else { return Array(frame) }
    var result = Array(frame[..<2]) + Array(frame[2..<4]) + Self.coded(number)
    result[1] = result[1] & 0xFE | (hasVariableSize ? 1 : 0)
    result += frame[numberBytes.upperBound..<length]
    result.append(Self.checksum(result[...]))
    result += frame[(length + 1)..<(frame.count - 2)]
    return result + Self.frameChecksum(result).bigEndianBytes
  }

  /// Returns a number in the coding of UTF-8, extended to 36 bits (RFC 9639 9.1.5).
  private static func coded(_ number: Int64) -> [UInt8] {
    guard number >= 0x80 else { return [UInt8(max(0, number))] }
    var rest = number
    var tail: [UInt8] = []
    // A first byte for n more bytes has 6 - n bits of the number; with 6 more bytes, it has none.
    while tail.count < 6, rest >= Int64(1) << Int64(6 - tail.count) || tail.isEmpty {
      tail.insert(0x80 | UInt8(rest & 0x3F), at: 0)
      rest >>= 6
    }
    let mark = UInt8(truncatingIfNeeded: 0xFF00 >> (tail.count + 1))
    return [mark | UInt8(truncatingIfNeeded: rest)] + tail
  }

  /// Computes the CRC-16 with the polynomial x^16 + x^15 + x^2 + 1 (RFC 9639 9.3).
  private static func frameChecksum(_ bytes: [UInt8]) -> UInt16 {
    bytes.reduce(0) { sum, byte in sum << 8 ^ frameTable[Int(UInt8(sum >> 8) ^ byte)] }
  }

  private static let frameTable: [UInt16] = (0..<256).map { index in
    (0..<8).reduce(UInt16(index) << 8) { value, _ in
      value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x8005
    }
  }
}
