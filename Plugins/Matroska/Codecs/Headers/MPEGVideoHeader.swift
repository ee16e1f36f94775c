import RespoolPlugin

/// The headers before the first picture of MPEG-1 and MPEG-2 video (ISO/IEC 11172-2 2.4.2, 13818-2 6.2).
struct MPEGVideoHeader {
  private(set) var profile: Int32?
  private(set) var level: Int32?
  private(set) var pixelFormat: PixelFormat = .yuv420p
  private(set) var color = ColorDescription(range: .limited)
  /// Unknown in MPEG-1, and if the first picture is a field.
  private(set) var fieldOrder: TrackDescription.FieldOrder = .unknown
  /// Bits per second.
  ///
  /// 0 if it varies.
  private(set) var bitRate: Int64 = 0
  /// `true` if pictures are shown in decoding order.
  private(set) var hasLowDelay = false
  private var isProgressive = false
  /// Zero bytes at the end of a header, which are not part of its range.
  private static let trailingZeros = [UInt8](repeating: 0, count: 12)

  /// Reads the headers from CodecPrivate or from the start of the first picture.
  ///
  /// `nil` if there is no sequence header.
  init?(_ bytes: [UInt8]) {
    let units = bytes.withUnsafeBytes { AnnexB.units(in: $0) }
    guard let first = units.first(where: { bytes[$0.lowerBound] == 0xB3 }) else { return nil }
    var bits = BitReader(bytes[first] + Self.trailingZeros)
    guard (try? bits.skip(8 + 12 + 12 + 4 + 4)) != nil, let rate = try? bits.bits(18) else {
      return nil
    }
    // All ones: variable in MPEG-1 (2.4.3.2).
    if rate != 0x3FFFF { bitRate = Int64(rate) * 400 }
    for unit in units where unit.lowerBound > first.lowerBound {
      switch bytes[unit.lowerBound] {
      // A slice of the first picture.
      case 0x01...0xAF: return
      case 0xB5: try? readExtension(BitReader(bytes[unit].dropFirst() + Self.trailingZeros))
      default: break
      }
    }
  }

  private mutating func readExtension(_ bits: BitReader) throws(MediaError) {
    var bits = bits
    switch try bits.bits(4) {
    case 1:
      // Sequence extension (6.2.2.3).
      let indication = try bits.bits(8)
      if indication & 0x80 == 0 {
        (profile, level) = (Int32(indication >> 4 & 7), Int32(indication & 15))
      }
      isProgressive = try bits.bit()
      if isProgressive { fieldOrder = .progressive }
      switch try bits.bits(2) {
      case 2: pixelFormat = .yuv422p
      case 3: pixelFormat = .yuv444p
      default: pixelFormat = .yuv420p
      }
      try bits.skip(2 + 2)
      bitRate += Int64(try bits.bits(12)) << 18 * 400
      try bits.skip(1 + 8)
      hasLowDelay = try bits.bit()
    case 2:
      // Sequence display extension (6.2.2.4).
      try bits.skip(3)
      guard try bits.bit() else { return }
      color.primaries = UInt8(try bits.bits(8))
      color.transfer = UInt8(try bits.bits(8))
      color.matrix = UInt8(try bits.bits(8))
    case 8:
      // Picture coding extension (6.2.3.1).
      try bits.skip(16 + 2)
      let isFrame = try bits.bits(2) == 3
      let isTopFirst = try bits.bit()
      if !isProgressive, isFrame { fieldOrder = isTopFirst ? .topFirst : .bottomFirst }
    default: break
    }
  }
}
