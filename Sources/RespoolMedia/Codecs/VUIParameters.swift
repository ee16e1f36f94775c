/// Video usability information of a sequence parameter set (ITU-T H.264 E.1.1), as far as containers
/// need it.
public struct VUIParameters: Hashable, Sendable {
  public var sampleAspect: Rational?
  public var color: ColorDescription?
  /// Number of frames that a decoder may have to hold back.
  ///
  /// `nil` if not stored.
  public var reorderDepth: Int?

  init(_ bits: inout BitReader) throws(MediaError) {
    if try bits.bit() { sampleAspect = try Self.aspect(&bits) }
    if try bits.bit() { try bits.skip(1) }
    if try bits.bit() {
      try bits.skip(3)
      var stated = ColorDescription()
      stated.range = try bits.bit() ? .full : .limited
      if try bits.bit() {
        stated.primaries = UInt8(try bits.bits(8))
        stated.transfer = UInt8(try bits.bits(8))
        stated.matrix = UInt8(try bits.bits(8))
      }
      color = stated
    }
    if let location = try Self.chromaLocation(&bits) {
      color = color ?? ColorDescription()
      color?.chromaLocation = location
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

  /// Reads the pixel aspect ratio by table E-1, which H.265 has as well.
  static func aspect(_ bits: inout BitReader) throws(MediaError) -> Rational? {
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

  /// Reads `chroma_loc_info`, which H.265 has as well; `nil` if it is not there or reserved.
  static func chromaLocation(_ bits: inout BitReader) throws(MediaError)
    -> ColorDescription.ChromaLocation?
  {
    guard try bits.bit() else { return nil }
    // chroma_sample_loc_type_top_field counts from 0 as `ChromaLocation` does from 1.
    let top = try bits.exponentialGolomb()
    _ = try bits.exponentialGolomb()
    return ColorDescription.ChromaLocation(rawValue: UInt8(clamping: min(top, 6) + 1))
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
}
