import RespoolPlugin

/// A reader of range-coded symbols of FFV1 (RFC 9043 3.8.1).
struct RangeDecoder {
  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var low: UInt32
  private var range: UInt32 = 0xFF00
  /// The default state transitions, where a one was read.
  private static let ones = transitions()

  /// The probability states of a symbol.
  typealias States = [UInt8]
  static let initialStates = States(repeating: 128, count: 32)

  /// Returns `nil` if the bytes are too few.
  init?(_ bytes: some Collection<UInt8>) {
    self.bytes = Array(bytes)[...]
    guard self.bytes.count >= 2 else { return nil }
    low = UInt32(self.bytes[0]) << 8 | UInt32(self.bytes[1])
    index = 2
    if low >= range {
      low = range
      index = self.bytes.count
    }
  }

  /// `true` if symbols were read past the end.
  private(set) var isPastEnd = false

  mutating func bit(_ state: inout UInt8) -> Bool {
    let split = (range * UInt32(state)) >> 8
    range -= split
    let isOne = low >= range
    if isOne {
      low -= range
      range = split
      state = Self.ones[Int(state)]
    } else {
      state = UInt8(truncatingIfNeeded: 256 - Int(Self.ones[256 - Int(state)]))
    }
    if range < 0x100 {
      range <<= 8
      low <<= 8
      if index < bytes.endIndex {
        low += UInt32(bytes[index])
        index += 1
      } else {
        isPastEnd = true
      }
    }
    return isOne
  }

  /// Reads a number (RFC 9043 3.8.1.2).
  ///
  /// `nil` if it has more than 31 bits.
  mutating func number(_ states: inout States, isSigned: Bool = false) -> Int? {
    if bit(&states[0]) { return 0 }
    var size = 0
    while bit(&states[1 + min(size, 9)]) {
      size += 1
      guard size < 31 else { return nil }
    }
    var value = 1
    for place in stride(from: size - 1, through: 0, by: -1) {
      value = value << 1 | (bit(&states[22 + min(place, 9)]) ? 1 : 0)
    }
    return isSigned && bit(&states[11 + min(size, 10)]) ? -value : value
  }

  /// Returns the default state transition table (RFC 9043 3.8.1.4), with 0 for states that do not occur.
  private static func transitions() -> [UInt8] {
    var table = [UInt8](repeating: 0, count: 257)
    let (one, most) = (Int64(1) << 32, Int64(256 - 8))
    let factor = Int64(0.05 * Double(one))
    var probability = one / 2
    var last: Int64 = 0
    for _ in 0..<128 {
      var next = (256 * probability + one / 2) >> 32
      if next <= last { next = last + 1 }
      if last > 0, last < 256, next <= most { table[Int(last)] = UInt8(next) }
      probability += ((one - probability) * factor + one / 2) >> 32
      last = next
    }
    for state in (256 - most)...most where table[Int(state)] == 0 {
      probability = (state * one + 128) >> 8
      probability += ((one - probability) * factor + one / 2) >> 32
      let next = (256 * probability + one / 2) >> 32
      table[Int(state)] = UInt8(min(max(next, state + 1), most))
    }
    return table
  }
}
