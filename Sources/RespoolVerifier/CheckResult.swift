/// The result of one check of a plugin.
public struct CheckResult: Hashable, Sendable {
  /// Name of the check, such as `demuxer toy: random bytes`.
  public var name: String
  public var passed: Bool
  /// Text that says what was found and, if the check failed, what was expected.
  public var detail: String

  public init(name: String, passed: Bool, detail: String) {
    self.name = name
    self.passed = passed
    self.detail = detail
  }
}

/// The failure of a check: what was found and what was expected.
struct Finding: Error {
  var words: String
  init(_ words: String) { self.words = words }
}
