/// The properties of frames in an H.264 sequence parameter set (ITU-T H.264 7.3.2.1.1).
public struct AVCSequenceParameters: Hashable, Sendable {
  public var profile: UInt8
  public var constraints: UInt8
  public var level: UInt8
  /// 0: gray, 1: 4:2:0, 2: 4:2:2, 3: 4:4:4.
  public var chromaFormat: UInt8 = 1
  public var lumaBitDepth: UInt8 = 8
  public var chromaBitDepth: UInt8 = 8
  /// After cropping.
  public var width = 0
  /// After cropping.
  public var height = 0
  public var isProgressive = true
  /// Video usability information.
  ///
  /// `nil` if not stored or not requested.
  public var usability: VUIParameters?

  /// Profiles whose parameter set, and whose avcC, state the chroma format and the bit depths.
  static let highProfiles: Set<UInt8> = [
    100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
  ]

  /// Parses a NAL unit of type 7, with its header byte, up to the cropping unless `usability` is requested.
  public init(nalUnit: some Collection<UInt8>, usability readsUsability: Bool = false)
    throws(MediaError)
  {
    guard let header = nalUnit.first, header & 0x1F == 7 else {
      throw MediaError(.malformed, "the NAL unit is not an H.264 sequence parameter set (type 7)")
    }
    var reader = BitReader(AnnexB.rawPayload(nalUnit.dropFirst()))
    profile = UInt8(truncatingIfNeeded: try reader.bits(8))
    constraints = UInt8(truncatingIfNeeded: try reader.bits(8))
    level = UInt8(truncatingIfNeeded: try reader.bits(8))
    _ = try reader.exponentialGolomb()
    var separatePlanes = false
    if Self.highProfiles.contains(profile) {
      let chroma = try reader.exponentialGolomb()
      guard chroma <= 3 else {
        throw MediaError(.malformed, "chroma_format_idc is \(chroma); it must be 0 to 3")
      }
      chromaFormat = UInt8(chroma)
      if chroma == 3 { separatePlanes = try reader.bit() }
      let luma = try reader.exponentialGolomb()
      let chromaDepth = try reader.exponentialGolomb()
      guard luma <= 6, chromaDepth <= 6 else {
        throw MediaError(
          .malformed,
          "the bit depths are \(Int(luma) + 8) and \(Int(chromaDepth) + 8); "
            + "they must be 8 to 14")
      }
      lumaBitDepth = UInt8(luma + 8)
      chromaBitDepth = UInt8(chromaDepth + 8)
      _ = try reader.bit()
      if try reader.bit() {
        for list in 0..<(chroma == 3 ? 12 : 8) where try reader.bit() {
          try Self.skipScalingList(&reader, count: list < 6 ? 16 : 64)
        }
      }
    }
    _ = try reader.exponentialGolomb()
    switch try reader.exponentialGolomb() {
    case 0: _ = try reader.exponentialGolomb()
    case 1:
      try reader.skip(1)
      _ = try reader.signedExponentialGolomb()
      _ = try reader.signedExponentialGolomb()
      let cycle = try reader.exponentialGolomb()
      guard cycle <= 255 else {
        throw MediaError(
          .malformed, "the reference frame cycle has \(cycle) frames; the maximum is 255")
      }
      for _ in 0..<cycle { _ = try reader.signedExponentialGolomb() }
    default: break
    }
    _ = try reader.exponentialGolomb()
    try reader.skip(1)
    let columns = Int(try reader.exponentialGolomb()) + 1
    let rows = Int(try reader.exponentialGolomb()) + 1
    // 65535 macroblocks a side is far beyond any level, and far from overflow.
    guard columns <= 0xFFFF, rows <= 0xFFFF else {
      throw MediaError(
        .malformed, "the frame has \(columns) by \(rows) macroblocks; the maximum is 65535")
    }
    isProgressive = try reader.bit()
    if !isProgressive { try reader.skip(1) }
    try reader.skip(1)
    width = columns * 16
    height = rows * 16 * (isProgressive ? 1 : 2)
    if try reader.bit() {
      // 7-19 to 7-22: cropping counts in chroma samples, and in fields where there are any.
      let hasChroma = chromaFormat != 0 && !separatePlanes
      let unitX = hasChroma && chromaFormat < 3 ? 2 : 1
      let unitY = (hasChroma && chromaFormat == 1 ? 2 : 1) * (isProgressive ? 1 : 2)
      let left = Int(try reader.exponentialGolomb())
      let right = Int(try reader.exponentialGolomb())
      let top = Int(try reader.exponentialGolomb())
      let bottom = Int(try reader.exponentialGolomb())
      guard (left + right) * unitX < width, (top + bottom) * unitY < height else {
        throw MediaError(.malformed, "cropping removes the whole frame of \(width)x\(height)")
      }
      width -= (left + right) * unitX
      height -= (top + bottom) * unitY
    }
    if readsUsability, try reader.bit() { usability = try VUIParameters(&reader) }
  }

  private static func skipScalingList(_ reader: inout BitReader, count: Int) throws(MediaError) {
    var last = 8
    for _ in 0..<count {
      let delta = Int(try reader.signedExponentialGolomb())
      let next = ((last + delta) % 256 + 256) % 256
      if next == 0 { return }
      last = next
    }
  }
}
