import Respool
import RespoolMedia

/// One file of the batch and its state.
struct BatchFile {
  var path: String
  /// Path below the input, for the output's folder tree.
  var relative: String
  var size: Int64
  /// Modification time in nanoseconds since 1970.
  var modified: Int64
  var plan = FilePlan(action: .fail)
  /// Path of the output.
  ///
  /// Empty before the output has a name.
  var output = ""
  /// Name of the output below the output folder.
  var outputName = ""
  /// Temporary file during the conversion.
  var pending: PendingFile?
  /// `true` if the existing file at the output's path is to be replaced.
  var replaces = false
  /// `true` if the output existed and was up to date before the batch.
  var isDoneAlready = false
  /// `true` if the output exists, is not in the record and has to be examined.
  var needsExamination = false
  /// `true` until the result of the file is known.
  var isOpen = true
  var isRunning = false
  /// `true` after the death of the worker that processed the file.
  var isRetry = false
  var started: Double?
  var fraction = 0.0

  init(path: String, relative: String, size: Int64 = 0, modified: Int64 = 0) {
    self.path = path
    self.relative = relative
    self.size = size
    self.modified = modified
  }

  /// `true` if the file has no plan yet.
  var isUnplanned: Bool { plan.action == .fail && plan.reason == nil }

  /// `true` if the file is to be converted or copied.
  var isToConvert: Bool { plan.action == .convert || plan.action == .copy }
}

/// Counts of files by result.
struct BatchTally {
  private var counts: [BatchEvent.Status: Int] = [:]
  var doneAlready = 0
  var incomplete = 0
  /// Number of outputs with losses.
  var withLosses = 0
  /// Expected work that is finished, in units of `FilePlan.cost`.
  var work = 0.0
  /// Duration of the finished media in seconds.
  var media = 0.0

  subscript(status: BatchEvent.Status) -> Int {
    get { counts[status, default: 0] }
    set { counts[status] = newValue }
  }

  var total: Int { counts.values.reduce(0, +) }
}
