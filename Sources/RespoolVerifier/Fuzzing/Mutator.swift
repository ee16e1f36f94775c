/// Changes to bytes as damage and attackers make them.
struct Mutator {
  private var noise: Noise

  init(seed: UInt64) { noise = Noise(seed: seed) }

  /// Numbers at which parsers most often fail.
  private static let numbers: [UInt64] = [
    0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
    0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max,
  ]

  mutating func below(_ limit: Int) -> Int { noise.below(limit) }

  /// Returns a changed copy of `bytes`; `other` is material to mix in.
  mutating func mutate(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...noise.below(8) { change(&bytes, other) }
    return bytes
  }

  /// Returns a place, most often near one of the ends, where the structure of files is.
  private mutating func place(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    switch noise.below(3) {
    case 0: return noise.below(min(count, 512))
    case 1: return count - 1 - noise.below(min(count, 512))
    default: return noise.below(count)
    }
  }

  private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
    let start = place(bytes.count)
    let length = min(1 + noise.below(1 << noise.below(9)), bytes.count - start)
    switch noise.below(9) {
    case 0 where !bytes.isEmpty: bytes[start] ^= 1 << UInt8(noise.below(8))
    case 1 where !bytes.isEmpty: bytes[start] = UInt8(noise.below(256))
    case 2, 3: writeNumber(&bytes, at: start)
    case 4: bytes.removeSubrange(start..<start + length)
    case 5: bytes.insert(contentsOf: noise.bytes(min(length, 64)), at: start)
    case 6: bytes.insert(contentsOf: bytes[start..<start + length], at: place(bytes.count))
    case 7 where noise.below(4) == 0: bytes.removeSubrange(start...)
    case 8 where !other.isEmpty:
      let from = place(other.count)
      bytes.replaceSubrange(start..<start + length, with: other[from...].prefix(length + 8))
    default: writeNumber(&bytes, at: start)
    }
  }

  private mutating func writeNumber(_ bytes: inout [UInt8], at start: Int) {
    let width = 1 << noise.below(4)
    var number = Self.numbers[noise.below(Self.numbers.count)]
    if noise.below(3) == 0 { number = number &+ UInt64(noise.below(16)) &- 8 }
    let isBigEndian = noise.below(2) == 0
    for offset in 0..<width where start + offset < bytes.count {
      let shift = UInt64(8 * (isBigEndian ? width - 1 - offset : offset))
      bytes[start + offset] = UInt8(truncatingIfNeeded: number >> shift)
    }
  }
}
