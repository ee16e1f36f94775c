import RespoolPlugin

/// The avcC record of a stream (ISO/IEC 14496-15 5.3.3.1).
struct AVCConfiguration {
  /// NAL units without length prefixes.
  var sequenceParameterSet: [UInt8]
  var pictureParameterSet: [UInt8]
  var format: FrameFormat

  var profile: UInt8 { byte(1) }
  var level: UInt8 { byte(3) }

  private func byte(_ index: Int) -> UInt8 {
    index < sequenceParameterSet.count ? sequenceParameterSet[index] : 0
  }

  var record: [UInt8] {
    // Lengths of four bytes, and one parameter set of each kind. The upper bits are reserved.
    var bytes: [UInt8] = [1, profile, byte(2), level, 0xFF, 0xE1]
    bytes += lengthPrefixed(sequenceParameterSet)
    bytes.append(1)
    bytes += lengthPrefixed(pictureParameterSet)
    if ![66, 77, 88].contains(profile) {
      let depth = UInt8(format.bitDepth - 8)
      bytes += [0xFC | format.chromaFormat, 0xF8 | depth, 0xF8 | depth, 0]
    }
    return bytes
  }

  private func lengthPrefixed(_ unit: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: unit.count >> 8), UInt8(truncatingIfNeeded: unit.count)] + unit
  }
}
