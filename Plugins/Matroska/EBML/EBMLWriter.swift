import RespoolPlugin

/// A writer of EBML elements (RFC 8794), each with an identifier, a size and a payload.
struct EBMLWriter {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  mutating func append(_ other: [UInt8]) { bytes += other }

  /// Appends an identifier.
  ///
  /// Its first byte determines its length.
  mutating func identifier(_ id: ElementID) {
    let value = id.rawValue
    let length = max(1, (32 - value.leadingZeroBitCount + 7) / 8)
    for index in (0..<length).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(index * 8)))
    }
  }

  /// Appends a size in the minimum number of bytes, or in `length` bytes.
  mutating func size(_ value: Int, length: Int? = nil) { bytes += Self.size(value, length: length) }

  static func size(_ value: Int, length: Int? = nil) -> [UInt8] {
    var length = length ?? 1
    // All ones mean an unknown size (RFC 8794 6.2), hence the 2.
    while length < 8, value + 2 > 1 << (7 * length) { length += 1 }
    let marked = UInt64(value) | 1 << UInt64(7 * length)
    return (0..<length).reversed().map { UInt8(truncatingIfNeeded: marked >> UInt64($0 * 8)) }
  }

  mutating func binary(_ id: ElementID, _ payload: some Collection<UInt8>) {
    identifier(id)
    size(payload.count)
    bytes += payload
  }

  mutating func unsigned(_ id: ElementID, _ value: UInt64, length: Int? = nil) {
    let length = length ?? max(1, (64 - value.leadingZeroBitCount + 7) / 8)
    binary(id, (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) })
  }

  mutating func unsigned(_ id: ElementID, _ value: Int) {
    unsigned(id, UInt64(clamping: value))
  }

  mutating func signed(_ id: ElementID, _ value: Int64) {
    let significant = 65 - (value < 0 ? ~value : value).leadingZeroBitCount
    let length = max(1, (significant + 7) / 8)
    binary(id, (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) })
  }

  mutating func float(_ id: ElementID, _ value: Double) {
    let bits = value.bitPattern
    binary(id, (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> UInt64($0 * 8)) })
  }

  mutating func text(_ id: ElementID, _ value: String) { binary(id, Array(value.utf8)) }

  /// Appends an element with child elements.
  mutating func master(_ id: ElementID, _ fill: (inout EBMLWriter) -> Void) {
    var inner = EBMLWriter()
    fill(&inner)
    binary(id, inner.bytes)
  }

  /// Appends a Void element of `count` bytes in total, at least 2.
  mutating func void(_ count: Int) {
    guard count >= 2 else { return }
    identifier(.void)
    // Size fields of one and of eight bytes suffice for every count.
    let length = count - 2 <= 126 ? 1 : 8
    let payload = count - 1 - length
    size(payload, length: length)
    bytes += [UInt8](repeating: 0, count: payload)
  }
}
