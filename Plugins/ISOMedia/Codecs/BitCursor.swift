import RespoolPlugin

/// Reads bits, highest first; beyond the end an error.
struct BitCursor {
  private let bytes: ArraySlice<UInt8>
  private(set) var position = 0

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
  init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  var remaining: Int { bytes.count * 8 - position }

  /// Up to 32 bits.
  mutating func bits(_ count: Int) throws(MediaError) -> UInt32 {
    guard count <= remaining else {
      throw MediaError(.malformed, "\(count) bits are needed and \(remaining) are left")
    }
    var value: UInt32 = 0
    for _ in 0..<count {
      let byte = bytes[bytes.startIndex + (position >> 3)]
      value = value << 1 | UInt32(byte >> UInt8(7 - (position & 7)) & 1)
      position += 1
    }
    return value
  }

  mutating func flag() throws(MediaError) -> Bool { try bits(1) != 0 }

  mutating func skip(_ count: Int) throws(MediaError) {
    guard count <= remaining else {
      throw MediaError(.malformed, "\(count) bits are needed and \(remaining) are left")
    }
    position += count
  }

  /// An unsigned Exp-Golomb number (ITU-T H.264 9.1).
  mutating func exponential() throws(MediaError) -> UInt32 {
    var zeros = 0
    while try !flag() {
      zeros += 1
      guard zeros < 32 else {
        throw MediaError(.malformed, "a number of more than 32 bits in a parameter set")
      }
    }
    return UInt32(truncatingIfNeeded: (1 << UInt64(zeros)) - 1 + UInt64(try bits(zeros)))
  }

  /// A signed Exp-Golomb number (ITU-T H.264 9.1.1).
  mutating func signedExponential() throws(MediaError) -> Int32 {
    let value = try exponential()
    let half = Int32(truncatingIfNeeded: value / 2 + value % 2)
    return value % 2 == 1 ? half : -half
  }
}
