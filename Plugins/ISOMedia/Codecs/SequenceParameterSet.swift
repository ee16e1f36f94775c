import RespoolPlugin

/// What the sequence parameter set of H.264 tells about pictures (ITU-T H.264 7.3.2.1.1, E.1.1).
struct SequenceParameterSet {
  /// 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
  var chromaFormat = 1
  var bitDepth = 8
  /// After cropping.
  var width = 0
  var height = 0
  /// Every picture is a frame, never a field.
  var isFrameCoded = false
  var sampleAspect: Rational?
  var color: ColorDescription?
  /// Nil: not told.
  var reorderDepth: Int?

  /// `unit` starts with the byte of the NAL unit's type.
  init(_ unit: ArraySlice<UInt8>) throws(MediaError) {
    var bits = BitReader(AnnexB.rawPayload(unit))
    try bits.skip(8)
    let profile = try bits.bits(8)
    try bits.skip(16)
    _ = try bits.exponentialGolomb()
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      chromaFormat = Int(try bits.exponentialGolomb())
      if chromaFormat == 3 { try bits.skip(1) }
      bitDepth = 8 + Int(try bits.exponentialGolomb() & 15)
      _ = try bits.exponentialGolomb()
      try bits.skip(1)
      if try bits.bit() { try Self.skipScalingLists(chromaFormat == 3 ? 12 : 8, &bits) }
    }
    _ = try bits.exponentialGolomb()
    switch try bits.exponentialGolomb() {
    case 0: _ = try bits.exponentialGolomb()
    case 1:
      try bits.skip(1)
      _ = try bits.signedExponentialGolomb()
      _ = try bits.signedExponentialGolomb()
      let count = try bits.exponentialGolomb()
      for _ in 0..<min(count, 256) { _ = try bits.signedExponentialGolomb() }
    default: break
    }
    _ = try bits.exponentialGolomb()
    try bits.skip(1)
    let columns = Int(try bits.exponentialGolomb()) + 1
    let rows = Int(try bits.exponentialGolomb()) + 1
    isFrameCoded = try bits.bit()
    if !isFrameCoded { try bits.skip(1) }
    try bits.skip(1)
    guard columns <= 4096, rows <= 4096, chromaFormat <= 3 else {
      throw MediaError(.malformed, "a picture of \(columns) by \(rows) macroblocks")
    }
    width = columns * 16
    height = rows * 16 * (isFrameCoded ? 1 : 2)
    if try bits.bit() { try crop(&bits) }
    if try bits.bit() { try readUsability(&bits) }
  }

  private mutating func crop(_ bits: inout BitReader) throws(MediaError) {
    let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
    let unitY = (chromaFormat == 1 ? 2 : 1) * (isFrameCoded ? 1 : 2)
    let left = Int(try bits.exponentialGolomb())
    let right = Int(try bits.exponentialGolomb())
    let top = Int(try bits.exponentialGolomb())
    let bottom = Int(try bits.exponentialGolomb())
    let x = (left + right) * unitX
    let y = (top + bottom) * unitY
    if x < width, y < height {
      width -= x
      height -= y
    }
  }

  private mutating func readUsability(_ bits: inout BitReader) throws(MediaError) {
    if try bits.bit() { sampleAspect = try Self.aspect(&bits) }
    if try bits.bit() { try bits.skip(1) }
    if try bits.bit() {
      try bits.skip(3)
      var told = ColorDescription()
      told.range = try bits.bit() ? .full : .limited
      if try bits.bit() {
        told.primaries = UInt8(try bits.bits(8))
        told.transfer = UInt8(try bits.bits(8))
        told.matrix = UInt8(try bits.bits(8))
      }
      color = told
    }
    if try bits.bit() {
      _ = try bits.exponentialGolomb()
      _ = try bits.exponentialGolomb()
    }
    if try bits.bit() { try bits.skip(65) }
    let hasUnitParameters = try bits.bit()
    if hasUnitParameters { try Self.skipReferenceDecoder(&bits) }
    let hasCodedParameters = try bits.bit()
    if hasCodedParameters { try Self.skipReferenceDecoder(&bits) }
    if hasUnitParameters || hasCodedParameters { try bits.skip(1) }
    try bits.skip(1)
    guard try bits.bit() else { return }
    try bits.skip(1)
    for _ in 0..<4 { _ = try bits.exponentialGolomb() }
    reorderDepth = Int(min(try bits.exponentialGolomb(), 16))
  }

  private static func aspect(_ bits: inout BitReader) throws(MediaError) -> Rational? {
    let table: [(Int32, Int32)] = [
      (0, 1), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11),
      (80, 33), (18, 11), (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]
    let index = Int(try bits.bits(8))
    if index == 255 {
      let width = Int32(try bits.bits(16))
      let height = Int32(try bits.bits(16))
      return width > 0 && height > 0 ? Rational(width, height).reduced : nil
    }
    return index > 0 && index < table.count ? Rational(table[index].0, table[index].1) : nil
  }

  private static func skipReferenceDecoder(_ bits: inout BitReader) throws(MediaError) {
    let count = min(try bits.exponentialGolomb(), 31) + 1
    try bits.skip(8)
    for _ in 0..<count {
      _ = try bits.exponentialGolomb()
      _ = try bits.exponentialGolomb()
      try bits.skip(1)
    }
    try bits.skip(20)
  }

  private static func skipScalingLists(_ count: Int, _ bits: inout BitReader) throws(MediaError) {
    for list in 0..<count where try bits.bit() {
      var last = 8
      var next = 8
      for _ in 0..<(list < 6 ? 16 : 64) {
        if next != 0 { next = (last + Int(try bits.signedExponentialGolomb()) + 256) & 255 }
        last = next == 0 ? last : next
      }
    }
  }
}
