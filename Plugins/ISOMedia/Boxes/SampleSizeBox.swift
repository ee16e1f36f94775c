import RespoolPlugin

/// `stsz`: the sizes of the samples (ISO/IEC 14496-12 8.7.3.2).
struct SampleSizeBox: Box {
  static let type: FourCC = "stsz"
  /// The size of every sample.
  ///
  /// 0 if `sizes` lists them.
  var constantSize: UInt32
  var sampleCount: UInt32
  /// Size of each sample.
  ///
  /// Empty if all have the same size.
  var sizes: [UInt32]

  init(sizes: [UInt32]) {
    sampleCount = UInt32(sizes.count)
    if let first = sizes.first, first > 0, sizes.allSatisfy({ $0 == first }) {
      constantSize = first
      self.sizes = []
    } else {
      constantSize = 0
      self.sizes = sizes
    }
  }

  init(constantSize: UInt32, sampleCount: UInt32) {
    self.constantSize = constantSize
    self.sampleCount = sampleCount
    sizes = []
  }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    constantSize = try reader.big()
    sampleCount = try reader.big()
    sizes = constantSize == 0 ? try reader.words(Int(sampleCount)) : []
  }

  /// Parses `stz2`, in which a size has 4, 8 or 16 bits (8.7.3.3).
  init(compactFrom reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    let fieldSize = try reader.big(UInt32.self) & 0xFF
    sampleCount = try reader.big()
    constantSize = 0
    let count = Int(sampleCount)
    switch fieldSize {
    case 4:
      let bytes = try reader.take((count + 1) / 2)
      sizes = []
      sizes.reserveCapacity(count + 1)
      for byte in bytes {
        sizes.append(UInt32(byte >> 4))
        sizes.append(UInt32(byte & 15))
      }
      sizes.removeLast(sizes.count - count)
    case 8: sizes = try reader.take(count).map { UInt32($0) }
    case 16:
      try reader.require(count * 2)
      sizes = []
      sizes.reserveCapacity(count)
      for _ in 0..<count { sizes.append(UInt32(try reader.big(UInt16.self))) }
    default:
      throw MediaError(
        .malformed, "stz2 has sizes of \(fieldSize) bits; 4, 8 or 16 are possible",
        offset: reader.offset)
    }
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(constantSize)
    writer.u32(sampleCount)
    if constantSize == 0 { writer.words(sizes) }
  }
}
