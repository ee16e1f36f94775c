import RespoolMedia
import Testing

@Suite struct H263PictureHeaderTests {
  /// Returns the bytes of fields, each with a value and its number of bits.
  private func bytes(_ fields: [(value: UInt32, count: Int)]) -> [UInt8] {
    let bits = fields.flatMap { field in
      (0..<field.count).reversed().map { UInt8(field.value >> UInt32($0) & 1) }
    }
    return stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) }
    }
  }

  private let start: [(UInt32, Int)] = [(0x20, 22), (7, 8), (2, 2), (0, 3)]

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt32])
  func `standard formats are for a 4 to 3 screen`(format: UInt32) throws {
    let plain = try H263PictureHeader(bytes(start + [(format, 3)]))
    #expect(plain.sampleAspect == Rational(12, 11))
    let extended = try H263PictureHeader(
      bytes(start + [(7, 3), (1, 3), (format, 3), (8, 15), (0, 9), (0, 1)]))
    #expect(extended.sampleAspect == Rational(12, 11))
  }

  @Test(
    arguments: [
      (1, Rational(1, 1)), (3, Rational(10, 11)), (4, Rational(16, 11)), (5, Rational(40, 33)),
      (9, nil),
    ] as [(UInt32, Rational?)])
  func `custom formats name their aspect ratio`(code: UInt32, aspect: Rational?) throws {
    let custom: [(UInt32, Int)] = [(7, 3), (1, 3), (6, 3), (8, 15), (0, 9)]
    let size: [(UInt32, Int)] = [(39, 9), (1, 1), (36, 9)]
    #expect(
      try H263PictureHeader(bytes(start + custom + [(0, 1), (code, 4)] + size)).sampleAspect
        == aspect)
    // Continuous presence multipoint adds two bits.
    #expect(
      try H263PictureHeader(bytes(start + custom + [(1, 1), (2, 2), (code, 4)] + size)).sampleAspect
        == aspect)
  }

  @Test func `an extended aspect ratio is two numbers and every truncation throws`() throws {
    let header = bytes(
      start + [(7, 3), (1, 3), (6, 3), (8, 15), (0, 9), (1, 1), (0, 2), (15, 4)]
        + [(39, 9), (1, 1), (36, 9), (7, 8), (5, 8)])
    #expect(header.count == H263PictureHeader.longest)
    #expect(try H263PictureHeader(header).sampleAspect == Rational(7, 5))
    for count in 0..<header.count {
      #expect(throws: MediaError.self) { try H263PictureHeader(header.prefix(count)) }
    }
  }

  @Test func `bytes without a header are rejected`() {
    #expect(throws: MediaError.self) { try H263PictureHeader([0, 0, 1, 0xB3, 0, 0, 0, 0, 0]) }
  }
}
