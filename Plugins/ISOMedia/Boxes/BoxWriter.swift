import RespoolPlugin

/// A writer of boxes in memory.
///
/// Sizes are filled in when a box is closed.
struct BoxWriter {
  private(set) var bytes: [UInt8] = []

  mutating func u8(_ value: UInt8) { bytes.append(value) }
  mutating func big<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
  mutating func u16(_ value: UInt16) { big(value) }
  mutating func u32(_ value: UInt32) { big(value) }
  mutating func u64(_ value: UInt64) { big(value) }
  mutating func i16(_ value: Int16) { big(value) }
  mutating func i32(_ value: Int32) { big(value) }
  mutating func code(_ value: FourCC) { big(value.rawValue) }
  mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }
  mutating func raw(_ part: some Sequence<UInt8>) { bytes.append(contentsOf: part) }

  mutating func versionAndFlags(_ version: UInt8, _ flags: UInt32 = 0) {
    u32(UInt32(version) << 24 | flags & 0xFF_FFFF)
  }

  /// Writes a 32-bit number, or a 64-bit one if the version of the box is 1.
  mutating func number(_ value: UInt64, version: UInt8) {
    if version == 1 { u64(value) } else { u32(UInt32(clamping: value)) }
  }

  mutating func words(_ values: some Collection<UInt32>) {
    bytes.reserveCapacity(bytes.count + values.count * 4)
    for value in values { big(value) }
  }

  /// Writes a box with the payload that `body` writes.
  mutating func box(_ type: FourCC, _ body: (inout BoxWriter) -> Void) {
    let start = bytes.count
    u32(0)
    code(type)
    body(&self)
    let size = bytes.count - start
    guard let small = UInt32(exactly: size) else {
      // Only boxes of 4 GiB or more need a 64-bit size.
      var header = BoxWriter()
      header.u32(1)
      header.code(type)
      header.u64(UInt64(size) + 8)
      bytes.replaceSubrange(start..<start + 8, with: header.bytes)
      return
    }
    withUnsafeBytes(of: small.bigEndian) { size in
      for index in 0..<4 { bytes[start + index] = size[index] }
    }
  }

  mutating func write(_ value: some Box) {
    box(type(of: value).type) { value.write(to: &$0) }
  }
}
