extension Int16 {
  /// Creates an 8.8 fixed-point number, rounded and clamped; 0 if the value is not a number.
  init(fixedPoint value: Double) {
    self = value.isNaN ? 0 : Int16(Swift.min(Swift.max(value * 256, -32768), 32767).rounded())
  }
}

extension UInt32 {
  /// Creates a 16.16 fixed-point number, rounded and clamped; 0 if the value is not a number.
  init(fixedPoint value: Double) {
    self = value.isNaN ? 0 : UInt32(Swift.min(Swift.max(value * 65536, 0), 4_294_967_295).rounded())
  }
}
