/// A number or an arithmetic expression as the value of a filter's option, such as `iw-80` or `(in_w-out_w)/2`.
///
/// FFmpeg's expressions (av_expr_parse) without functions and units.
struct FilterExpression {
  /// Values of names.
  private let names: [String: Double]
  private var rest: Substring
  private var depth = 0

  /// Maximum number of brackets and signs within each other.
  private static let deepest = 32

  /// Returns the value of a text; `nil` if it is no expression, or has names that are not known.
  static func value(_ text: String, _ names: [String: Double]) -> Double? {
    var expression = FilterExpression(names: names, rest: text.filter { $0 != " " }[...])
    guard let value = expression.sum(), expression.rest.isEmpty, value.isFinite else { return nil }
    return value
  }

  private init(names: [String: Double], rest: Substring) { (self.names, self.rest) = (names, rest) }

  private mutating func sum() -> Double? {
    guard var value = product() else { return nil }
    while let sign = take("+-") {
      guard let other = product() else { return nil }
      value = sign == "+" ? value + other : value - other
    }
    return value
  }

  private mutating func product() -> Double? {
    guard var value = operand() else { return nil }
    while let sign = take("*/") {
      guard let other = operand() else { return nil }
      value = sign == "*" ? value * other : value / other
    }
    return value
  }

  private mutating func operand() -> Double? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { return nil }
    if let sign = take("+-") { return operand().map { sign == "-" ? -$0 : $0 } }
    if take("(") != nil {
      guard let value = sum(), take(")") != nil else { return nil }
      return value
    }
    let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
    rest = rest.dropFirst(word.count)
    if let value = names[String(word)] { return value }
    return word.first?.isLetter == true ? nil : Double(word)
  }

  private mutating func take(_ characters: String) -> Character? {
    guard let first = rest.first, characters.contains(first) else { return nil }
    rest = rest.dropFirst()
    return first
  }
}
