/// The configuration record of AV1 (`av1C`, AV1 Codec ISO Media File Format Binding 2.3.3), which MP4 and
/// Matroska need; made of a sequence header, which is all that other streams have.
public struct AV1Configuration: Hashable, Sendable {
  public var profile: UInt8
  /// Level of the first operating point.
  public var level: UInt8
  public var isHighTier = false
  /// 8, 10 or 12.
  public var bitDepth: UInt8 = 8
  public var isMonochrome = false
  public var isSubsampledX = true
  public var isSubsampledY = true
  /// 0 unknown, 1 at the left, 2 at the top left (AV1 specification 6.4.2).
  public var chromaPosition: UInt8 = 0
  /// As the sequence header stores it.
  public var color = ColorDescription.unspecified
  /// The unit that has the sequence header.
  public var sequenceHeader: [UInt8]

  /// Returns `true` if extradata begins with the marker and version of the record.
  public static func isRecord(_ extradata: [UInt8]) -> Bool { extradata.first == 0x81 }

  /// Takes the first sequence header among units of a low-overhead stream (AV1 specification 5.2).
  ///
  /// `nil` if the units have no sequence header. Throws `malformed`.
  public init?(units: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(units))
    while reader.remaining > 0 {
      let start = reader.position
      let head = try reader.u8()
      // Forbidden bit, type, extension flag, size flag, reserved bit.
      if head & 4 != 0 { try reader.skip(1) }
      let size = head & 2 != 0 ? try reader.leb128() : reader.remaining
      let payload = Array(try reader.take(size))
      guard head >> 3 & 15 == 1 else { continue }
      try self.init(
        payload: payload,
        unit: head & 2 != 0
          ? Array(reader.bytes[start..<reader.position])
          : [head & 0xF8 | 2] + payload.count.leb128Bytes + payload)
      return
    }
    return nil
  }

  /// `sequence_header_obu` (5.5.1).
  private init(payload: [UInt8], unit: [UInt8]) throws(MediaError) {
    var bits = BitReader(payload)
    sequenceHeader = unit
    profile = UInt8(try bits.bits(3))
    level = 0
    try bits.skip(1)
    let isReduced = try bits.bit()
    if isReduced { level = UInt8(try bits.bits(5)) } else { try readOperatingPoints(&bits) }
    let widthBits = Int(try bits.bits(4)) + 1
    let heightBits = Int(try bits.bits(4)) + 1
    try bits.skip(widthBits + heightBits)
    if !isReduced, try bits.bit() { try bits.skip(7) }
    try bits.skip(3)
    if !isReduced { try Self.skipTools(&bits) }
    try bits.skip(3)
    try readColor(&bits)
  }

  private mutating func readOperatingPoints(_ bits: inout BitReader) throws(MediaError) {
    var delayBits: Int?
    if try bits.bit() {
      try bits.skip(64)
      if try bits.bit() { try Self.skipVariableLength(&bits) }
      if try bits.bit() {
        delayBits = Int(try bits.bits(5)) + 1
        try bits.skip(32 + 5 + 5)
      }
    }
    let storesDelay = try bits.bit()
    for point in 0...Int(try bits.bits(5)) {
      try bits.skip(12)
      let level = UInt8(try bits.bits(5))
      let isHighTier = level > 7 ? try bits.bit() : false
      if point == 0 { (self.level, self.isHighTier) = (level, isHighTier) }
      if let delayBits, try bits.bit() { try bits.skip(2 * delayBits + 1) }
      if storesDelay, try bits.bit() { try bits.skip(4) }
    }
  }

  private static func skipTools(_ bits: inout BitReader) throws(MediaError) {
    try bits.skip(4)
    let hasOrderHint = try bits.bit()
    if hasOrderHint { try bits.skip(2) }
    // Screen content tools are chosen per frame or fixed here. If they may be used, so are integer motion vectors.
    let mayUseTools = try bits.bit() ? true : try bits.bit()
    if mayUseTools, try !bits.bit() { try bits.skip(1) }
    if hasOrderHint { try bits.skip(3) }
  }

  /// `uvlc` (4.10.3).
  private static func skipVariableLength(_ bits: inout BitReader) throws(MediaError) {
    var zeros = 0
    while try !bits.bit() { zeros += 1 }
    if zeros < 32 { try bits.skip(zeros) }
  }

  /// `color_config` (5.5.2).
  private mutating func readColor(_ bits: inout BitReader) throws(MediaError) {
    let isHigh = try bits.bit()
    bitDepth = isHigh ? (profile == 2 ? (try bits.bit() ? 12 : 10) : 10) : 8
    isMonochrome = profile == 1 ? false : try bits.bit()
    if try bits.bit() {
      color.primaries = UInt8(try bits.bits(8))
      color.transfer = UInt8(try bits.bits(8))
      color.matrix = UInt8(try bits.bits(8))
    }
    if isMonochrome {
      color.range = try bits.bit() ? .full : .limited
      return
    }
    if color.primaries == H273.Primaries.bt709, color.transfer == H273.Transfer.sRGB,
      color.matrix == H273.Matrix.identity
    {
      (isSubsampledX, isSubsampledY) = (false, false)
      color.range = .full
      return
    }
    color.range = try bits.bit() ? .full : .limited
    switch profile {
    case 0: break
    case 1: (isSubsampledX, isSubsampledY) = (false, false)
    default:
      isSubsampledX = bitDepth == 12 ? try bits.bit() : true
      isSubsampledY = bitDepth == 12 && isSubsampledX ? try bits.bit() : false
    }
    if isSubsampledX, isSubsampledY { chromaPosition = UInt8(try bits.bits(2)) }
    color.chromaLocation =
      chromaPosition == 1 ? .left : chromaPosition == 2 ? .topLeft : .unspecified
  }

  /// The record with the sequence header in it.
  public var bytes: [UInt8] {
    var flags: UInt8 = isHighTier ? 0x80 : 0
    if bitDepth > 8 { flags |= 0x40 }
    if bitDepth == 12 { flags |= 0x20 }
    if isMonochrome { flags |= 0x10 }
    if isSubsampledX { flags |= 8 }
    if isSubsampledY { flags |= 4 }
    return [0x81, profile << 5 | level, flags | chromaPosition & 3, 0] + sequenceHeader
  }

  /// Returns a temporal unit without its leading delimiter, which containers leave out (binding 2.4).
  public static func withoutDelimiter(_ unit: MediaBuffer) -> MediaBuffer {
    unit.readOnly.starts(with: [0x12, 0]) ? MediaBuffer(unit.readOnly.dropFirst(2)) : unit
  }
}
