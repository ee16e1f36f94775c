/// The parts of an HEVC sequence parameter set after the bit depths: reordering and video usability information
/// (ITU-T H.265 7.3.2.2.1, E.2.1).
public struct HEVCVUIParameters: Hashable, Sendable {
  public var sampleAspect: Rational?
  public var color: ColorDescription?
  /// Number of frames that a decoder may have to hold back.
  public var reorderDepth = 0
  /// `true` if the stream has fields (field_seq_flag).
  public var hasFields = false

  /// Reads what follows `bit_depth_chroma_minus8`.
  init(_ bits: inout BitReader, temporalLayers: Int) throws(MediaError) {
    let orderBits = Int(try bits.exponentialGolomb()) + 4
    guard orderBits <= 16 else {
      throw MediaError(
        .malformed, "the picture order count has \(orderBits) bits; the maximum is 16")
    }
    let hasAllLayers = try bits.bit()
    for _ in (hasAllLayers ? 0 : temporalLayers - 1)..<temporalLayers {
      _ = try bits.exponentialGolomb()
      reorderDepth = Int(min(try bits.exponentialGolomb(), 16))
      _ = try bits.exponentialGolomb()
    }
    for _ in 0..<6 { _ = try bits.exponentialGolomb() }
    if try bits.bit(), try bits.bit() { try Self.skipScalingLists(&bits) }
    try bits.skip(2)
    if try bits.bit() {
      try bits.skip(8)
      for _ in 0..<2 { _ = try bits.exponentialGolomb() }
      try bits.skip(1)
    }
    try Self.skipReferenceSets(&bits)
    if try bits.bit() {
      let count = try bits.exponentialGolomb()
      guard count <= 32 else {
        throw MediaError(.malformed, "\(count) long-term reference pictures; the maximum is 32")
      }
      try bits.skip(Int(count) * (orderBits + 1))
    }
    try bits.skip(2)
    if try bits.bit() { try readUsability(&bits) }
  }

  private mutating func readUsability(_ bits: inout BitReader) throws(MediaError) {
    if try bits.bit() { sampleAspect = try VUIParameters.aspect(&bits) }
    if try bits.bit() { try bits.skip(1) }
    if try bits.bit() {
      try bits.skip(3)
      var stored = ColorDescription()
      stored.range = try bits.bit() ? .full : .limited
      if try bits.bit() {
        stored.primaries = UInt8(try bits.bits(8))
        stored.transfer = UInt8(try bits.bits(8))
        stored.matrix = UInt8(try bits.bits(8))
      }
      color = stored
    }
    if let location = try VUIParameters.chromaLocation(&bits) {
      color = color ?? ColorDescription()
      color?.chromaLocation = location
    }
    try bits.skip(1)
    hasFields = try bits.bit()
  }

  /// `scaling_list_data` (7.3.4).
  private static func skipScalingLists(_ bits: inout BitReader)
    throws(MediaError)
  {
    for size in 0..<4 {
      for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard try bits.bit() else {
          _ = try bits.exponentialGolomb()
          continue
        }
        if size > 1 { _ = try bits.signedExponentialGolomb() }
        for _ in 0..<min(64, 1 << (4 + size * 2)) { _ = try bits.signedExponentialGolomb() }
      }
    }
  }

  /// `st_ref_pic_set` (7.3.7).
  private static func skipReferenceSets(_ bits: inout BitReader) throws(MediaError) {
    let count = try bits.exponentialGolomb()
    guard count <= 64 else {
      throw MediaError(.malformed, "\(count) sets of reference pictures; the maximum is 64")
    }
    var before = 0
    for index in 0..<count {
      if index > 0, try bits.bit() {
        try bits.skip(1)
        _ = try bits.exponentialGolomb()
        var kept = 0
        for _ in 0...before {
          let isUsed = try bits.bit()
          let isKept = isUsed ? true : try bits.bit()
          if isKept { kept += 1 }
        }
        before = kept
        continue
      }
      let negative = Int(try bits.exponentialGolomb())
      let positive = Int(try bits.exponentialGolomb())
      guard negative <= 16, positive <= 16 else {
        throw MediaError(
          .malformed, "a set has too many reference pictures: \(negative) and \(positive)")
      }
      for _ in 0..<negative + positive {
        _ = try bits.exponentialGolomb()
        try bits.skip(1)
      }
      before = negative + positive
    }
  }
}
