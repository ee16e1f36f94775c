extension Double {
  /// The number with at most three decimals, without decimals if it is whole.
  package var decimalText: String {
    guard magnitude < 1e12 else { return "\(self)" }
    let thousandths = (self * 1000).rounded() / 1000
    return thousandths == thousandths.rounded() ? "\(Int(thousandths))" : "\(thousandths)"
  }
}

extension Rational {
  /// A rate as people write it: `30`, or `29.97` for 30000/1001.
  package var decimalText: String {
    let reduced = self.reduced
    return reduced.denominator == 1 ? "\(reduced.numerator)" : reduced.doubleValue.decimalText
  }
}
