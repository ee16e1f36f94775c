/// MD5 (RFC 1321): the hash that FFmpeg's `framemd5` prints, for comparing media, not for security.
package struct MD5: Sendable {
  private var state: (UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476
  )
  private var length: UInt64 = 0
  /// Input that does not yet fill a block of 64 bytes.
  private var rest: [UInt8] = []

  package init() { rest.reserveCapacity(64) }

  /// Returns the hash of `bytes` in lower-case hexadecimal.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var hash = MD5()
    Array(bytes).withUnsafeBytes { hash.update($0) }
    return hash.finalizeHex()
  }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let missing = min(64 - rest.count, bytes.count)
      rest.append(contentsOf: bytes.prefix(missing))
      bytes = bytes.dropFirst(missing)
      guard rest.count == 64 else { return }
      let block = rest
      block.withUnsafeBytes { process($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count & ~63
    process(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
    rest.append(contentsOf: bytes.dropFirst(whole))
  }

  /// Returns the hash.
  ///
  /// No bytes may be added afterwards.
  package mutating func finalize() -> [UInt8] {
    let bits = length &* 8
    var tail: [UInt8] = [0x80]
    while (rest.count + tail.count) % 64 != 56 { tail.append(0) }
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      tail.append(UInt8(truncatingIfNeeded: bits >> shift))
    }
    tail.withUnsafeBytes { update($0) }
    return [state.0, state.1, state.2, state.3].flatMap { word in
      [UInt32(0), 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }

  /// Returns the hash in lower-case hexadecimal.
  ///
  /// No bytes may be added afterwards.
  package mutating func finalizeHex() -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  /// Processes whole blocks.
  ///
  /// `bytes.count` is a multiple of 64, so every load is within bounds.
  private mutating func process(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    var (a0, b0, c0, d0) = state
    for offset in stride(from: 0, to: bytes.count, by: 64) {
      let block = base + offset
      @inline(__always) func word(_ index: Int) -> UInt32 {
        UInt32(littleEndian: block.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
      }
      @inline(__always) func step(
        _ mixed: UInt32, _ a: UInt32, _ b: UInt32, _ index: Int, _ constant: UInt32,
        _ rotation: UInt32
      ) -> UInt32 {
        let sum = a &+ mixed &+ constant &+ word(index)
        return (sum &<< rotation | sum &>> (32 &- rotation)) &+ b
      }
      var (a, b, c, d) = (a0, b0, c0, d0)
      @inline(__always) func f(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 {
        z ^ (x & (y ^ z))
      }
      @inline(__always) func g(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 {
        (x & z) &+ (y & ~z)
      }
      @inline(__always) func h(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { x ^ y ^ z }
      @inline(__always) func i(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { y ^ (x | ~z) }
      a = step(f(b, c, d), a, b, 0, 0xD76A_A478, 7)
      d = step(f(a, b, c), d, a, 1, 0xE8C7_B756, 12)
      c = step(f(d, a, b), c, d, 2, 0x2420_70DB, 17)
      b = step(f(c, d, a), b, c, 3, 0xC1BD_CEEE, 22)
      a = step(f(b, c, d), a, b, 4, 0xF57C_0FAF, 7)
      d = step(f(a, b, c), d, a, 5, 0x4787_C62A, 12)
      c = step(f(d, a, b), c, d, 6, 0xA830_4613, 17)
      b = step(f(c, d, a), b, c, 7, 0xFD46_9501, 22)
      a = step(f(b, c, d), a, b, 8, 0x6980_98D8, 7)
      d = step(f(a, b, c), d, a, 9, 0x8B44_F7AF, 12)
      c = step(f(d, a, b), c, d, 10, 0xFFFF_5BB1, 17)
      b = step(f(c, d, a), b, c, 11, 0x895C_D7BE, 22)
      a = step(f(b, c, d), a, b, 12, 0x6B90_1122, 7)
      d = step(f(a, b, c), d, a, 13, 0xFD98_7193, 12)
      c = step(f(d, a, b), c, d, 14, 0xA679_438E, 17)
      b = step(f(c, d, a), b, c, 15, 0x49B4_0821, 22)
      a = step(g(b, c, d), a, b, 1, 0xF61E_2562, 5)
      d = step(g(a, b, c), d, a, 6, 0xC040_B340, 9)
      c = step(g(d, a, b), c, d, 11, 0x265E_5A51, 14)
      b = step(g(c, d, a), b, c, 0, 0xE9B6_C7AA, 20)
      a = step(g(b, c, d), a, b, 5, 0xD62F_105D, 5)
      d = step(g(a, b, c), d, a, 10, 0x0244_1453, 9)
      c = step(g(d, a, b), c, d, 15, 0xD8A1_E681, 14)
      b = step(g(c, d, a), b, c, 4, 0xE7D3_FBC8, 20)
      a = step(g(b, c, d), a, b, 9, 0x21E1_CDE6, 5)
      d = step(g(a, b, c), d, a, 14, 0xC337_07D6, 9)
      c = step(g(d, a, b), c, d, 3, 0xF4D5_0D87, 14)
      b = step(g(c, d, a), b, c, 8, 0x455A_14ED, 20)
      a = step(g(b, c, d), a, b, 13, 0xA9E3_E905, 5)
      d = step(g(a, b, c), d, a, 2, 0xFCEF_A3F8, 9)
      c = step(g(d, a, b), c, d, 7, 0x676F_02D9, 14)
      b = step(g(c, d, a), b, c, 12, 0x8D2A_4C8A, 20)
      a = step(h(b, c, d), a, b, 5, 0xFFFA_3942, 4)
      d = step(h(a, b, c), d, a, 8, 0x8771_F681, 11)
      c = step(h(d, a, b), c, d, 11, 0x6D9D_6122, 16)
      b = step(h(c, d, a), b, c, 14, 0xFDE5_380C, 23)
      a = step(h(b, c, d), a, b, 1, 0xA4BE_EA44, 4)
      d = step(h(a, b, c), d, a, 4, 0x4BDE_CFA9, 11)
      c = step(h(d, a, b), c, d, 7, 0xF6BB_4B60, 16)
      b = step(h(c, d, a), b, c, 10, 0xBEBF_BC70, 23)
      a = step(h(b, c, d), a, b, 13, 0x289B_7EC6, 4)
      d = step(h(a, b, c), d, a, 0, 0xEAA1_27FA, 11)
      c = step(h(d, a, b), c, d, 3, 0xD4EF_3085, 16)
      b = step(h(c, d, a), b, c, 6, 0x0488_1D05, 23)
      a = step(h(b, c, d), a, b, 9, 0xD9D4_D039, 4)
      d = step(h(a, b, c), d, a, 12, 0xE6DB_99E5, 11)
      c = step(h(d, a, b), c, d, 15, 0x1FA2_7CF8, 16)
      b = step(h(c, d, a), b, c, 2, 0xC4AC_5665, 23)
      a = step(i(b, c, d), a, b, 0, 0xF429_2244, 6)
      d = step(i(a, b, c), d, a, 7, 0x432A_FF97, 10)
      c = step(i(d, a, b), c, d, 14, 0xAB94_23A7, 15)
      b = step(i(c, d, a), b, c, 5, 0xFC93_A039, 21)
      a = step(i(b, c, d), a, b, 12, 0x655B_59C3, 6)
      d = step(i(a, b, c), d, a, 3, 0x8F0C_CC92, 10)
      c = step(i(d, a, b), c, d, 10, 0xFFEF_F47D, 15)
      b = step(i(c, d, a), b, c, 1, 0x8584_5DD1, 21)
      a = step(i(b, c, d), a, b, 8, 0x6FA8_7E4F, 6)
      d = step(i(a, b, c), d, a, 15, 0xFE2C_E6E0, 10)
      c = step(i(d, a, b), c, d, 6, 0xA301_4314, 15)
      b = step(i(c, d, a), b, c, 13, 0x4E08_11A1, 21)
      a = step(i(b, c, d), a, b, 4, 0xF753_7E82, 6)
      d = step(i(a, b, c), d, a, 11, 0xBD3A_F235, 10)
      c = step(i(d, a, b), c, d, 2, 0x2AD7_D2BB, 15)
      b = step(i(c, d, a), b, c, 9, 0xEB86_D391, 21)
      a0 = a0 &+ a
      b0 = b0 &+ b
      c0 = c0 &+ c
      d0 = d0 &+ d
    }
    state = (a0, b0, c0, d0)
  }
}
