import RespoolMedia
import Testing

/// Returns the bytes of space-separated hexadecimal text.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter(\.isHexDigit)
  return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
    let start = digits.index(digits.startIndex, offsetBy: index)
    return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
  }
}

/// Expects that `parse` throws `malformed` for every prefix of `bytes` shorter than `count`.
func expectTruncationsThrow(
  _ bytes: [UInt8], below count: Int? = nil, _ parse: ([UInt8]) throws(MediaError) -> Void
) {
  for length in 0..<(count ?? bytes.count) {
    do throws(MediaError) {
      try parse(Array(bytes.prefix(length)))
      Issue.record("\(length) of \(bytes.count) bytes are taken for a whole")
    } catch {
      #expect(error.code == .malformed)
    }
  }
}

/// Parses `bytes` with each byte changed in a few ways, and returns the number of errors.
///
/// `parse` may throw but must not trap.
func mutate(_ bytes: [UInt8], _ parse: ([UInt8]) throws(MediaError) -> Void) -> Int {
  var thrown = 0
  for index in bytes.indices {
    for change: UInt8 in [0x01, 0x80, 0xFF, 0x55] {
      var changed = bytes
      changed[index] ^= change
      do throws(MediaError) { try parse(changed) } catch { thrown += 1 }
    }
  }
  return thrown
}

/// Parameter sets that x264 and x265 wrote for frames of 162x90 pixels.
enum CodecSamples {
  static let avcC = hex(
    """
    017a000b ffe1001a 677a000b b6cd942c de227c04 40000003 00400000 0c83c50a 65800100 0668ebe3
    cb22c0fe fafa00
    """)
  static let hevcParameterSets = hex(
    """
    00000001 40010c01 ffff0408 00000300 9e080000 0300001e 959809 00000001 42010104 08000003
    009e0800 00030000 1e9002a4 0c39e7cb 2b349265 780b7020 20004000 00030040 00000642 00000001
    4401c172 860c4624
    """)
}
