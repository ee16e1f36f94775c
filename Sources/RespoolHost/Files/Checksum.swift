/// Returns the 64-bit FNV-1a hash over words of eight bytes, then over the remaining bytes
/// (draft-eastlake-fnv, https://datatracker.ietf.org/doc/draft-eastlake-fnv).
package func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  var sum: UInt64 = 0xCBF2_9CE4_8422_2325
  var position = 0
  while position + 8 <= bytes.count {
    let word = UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    sum = (sum ^ word) &* 0x100_0000_01B3
    // A product carries only toward high bits; this mixes them into the low bits.
    sum ^= sum >> 32
    position += 8
  }
  while position < bytes.count {
    sum = (sum ^ UInt64(bytes[position])) &* 0x100_0000_01B3
    position += 1
  }
  return sum
}
