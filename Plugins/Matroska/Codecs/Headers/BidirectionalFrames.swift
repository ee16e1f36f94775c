import RespoolPlugin

/// A detector of bidirectional frames of a codec, from which the display order follows.
///
/// These frames are shown immediately. Any other frame is shown when the next one that is not bidirectional arrives
/// (ISO/IEC 13818-2 6.1.1.11, 14496-2 7.7, SMPTE ST 421 7.1.1.4).
struct BidirectionalFrames {
  private enum Coding {
    case mpeg, mpeg4
    /// Simple and main profile of VC-1.
    ///
    /// `skip` is the number of bits before the type.
    case windowsMedia(skip: Int)
    /// Advanced profile of VC-1.
    case vc1(isInterlaced: Bool)
  }

  private let coding: Coding

  /// Number of bytes from the start of a frame in which its type is.
  static let headSize = 4096

  /// Returns `nil` for codecs without such frames, and if the stream states that it has none.
  init?(codec: String, extradata: [UInt8]) {
    switch codec {
    case "mpeg1video", "mpeg2video": coding = .mpeg
    case "mpeg4": coding = .mpeg4
    case "wmv3":
      // STRUCT_C (SMPTE ST 421 annex J.1).
      guard extradata.count >= 4 else { return nil }
      let word = extradata[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let (hasReducedRange, maximum, interpolates) = (word >> 7 & 1, word >> 4 & 7, word >> 1 & 1)
      guard maximum > 0 else { return nil }
      coding = .windowsMedia(skip: Int(interpolates) + 2 + Int(hasReducedRange))
    case "vc1":
      // Sequence header (6.1): INTERLACE follows the size and PULLDOWN.
      let units = extradata.withUnsafeBytes { AnnexB.units(in: $0) }
      guard let unit = units.first(where: { extradata[$0.lowerBound] == 0x0F }) else { return nil }
      var bits = BitReader(extradata[unit].dropFirst())
      guard (try? bits.skip(41)) != nil, let isInterlaced = try? bits.bit() else { return nil }
      coding = .vc1(isInterlaced: isInterlaced)
    default: return nil
    }
  }

  /// Returns `true` if the frame that begins with `head` is bidirectional.
  func contains(_ head: [UInt8]) -> Bool {
    switch coding {
    case .mpeg4: return MPEG4VideoHeader.codingType(head) == .bidirectional
    case .mpeg:
      // Temporal reference of 10 bits, then the type of 3 (13818-2 6.2.3).
      guard let index = Self.unit(0x00, in: head), index + 1 < head.count else { return false }
      return head[index + 1] >> 3 & 7 == 3
    case .windowsMedia(let skip):
      // A frame of one byte repeats the one before.
      guard head.count > 1 else { return false }
      var bits = BitReader(head.prefix(4))
      guard (try? bits.skip(skip)) != nil, let first = try? bits.bit(), !first else { return false }
      return (try? bits.bit()) == false
    case .vc1(let isInterlaced):
      let start = Self.unit(0x0D, in: head) ?? (head.starts(with: [0, 0, 1]) ? head.count : 0)
      var bits = BitReader(head[min(start, head.count)...].prefix(4))
      return (try? Self.isBidirectional(&bits, isInterlaced: isInterlaced)) ?? false
    }
  }

  /// Reads the type of a frame of the advanced profile (7.1.1.4, 9.1.1.42).
  private static func isBidirectional(
    _ bits: inout BitReader, isInterlaced: Bool
  ) throws(MediaError) -> Bool {
    if isInterlaced, try bits.bit(), try bits.bit() {
      // Two fields, both bidirectional from 4 on.
      return try bits.bits(3) >= 4
    }
    // 0 predictive, 10 bidirectional, 110 intra, 1110 intra shown as bidirectional.
    guard try bits.bit() else { return false }
    guard try bits.bit() else { return true }
    guard try bits.bit() else { return false }
    return try !bits.bit()
  }

  /// Returns the index after the start code of a unit.
  private static func unit(_ type: UInt8, in bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for index in 0...bytes.count - 4
    where bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1
      && bytes[index + 3] == type
    {
      return index + 4
    }
    return nil
  }
}
