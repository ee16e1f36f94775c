/// The CRC-16 of LAME's tag: polynomial 0x8005, bits reflected, from 0.
struct Checksum {
  private(set) var value: UInt16 = 0

  private static let table: [UInt16] = (0..<256).map { index in
    (0..<8).reduce(UInt16(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1 }
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    var sum = value
    Self.table.withUnsafeBufferPointer { table in
      for byte in bytes { sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    }
    value = sum
  }
}
