import RespoolPlugin

/// Headers of MPEG-4 video (ISO/IEC 14496-2 6.2).
enum MPEG4VideoHeader {
  /// Coding type of a frame (table 6-20).
  enum CodingType: UInt8 {
    case intra, predictive, bidirectional, sprite
  }

  /// Returns the coding type of the first frame in `bytes`.
  ///
  /// `nil` if there is no frame.
  static func codingType(_ bytes: [UInt8]) -> CodingType? {
    var index = bytes.startIndex
    while index + 4 < bytes.endIndex {
      if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1, bytes[index + 3] == 0xB6 {
        return CodingType(rawValue: bytes[index + 4] >> 6)
      }
      index += 1
    }
    return nil
  }

  /// Returns `true` if a video object layer states that frames are reordered.
  static func hasBidirectionalFrames(_ extradata: [UInt8]) -> Bool {
    let units = extradata.withUnsafeBytes { AnnexB.units(in: $0) }
    guard let unit = units.first(where: { (0x20...0x2F).contains(extradata[$0.lowerBound]) }) else {
      return false
    }
    var bits = BitReader(extradata[unit].dropFirst() + [UInt8](repeating: 0, count: 8))
    do throws(MediaError) {
      try bits.skip(1 + 8)
      if try bits.bit() { try bits.skip(4 + 3) }
      if try bits.bits(4) == 15 { try bits.skip(8 + 8) }
      guard try bits.bit() else { return false }
      try bits.skip(2)
      return try !bits.bit()
    } catch {
      return false
    }
  }
}
