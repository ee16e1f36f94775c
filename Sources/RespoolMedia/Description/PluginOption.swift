/// A value for an option of a plugin, see ``OptionSchema``.
public struct PluginOption: Hashable, Sendable {
  /// Name in lower case, with words joined by `-`.
  public var name: String
  /// Value as text: `true`, `25`, `1.5`, `slow`.
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [PluginOption] {
  /// Returns these options and those of `others` whose names they do not have.
  package func completed(by others: [PluginOption]) -> [PluginOption] {
    others.filter { other in !contains { $0.name == other.name } } + self
  }
}
