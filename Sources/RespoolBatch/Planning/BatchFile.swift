import Respool
import RespoolMedia

/// One file of the batch and its plan.
struct BatchFile {
  let path: String
  /// Path below the input, for the output's folder tree.
  let relative: String
  let size: Int64
  /// Modification time in nanoseconds since 1970.
  let modified: Int64
  /// Time of the last change of content or attributes, in nanoseconds since 1970.
  let changed: Int64
  let inode: Int64
  /// Device and inode; `nil` if unknown.
  let identity: FileIdentity?
  var plan: FilePlan
  /// Path of the output.
  ///
  /// Empty before the output has a name.
  var output = ""
  /// Name of the output below the output folder.
  var outputName = ""
  /// `true` if the existing file at the output's path is to be replaced.
  private(set) var replaces = false
  /// `true` if the output existed and was up to date before the batch.
  private(set) var isDoneAlready = false
  /// `true` if an earlier batch had the result, and nothing has changed since.
  private(set) var isRemembered = false
  /// Path of the output below the output folder, if that is made of this source and gets a new name.
  private(set) var formerOutputName: String?
  /// `true` if a filter of the user leaves the file out.
  let isExcluded: Bool

  init(
    path: String, relative: String, size: Int64 = 0, modified: Int64 = 0, changed: Int64 = 0,
    inode: Int64 = 0, identity: FileIdentity? = nil,
    plan: FilePlan = FilePlan(action: .fail), isExcluded: Bool = false
  ) {
    self.isExcluded = isExcluded
    self.path = path
    self.relative = relative
    self.size = size
    self.modified = modified
    self.changed = changed
    self.inode = inode
    self.identity = identity
    self.plan = plan
  }

  /// `true` if the file has no plan yet.
  var isUnplanned: Bool { plan.action == .fail && plan.reason == nil }

  /// `true` if the file is to be converted or copied.
  var isToConvert: Bool { plan.action == .convert || plan.action == .copy }

  /// Returns the file with an output at a path below the output folder.
  func named(_ name: String, in folder: String) -> BatchFile {
    var file = self
    (file.outputName, file.output) = (name, PathName.join(folder, name))
    return file
  }

  mutating func fail(_ reason: String) { plan = FilePlan(action: .fail, reason: reason) }

  /// Lets the file fail because its output exists and may be the user's own work.
  mutating func keepOutput(_ reason: String) {
    fail("the output already exists, but \(reason); --on-exists replace overwrites it")
  }

  /// Skips the file because its output is up to date.
  mutating func settleAsDone() {
    plan = FilePlan(action: .skip, reason: "the output already exists")
    isDoneAlready = true
  }

  /// Skips the file because its output is up to date and only needs the name `outputName`.
  mutating func settleAsMoved(from name: String) {
    plan = FilePlan(
      action: .skip, reason: "the source was moved, and so was the output from \(name)")
    isDoneAlready = true
    formerOutputName = name
  }

  /// Takes back that the output only needs another name.
  mutating func unsettle() {
    plan = FilePlan(action: .fail)
    (isDoneAlready, formerOutputName, output, outputName) = (false, nil, "", "")
  }

  /// Gives the file the result that an earlier batch had.
  mutating func settleAsRemembered(_ plan: FilePlan) {
    self.plan = plan
    isRemembered = true
  }

  /// Has the existing output replaced.
  ///
  /// `reason` is `nil` if the user has requested that for all files.
  mutating func replaceOutput(_ reason: String?) {
    replaces = true
    if let reason { plan.reason = reason }
  }
}
