import Respool
import RespoolMedia

/// One file of the batch and where it stands.
struct BatchFile {
  var path: String
  /// Path below the input, for the tree of the output.
  var relative: String
  var size: Int64
  /// Nanoseconds since 1970.
  var modified: Int64
  var plan = FilePlan(action: .fail)
  /// Empty before the output has a name.
  var output = ""
  /// Name of the output below the output folder.
  var outputName = ""
  /// While it is converted.
  var pending: PendingFile?
  /// `true` if what is at the output's name is to be replaced.
  var replaces = false
  /// `true` if the output was there and up to date before the batch.
  var isDoneAlready = false
  /// `true` if its output, which no record knows, has to be looked at.
  var needsExamination = false
  /// `true` until it is known what became of it.
  var isOpen = true
  var isRunning = false
  /// `true` after the worker that had it has died.
  var isRetry = false
  var started: Double?
  var fraction = 0.0

  init(path: String, relative: String, size: Int64 = 0, modified: Int64 = 0) {
    self.path = path
    self.relative = relative
    self.size = size
    self.modified = modified
  }

  /// `true` if it is not known yet what is to be done with the file.
  var isUnplanned: Bool { plan.action == .fail && plan.reason == nil }

  /// `true` if there is work to be done with the file.
  var isToConvert: Bool { plan.action == .convert || plan.action == .copy }
}

/// Counts of what became of files.
struct BatchTally {
  private var counts: [BatchEvent.Status: Int] = [:]
  var doneAlready = 0
  var incomplete = 0
  /// Outputs with losses.
  var withLosses = 0
  /// Expected work that is done, in units of `FilePlan.cost`.
  var work = 0.0
  /// Seconds of media that are done.
  var media = 0.0

  subscript(status: BatchEvent.Status) -> Int {
    get { counts[status, default: 0] }
    set { counts[status] = newValue }
  }

  var total: Int { counts.values.reduce(0, +) }
}
