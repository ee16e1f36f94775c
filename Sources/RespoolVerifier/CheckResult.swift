/// What one check of a plugin came to.
public struct CheckResult: Hashable, Sendable {
  /// What was looked at, such as `demuxer toy: random bytes`.
  public var name: String
  public var passed: Bool
  /// What was found; where the check failed, also what was expected.
  public var detail: String

  public init(name: String, passed: Bool, detail: String) {
    self.name = name
    self.passed = passed
    self.detail = detail
  }
}

/// Why a check failed: what was found and what was expected.
struct Finding: Error {
  var words: String
  init(_ words: String) { self.words = words }
}
