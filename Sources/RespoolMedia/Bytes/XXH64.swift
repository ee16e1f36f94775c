/// XXH64 (xxHash Fast Digest Algorithm 0.1.1) with seed 0: a fast hash for finding accidental changes, not for security.
///
/// The hash does not depend on how the bytes are divided into updates.
package struct XXH64: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
  private static let stripe = 32

  /// Number of bytes that were added.
  package private(set) var byteCount: UInt64 = 0
  private var lanes: SIMD4<UInt64> = [prime1 &+ prime2, prime2, 0, 0 &- prime1]
  /// Bytes that do not yet fill a stripe.
  private var rest: [UInt8] = []

  package init() { rest.reserveCapacity(Self.stripe) }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let missing = min(Self.stripe - rest.count, bytes.count)
      rest.append(contentsOf: bytes.prefix(missing))
      bytes = bytes.dropFirst(missing)
      guard rest.count == Self.stripe else { return }
      let stripe = rest
      stripe.withUnsafeBytes { process($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count & ~(Self.stripe - 1)
    process(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
    rest.append(contentsOf: bytes.dropFirst(whole))
  }

  /// Hash of the bytes that were added.
  package var value: UInt64 {
    var hash = Self.prime5
    if byteCount >= Self.stripe {
      let (one, two, three, four) = (lanes[0], lanes[1], lanes[2], lanes[3])
      hash = Self.rotate(one, 1) &+ Self.rotate(two, 7)
      hash &+= Self.rotate(three, 12) &+ Self.rotate(four, 18)
      for lane in [one, two, three, four] {
        hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
      }
    }
    hash &+= byteCount
    var rest = rest[...]
    while rest.count >= 8 {
      hash = Self.rotate(hash ^ Self.round(0, Self.number(rest.prefix(8))), 27)
      hash = hash &* Self.prime1 &+ Self.prime4
      rest = rest.dropFirst(8)
    }
    if rest.count >= 4 {
      hash = Self.rotate(hash ^ Self.number(rest.prefix(4)) &* Self.prime1, 23)
      hash = hash &* Self.prime2 &+ Self.prime3
      rest = rest.dropFirst(4)
    }
    for byte in rest { hash = Self.rotate(hash ^ UInt64(byte) &* Self.prime5, 11) &* Self.prime1 }
    hash = (hash ^ hash >> 33) &* Self.prime2
    hash = (hash ^ hash >> 29) &* Self.prime3
    return hash ^ hash >> 32
  }

  /// Processes whole stripes.
  ///
  /// `bytes.count` is a multiple of 32, so every load is within bounds.
  private mutating func process(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    var (one, two, three, four) = (lanes[0], lanes[1], lanes[2], lanes[3])
    for offset in stride(from: 0, to: bytes.count, by: Self.stripe) {
      @inline(__always) func word(_ index: Int) -> UInt64 {
        UInt64(
          littleEndian: base.loadUnaligned(fromByteOffset: offset &+ index &* 8, as: UInt64.self))
      }
      one = Self.round(one, word(0))
      two = Self.round(two, word(1))
      three = Self.round(three, word(2))
      four = Self.round(four, word(3))
    }
    lanes = [one, two, three, four]
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value &<< count | value &>> (64 &- count)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
