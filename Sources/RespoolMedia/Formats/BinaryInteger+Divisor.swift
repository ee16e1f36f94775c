extension BinaryInteger {
  /// The greatest common divisor of two numbers that are not negative; 0 only for two zeros.
  @inlinable package func greatestCommonDivisor(_ other: Self) -> Self {
    var (a, b) = (self, other)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
