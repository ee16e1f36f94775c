import RespoolPlugin

/// The length of a frame of True Audio, which only the header of the file states (TTA1 format specification).
///
/// Containers round the length of the file, so that libavcodec cannot decode a last frame that is shorter.
struct TrueAudioFrame {
  /// Adaptive Rice coding of one channel.
  private struct Rice {
    var exponents = (first: 10, second: 10)
    var sums = (first: UInt32(1) << 14, second: UInt32(1) << 14)

    /// The longest exponent; greater ones do not occur in intact frames.
    private static let longest = 24

    /// Adapts a sum and its exponent to a value.
    private static func adapt(_ sum: inout UInt32, _ exponent: inout Int, to value: UInt32) {
      sum = sum &+ value &- (sum >> 4)
      if exponent > 0, sum < UInt32(1) << UInt32(exponent + 4) {
        exponent -= 1
      } else if exponent < longest, sum > UInt32(1) << UInt32(exponent + 5) {
        exponent += 1
      }
    }

    /// Reads a value; returns `false` at the end of the bits.
    mutating func read(_ bits: inout Bits) -> Bool {
      guard let ones = bits.ones() else { return false }
      let isDeep = ones > 0
      let exponent = isDeep ? exponents.second : exponents.first
      guard let rest = bits.number(exponent) else { return false }
      var value = UInt32(truncatingIfNeeded: isDeep ? ones - 1 : ones) << UInt32(exponent) &+ rest
      if isDeep {
        Self.adapt(&sums.second, &exponents.second, to: value)
        value = value &+ (UInt32(1) << UInt32(exponents.first))
      }
      Self.adapt(&sums.first, &exponents.first, to: value)
      return true
    }
  }

  /// Bits of a frame, the lowest of each byte first.
  private struct Bits {
    let bytes: [UInt8]
    /// Number of bytes before the checksum.
    let end: Int
    var position = 0

    /// `true` in the last byte, if the bits after the position are those that fill it.
    var isAtEnd: Bool {
      let used = position - (end - 1) * 8
      return used > 0 && bytes[end - 1] >> UInt8(used) == 0
    }

    mutating func bit() -> Bool? {
      guard position < end * 8 else { return nil }
      defer { position += 1 }
      return bytes[position / 8] >> UInt8(position % 8) & 1 != 0
    }

    mutating func ones() -> Int? {
      var count = 0
      while let bit = bit() {
        if !bit { return count }
        count += 1
      }
      return nil
    }

    mutating func number(_ count: Int) -> UInt32? {
      var value: UInt32 = 0
      for index in 0..<count {
        guard let bit = bit() else { return nil }
        if bit { value |= 1 << UInt32(index) }
      }
      return value
    }
  }

  /// Returns the number of audio samples of a frame of `channels`, of at most `most`; `nil` if the bytes are no frame.
  static func sampleCount(_ frame: [UInt8], channels: Int, most: Int) -> Int? {
    let checksum = 4
    guard frame.count > checksum, (1...64).contains(channels) else { return nil }
    var bits = Bits(bytes: frame, end: frame.count - checksum)
    var rice = [Rice](repeating: Rice(), count: channels)
    for count in 1...max(1, most) {
      for channel in 0..<channels where !rice[channel].read(&bits) { return nil }
      if bits.isAtEnd { return count }
    }
    return nil
  }
}
