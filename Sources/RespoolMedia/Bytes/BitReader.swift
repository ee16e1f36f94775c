/// Reads numbers bit by bit, highest bit first, checking every step; nothing here traps.
public struct BitReader {
  private let bytes: [UInt8]
  /// Place of the first byte in the file, for errors.
  private let origin: Int64
  /// Index of the next bit, from 0.
  public private(set) var position = 0

  public init(_ bytes: some Collection<UInt8>, origin: Int64 = 0) {
    self.bytes = Array(bytes)
    self.origin = origin
  }

  /// Bits left.
  public var remaining: Int { bytes.count * 8 - position }

  public mutating func skip(_ count: Int) throws(MediaError) {
    guard count >= 0, count <= remaining else { throw tooShort(count) }
    position += count
  }

  public mutating func bit() throws(MediaError) -> Bool {
    guard remaining > 0 else { throw tooShort(1) }
    defer { position += 1 }
    return bytes[position >> 3] >> UInt8(7 - position & 7) & 1 != 0
  }

  /// A number of 0 to 32 bits.
  public mutating func bits(_ count: Int) throws(MediaError) -> UInt32 {
    guard count >= 0, count <= 32, count <= remaining else { throw tooShort(count) }
    var value: UInt32 = 0
    for _ in 0..<count { value = value << 1 | (try bit() ? 1 : 0) }
    return value
  }

  /// An unsigned Exp-Golomb code, `ue(v)` of ITU-T H.264 9.1.
  public mutating func exponentialGolomb() throws(MediaError) -> UInt32 {
    var zeros = 0
    while try !bit() {
      zeros += 1
      guard zeros < 32 else {
        throw MediaError(
          .malformed, "an Exp-Golomb code has more than 31 leading zeros",
          offset: origin + Int64(position >> 3))
      }
    }
    return (UInt32(1) << UInt32(zeros) - 1) + (try bits(zeros))
  }

  /// A signed Exp-Golomb code, `se(v)` of ITU-T H.264 9.1.1.
  public mutating func signedExponentialGolomb() throws(MediaError) -> Int32 {
    let code = try exponentialGolomb()
    let half = Int32(clamping: (Int64(code) + 1) / 2)
    return code & 1 == 1 ? half : -half
  }

  private func tooShort(_ count: Int) -> MediaError {
    MediaError(
      .malformed, "\(count.counting("bit", "is", "are")) needed, but only \(remaining) are left",
      offset: origin + Int64(position >> 3))
  }
}
