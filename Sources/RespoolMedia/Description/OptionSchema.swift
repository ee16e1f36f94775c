/// One option of a plugin that a preset may set, with its type, default and help.
public struct OptionSchema: Hashable, Sendable {
  /// Type of an option's value, with its bounds or choices.
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

  /// Name in lower case, with words joined by `-`.
  public var name: String
  public var type: ValueType
  /// Default value.
  ///
  /// `nil` if the option is unset by default.
  public var defaultValue: String?
  /// Description for users, one line.
  public var help: String

  public init(_ name: String, _ type: ValueType, default value: String? = nil, help: String) {
    self.name = name
    self.type = type
    self.defaultValue = value
    self.help = help
  }
}

extension OptionSchema {
  /// Returns a message that states why `value` is invalid and which values are valid; `nil` if it is valid.
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
