/// One option of a plugin: what a preset may set, and how it is checked and explained.
public struct OptionSchema: Hashable, Sendable {
  public enum ValueType: Hashable, Sendable {
    /// `true` or `false`.
    case bool
    /// A whole number within the bounds, both inclusive.
    case int(ClosedRange<Int>)
    /// A number within the bounds, both inclusive.
    case number(ClosedRange<Double>)
    /// One of the words.
    case choice([String])
    /// Any text; the plugin checks it when it opens.
    case text
  }

  /// Lower case, words joined by `-`.
  public var name: String
  public var type: ValueType
  /// nil: unset.
  public var defaultValue: String?
  /// One line.
  public var help: String

  public init(_ name: String, _ type: ValueType, default value: String? = nil, help: String) {
    self.name = name
    self.type = type
    self.defaultValue = value
    self.help = help
  }
}

extension OptionSchema {
  /// What is wrong with `value`, as a sentence that says what would be right; nil where it is valid.
  public func problem(with value: String) -> String? {
    switch type {
    case .bool:
      return value == "true" || value == "false"
        ? nil : "\(name) is \"\(value)\"; it takes true or false"
    case .int(let range):
      guard let number = Int(value), range.contains(number) else {
        return "\(name) is \"\(value)\"; it takes a whole number from \(range.lowerBound) to "
          + "\(range.upperBound)"
      }
      return nil
    case .number(let range):
      guard let number = Double(value), range.contains(number) else {
        return "\(name) is \"\(value)\"; it takes a number from \(range.lowerBound) to "
          + "\(range.upperBound)"
      }
      return nil
    case .choice(let words):
      return words.contains(value)
        ? nil : "\(name) is \"\(value)\"; it takes one of \(words.joined(separator: ", "))"
    case .text: return nil
    }
  }
}
