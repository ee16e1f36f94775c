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
    var bits = BitCursor(Self.withoutEmulationPrevention(unit))
    try bits.skip(8)
    let profile = try bits.bits(8)
    try bits.skip(16)
    _ = try bits.exponential()
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      chromaFormat = Int(try bits.exponential())
      if chromaFormat == 3 { try bits.skip(1) }
      bitDepth = 8 + Int(try bits.exponential() & 15)
      _ = try bits.exponential()
      try bits.skip(1)
      if try bits.flag() { try Self.skipScalingLists(chromaFormat == 3 ? 12 : 8, &bits) }
    }
    _ = try bits.exponential()
    switch try bits.exponential() {
    case 0: _ = try bits.exponential()
    case 1:
      try bits.skip(1)
      _ = try bits.signedExponential()
      _ = try bits.signedExponential()
      let count = try bits.exponential()
      for _ in 0..<min(count, 256) { _ = try bits.signedExponential() }
    default: break
    }
    _ = try bits.exponential()
    try bits.skip(1)
    let columns = Int(try bits.exponential()) + 1
    let rows = Int(try bits.exponential()) + 1
    isFrameCoded = try bits.flag()
    if !isFrameCoded { try bits.skip(1) }
    try bits.skip(1)
    guard columns <= 4096, rows <= 4096, chromaFormat <= 3 else {
      throw MediaError(.malformed, "a picture of \(columns) by \(rows) macroblocks")
    }
    width = columns * 16
    height = rows * 16 * (isFrameCoded ? 1 : 2)
    if try bits.flag() { try crop(&bits) }
    if try bits.flag() { try readUsability(&bits) }
  }

  private mutating func crop(_ bits: inout BitCursor) throws(MediaError) {
    let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
    let unitY = (chromaFormat == 1 ? 2 : 1) * (isFrameCoded ? 1 : 2)
    let left = Int(try bits.exponential())
    let right = Int(try bits.exponential())
    let top = Int(try bits.exponential())
    let bottom = Int(try bits.exponential())
    let x = (left + right) * unitX
    let y = (top + bottom) * unitY
    if x < width, y < height {
      width -= x
      height -= y
    }
  }

  private mutating func readUsability(_ bits: inout BitCursor) throws(MediaError) {
    if try bits.flag() { sampleAspect = try Self.aspect(&bits) }
    if try bits.flag() { try bits.skip(1) }
    if try bits.flag() {
      try bits.skip(3)
      var told = ColorDescription()
      told.range = try bits.flag() ? .full : .limited
      if try bits.flag() {
        told.primaries = UInt8(try bits.bits(8))
        told.transfer = UInt8(try bits.bits(8))
        told.matrix = UInt8(try bits.bits(8))
      }
      color = told
    }
    if try bits.flag() {
      _ = try bits.exponential()
      _ = try bits.exponential()
    }
    if try bits.flag() { try bits.skip(65) }
    let hasUnitParameters = try bits.flag()
    if hasUnitParameters { try Self.skipReferenceDecoder(&bits) }
    let hasCodedParameters = try bits.flag()
    if hasCodedParameters { try Self.skipReferenceDecoder(&bits) }
    if hasUnitParameters || hasCodedParameters { try bits.skip(1) }
    try bits.skip(1)
    guard try bits.flag() else { return }
    try bits.skip(1)
    for _ in 0..<4 { _ = try bits.exponential() }
    reorderDepth = Int(min(try bits.exponential(), 16))
  }

  private static func aspect(_ bits: inout BitCursor) throws(MediaError) -> Rational? {
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

  private static func skipReferenceDecoder(_ bits: inout BitCursor) throws(MediaError) {
    let count = min(try bits.exponential(), 31) + 1
    try bits.skip(8)
    for _ in 0..<count {
      _ = try bits.exponential()
      _ = try bits.exponential()
      try bits.skip(1)
    }
    try bits.skip(20)
  }

  private static func skipScalingLists(_ count: Int, _ bits: inout BitCursor) throws(MediaError) {
    for list in 0..<count where try bits.flag() {
      var last = 8
      var next = 8
      for _ in 0..<(list < 6 ? 16 : 64) {
        if next != 0 { next = (last + Int(try bits.signedExponential()) + 256) & 255 }
        last = next == 0 ? last : next
      }
    }
  }

  /// The payload of a NAL unit: without the bytes that keep start codes apart (7.4.1.1).
  static func withoutEmulationPrevention(_ unit: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(unit.count)
    var zeros = 0
    for byte in unit {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      result.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return result
  }
}
