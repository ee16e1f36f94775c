/// A buffer of little-endian numbers.
package struct LittleEndianBytes {
  package var bytes: [UInt8] = []

  package init() {}

  package mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }
}
