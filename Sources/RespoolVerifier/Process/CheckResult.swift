/// The result of one check of a plugin.
public struct CheckResult: Hashable, Sendable {
  /// Name of the check, such as `demuxer toy: random bytes`.
  public var name: String
  public var outcome: Outcome
  /// Text that says what was found and, if the check failed, what was expected.
  public var detail: String
  /// Names of other checks that failed for the same reason.
  public var others: [String] = []
  /// Cause of the failure, if the reason says more than that.
  var cause: String?

  /// Outcome of a check.
  public enum Outcome: String, Hashable, Sendable {
    case passed, failed
    /// Nothing was compared, for the reason that the detail states.
    case skipped
  }

  public init(name: String, outcome: Outcome, detail: String) {
    self.name = name
    self.outcome = outcome
    self.detail = detail
  }

  init(name: String, passed: Bool, detail: String) {
    self.init(name: name, outcome: passed ? .passed : .failed, detail: detail)
  }

  public var passed: Bool { outcome == .passed }
  public var failed: Bool { outcome == .failed }

  /// Returns the results with one failure for each cause.
  ///
  /// The first check that failed for a cause stays, and names the others. Two reasons are one cause if they differ
  /// only in numbers.
  static func folded(_ results: [CheckResult]) -> [CheckResult] {
    var kept: [CheckResult] = []
    var places: [String: Int] = [:]
    for result in results {
      guard result.failed else {
        kept.append(result)
        continue
      }
      let cause = cause(result.cause ?? result.detail)
      if let place = places[cause] {
        kept[place].others.append(result.name)
        if result.detail.hasSuffix(stopped), !kept[place].detail.hasSuffix(stopped) {
          kept[place].detail += stopped
        }
      } else {
        places[cause] = kept.count
        kept.append(result)
      }
    }
    return kept
  }

  /// The end of the reason of the last check of a factory, if others were not run.
  static let stopped = "; some checks were not run after this"

  /// Returns a reason without its numbers.
  static func cause(_ reason: String) -> String {
    var text = ""
    for character in reason.hasSuffix(stopped) ? reason.dropLast(stopped.count) : reason[...] {
      guard character.isNumber || character == "-" else {
        text.append(character)
        continue
      }
      if text.last != "#" { text.append("#") }
    }
    return text
  }
}

/// The failure of a check: what was found and what was expected.
struct Finding: Error, Hashable {
  var words: String
  /// Cause by which findings are recognized as the same; differs from `words` if these say more.
  var cause: String
  /// `true` if nothing was compared, for the reason in `words`: the check is skipped.
  var isSkip = false

  init(_ words: String, cause: String? = nil) {
    self.words = words
    self.cause = cause ?? words
  }

  /// Runs what another check depends on; throws if it fails, but not if it is skipped.
  static func require(_ body: () throws(Finding) -> String) throws(Finding) {
    do throws(Finding) { _ = try body() } catch { if !error.isSkip { throw error } }
  }

  /// Returns the reason why a check compares nothing.
  static func skipped(_ words: String) -> Finding {
    var finding = Finding(words)
    finding.isSkip = true
    return finding
  }
}
