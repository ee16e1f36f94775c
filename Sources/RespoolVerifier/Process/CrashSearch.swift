import RespoolMedia

/// A check that a process has begun.
struct BegunCheck: Hashable {
  var number: Int
  var name: String
}

/// The search for the check that damaged the memory in which another check crashed.
///
/// The check that crashed is run alone in a new process. If it passes there, halves of the checks before it are run
/// before it, until one is left.
struct CrashSearch {
  /// Result of the search.
  enum Outcome: Hashable {
    /// The check crashes alone too.
    case itself
    /// The check crashes only after another one, for the reason in words.
    case other(BegunCheck, String)
    /// The crash does not happen again; the words are the end of the reason.
    case unknown(String)
  }

  let crashed: BegunCheck
  let reason: String
  /// Results of the check that crashed when it was run alone.
  private(set) var alone: [CheckResult] = []
  private var suspects: [BegunCheck]
  private var isAlone = true
  /// `true` if the crash is known to happen after the suspects.
  private var isConfirmed = false
  /// The other suspects if the tried half is innocent.
  private var rest: [BegunCheck] = []

  init(crashed: BegunCheck, reason: String, earlier: [BegunCheck]) {
    (self.crashed, self.reason, suspects) = (crashed, reason, earlier)
  }

  /// Numbers of the checks that the next process runs.
  var wanted: Set<Int> {
    Set((isAlone ? [] : suspects.map(\.number)) + [crashed.number])
  }

  /// Takes the answer of a process; `nil` if another one is needed.
  mutating func take(_ answer: Answer) -> Outcome? {
    let hasCrashed = !answer.isComplete
    if isAlone {
      if hasCrashed { return .itself }
      alone = answer.results
      isAlone = false
      split()
      return nil
    }
    if hasCrashed {
      // A suspect may have crashed itself, after one of those before it.
      if let last = answer.begun.last, let place = suspects.firstIndex(of: last) {
        suspects = Array(suspects[...place])
      }
      if suspects.count == 1 { return .other(suspects[0], words) }
      isConfirmed = true
    } else {
      guard !rest.isEmpty else {
        return .unknown("; the check alone passes, and the crash did not happen again")
      }
      (suspects, rest) = (rest, [])
      if suspects.count == 1, isConfirmed { return .other(suspects[0], words) }
      // The other half is tried before it is divided.
      if !isConfirmed { return nil }
    }
    split()
    return nil
  }

  private mutating func split() {
    let middle = (suspects.count + 1) / 2
    rest = Array(suspects[middle...])
    suspects = Array(suspects[..<middle])
  }

  private var words: String {
    "\(reason), in the check \"\(crashed.name)\" that followed: alone, that check passes; "
      + "memory was damaged before, or a state was left"
  }
}
