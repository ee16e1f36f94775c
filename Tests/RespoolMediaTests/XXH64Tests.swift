import RespoolMedia
import Testing

@Suite struct XXH64Tests {
  /// Hashes that `xxhsum -H1` of xxHash 0.8.1 prints for the first bytes of a sequence, by their number.
  private static let expected: [(count: Int, hash: UInt64)] = [
    (0, 0xef46_db37_51d8_e999), (3, 0x9ff7_0a63_5a62_09ab), (32, 0x91b0_cb09_31a8_c629),
    (63, 0x2191_10bf_13e2_fa26), (100, 0x8e22_72c0_8247_d5db), (1000, 0x2527_5608_a9cf_c168),
  ]

  @Test(arguments: expected.indices)
  func `hashes equal those of xxHash, however bytes are divided`(index: Int) {
    let (count, hash) = Self.expected[index]
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for size in [1, 5, 31, 32, 33, 1000] {
      var xxh = XXH64()
      for start in stride(from: 0, to: count, by: size) {
        bytes[start..<min(start + size, count)].withUnsafeBytes { xxh.update($0) }
      }
      #expect(xxh.value == hash, "\(size)")
      #expect(xxh.byteCount == UInt64(count))
    }
  }
}
