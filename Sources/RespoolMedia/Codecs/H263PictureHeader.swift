/// The header of an H.263 picture (ITU-T H.263 5.1), as far as containers need it.
public struct H263PictureHeader: Hashable, Sendable {
  /// Pixel aspect ratio.
  ///
  /// `nil` if the header does not store it.
  public var sampleAspect: Rational?

  /// Bytes of the longest header as far as it is read.
  public static let longest = 14

  /// Throws `malformed` where `bytes` do not begin with a picture, or end within its header.
  public init(_ bytes: some Collection<UInt8>, origin: Int64 = 0) throws(MediaError) {
    var bits = BitReader(bytes, origin: origin)
    guard try bits.bits(22) == 0x20 else {
      throw MediaError(.malformed, "no H.263 picture starts here", offset: origin)
    }
    // Temporal reference, two fixed bits, three display flags.
    try bits.skip(8 + 2 + 3)
    let format = try bits.bits(3)
    guard format == 7 else {
      sampleAspect = Self.aspect(format: format)
      return
    }
    // PLUSPTYPE (5.1.4): the format is stored only if UFEP is 1.
    guard try bits.bits(3) == 1 else { return }
    let extendedFormat = try bits.bits(3)
    try bits.skip(15 + 9)
    if try bits.bit() { try bits.skip(2) }
    guard extendedFormat == 6 else {
      sampleAspect = Self.aspect(format: extendedFormat)
      return
    }
    // CPFMT (5.1.5), and EPAR (5.1.6) where the code says so.
    let code = try bits.bits(4)
    try bits.skip(9 + 1 + 9)
    if code == 15 {
      let (width, height) = (Int32(try bits.bits(8)), Int32(try bits.bits(8)))
      if width > 0, height > 0 { sampleAspect = Rational(width, height) }
    } else {
      sampleAspect = Self.aspects[code]
    }
  }

  /// Sub-QCIF, QCIF, CIF, 4CIF and 16CIF fill a screen of 4:3 (4.1).
  private static func aspect(format: UInt32) -> Rational? {
    (1...5).contains(format) ? Rational(12, 11) : nil
  }

  /// Table 5.
  private static let aspects: [UInt32: Rational] = [
    1: Rational(1, 1), 2: Rational(12, 11), 3: Rational(10, 11), 4: Rational(16, 11),
    5: Rational(40, 33),
  ]
}
