extension FixedWidthInteger {
  /// The number's bytes, highest first.
  public var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
