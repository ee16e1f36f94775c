import RespoolHost
import RespoolMedia

/// Outputs that get other names by a plan, because their sources were renamed before it was made.
///
/// They come first: files that are converted may get the names that these outputs leave.
final class PlannedMoves {
  private let plan: PlanFile
  private let results: BatchResults
  private let moved: MovedOutputs
  /// Number of the last file that was read.
  private var last: Int64 = -1
  private var hasRead = false
  /// Files whose outputs are to get names that others have, which move too.
  private var blocked: [BatchFile] = []
  private static let mostBlocked = 4096

  init(_ plan: PlanFile, _ results: BatchResults, _ moved: MovedOutputs) {
    (self.plan, self.results, self.moved) = (plan, results, moved)
  }

  /// Renames outputs, and returns their files with results; `nil` after the last ones.
  ///
  /// An output that an earlier process has renamed counts as done. Throws `malformed` and `io` if the plan cannot be read.
  func next() throws(MediaError) -> [BatchFile]? {
    guard !hasRead else { return nil }
    if last < 0 { try plan.checkMoves() }
    let some = try plan.moves(after: last)
    if let file = some.last { last = Int64(file.number) } else { hasRead = true }
    var settled: [BatchFile] = []
    var files = blocked
    for file in some {
      if isDone(file) {
        settled.append(file)
      } else if let reason = file.reasonAgainstPlan {
        var file = file
        file.fail(reason)
        settled.append(file)
      } else {
        files.append(file)
      }
    }
    let waiting = Set(moved.move(&files))
    let isLast = hasRead || waiting.count > Self.mostBlocked
    blocked = isLast ? [] : files.filter { waiting.contains($0.number) }
    for var file in files where isLast || !waiting.contains(file.number) {
      if waiting.contains(file.number) { file.unsettle() }
      if file.isUnplanned { file.fail(Self.failure) }
      settled.append(file)
    }
    return settled
  }

  /// Reason of a file whose output cannot get its name.
  static let failure = "the output of the moved source cannot be moved; plan again"

  /// Returns `true` if the output of a file has its new name.
  func isDone(_ file: BatchFile) -> Bool {
    guard case .finished(file.outputName, _) = results.finding(for: file) else { return false }
    return true
  }
}

extension BatchFile {
  /// Reason why a plan cannot be followed for the source; `nil` if it is as it was then.
  var reasonAgainstPlan: String? {
    if !fileExists(path) { return "the source is gone since the plan was made" }
    return hasChanged ? "the source has changed since the plan was made" : nil
  }
}
