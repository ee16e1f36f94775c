import Glibc
import Respool
import RespoolMedia

/// One file of the batch and its plan.
struct BatchFile {
  /// Number of the file in the batch, in the order in which the files were found.
  let number: Int
  private(set) var path: String
  /// Path below the input, for the output's folder tree.
  let relative: String
  let size: Int64
  /// Modification time in nanoseconds since 1970.
  let modified: Int64
  /// Time of the last change of content or attributes, in nanoseconds since 1970.
  let changed: Int64
  let inode: Int64
  var plan: FilePlan
  /// Path of the output.
  ///
  /// Empty before the output has a name.
  var output = ""
  /// Name of the output below the output folder.
  var outputName = ""
  /// The file at the output's path that is to be replaced.
  var replaced = ReplacedOutput.none
  /// `true` if the output existed and was up to date before the batch.
  private(set) var isDoneAlready = false
  /// `true` if an earlier batch had the result, and nothing has changed since; of a file whose output is up to date, only
  /// if the source is incomplete.
  private(set) var isRemembered = false
  /// Path of the output below the output folder, if that is made of this source and gets a new name.
  private(set) var formerOutputName: String?
  /// Path below the output folder of an output that was made of this source when it had another name, and that is removed
  /// when the new one is there; `nil` if there is none.
  var outdatedOutputName: String?
  /// Seconds that a worker needed to plan the file or to examine its existing output.
  var planningSeconds = 0.0
  /// `true` if a filter or a condition of the user leaves the file out.
  var isExcluded: Bool { plan.isExcluded }

  /// Creates a file without a plan.
  init(_ number: Int, _ found: Walker.Found) {
    self.number = number
    (path, relative) = (found.path, found.relative)
    (size, modified, changed, inode) = (found.size, found.modified, found.changed, found.inode)
    plan = found.skipReason.map { FilePlan(action: .skip, reason: $0) } ?? FilePlan(action: .fail)
  }

  /// Creates a file or folder that is left out.
  init(_ number: Int, _ problem: Walker.Problem) {
    self.number = number
    (path, relative) = (problem.path, PathName.last(problem.path))
    (size, modified, changed, inode) = (0, 0, 0, 0)
    plan = FilePlan(action: problem.isHarmless ? .skip : .fail, reason: problem.reason)
    plan.isExcluded = problem.isExcluded
  }

  /// `true` if the file has no plan yet.
  var isUnplanned: Bool { plan.action == .fail && plan.reason == nil }

  /// Extension of the output that is to get a name; `nil` if none is.
  var neededExtension: String? {
    if isToConvert { return plan.outputExtension }
    return formerOutputName.map { PathName.splitExtension(PathName.last($0)).extension }
  }

  /// `true` if an existing file at the output's path is to be replaced.
  var replaces: Bool { replaced != .none }

  /// `true` if the file is to be converted or copied.
  var isToConvert: Bool { plan.action == .convert || plan.action == .copy }

  /// `true` if the source is gone, or another one than it was when it was found.
  var hasChanged: Bool {
    var status = stat()
    guard PathName.withSystemPath(path, { stat($0, &status) }) == 0 else { return true }
    return FileStamp(status) != FileStamp(size: size, modified: modified)
  }

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

  /// Skips the file because its output is up to date, with the reason if its source is incomplete.
  mutating func settleAsDone(incomplete: String? = nil) {
    let more = incomplete.map { ", but \($0)" } ?? ""
    plan = FilePlan(action: .skip, reason: "the output already exists" + more)
    (isDoneAlready, isRemembered) = (true, incomplete != nil)
  }

  /// `true` if the output is up to date, and was made of an incomplete source.
  var isDoneOfIncomplete: Bool { isDoneAlready && isRemembered }

  /// Skips the file because its output, which is named `name`, is up to date and only needs its new name.
  mutating func settleAsMoved(from name: String) {
    plan = FilePlan(
      action: .skip, reason: "the source was moved, and its output moves too, from \(name)")
    isDoneAlready = true
    formerOutputName = name
  }

  /// Takes back that the output only needs another name, so that the file is planned.
  mutating func unsettle() {
    plan = FilePlan(action: .fail)
    outdatedOutputName = formerOutputName ?? outdatedOutputName
    (isDoneAlready, formerOutputName, output, outputName) = (false, nil, "", "")
  }

  /// Gives the file the result that an earlier batch had.
  mutating func settleAsRemembered(_ plan: FilePlan) {
    self.plan = plan
    isRemembered = true
  }
}

// A planned file as one line, for the list of the files that wait, and for plans.
extension BatchFile {
  /// Description with absolute paths.
  var absolute: BatchFile {
    var file = self
    file.path = PathName.absolute(path)
    if !output.isEmpty { file.output = PathName.absolute(output) }
    return file
  }

  init?(line: some Sequence<UInt8>) {
    var fields = MessageFields(line: line)
    guard let number: Int = fields.value(), let path = fields.text(), let relative = fields.text(),
      let size: Int64 = fields.value(), let modified: Int64 = fields.value(),
      let changed: Int64 = fields.value(), let inode: Int64 = fields.value(),
      let output = fields.text(), let outputName = fields.text(),
      let replaced = ReplacedOutput(&fields), let isDoneAlready: Bool = fields.value(),
      let isRemembered: Bool = fields.value()
    else { return nil }
    let (former, outdated) = (fields.optionalText(), fields.optionalText())
    guard let plan = FilePlan(&fields) else { return nil }
    (self.isDoneAlready, self.isRemembered) = (isDoneAlready, isRemembered)
    (formerOutputName, outdatedOutputName) = (former, outdated)
    (self.number, self.path, self.relative, self.plan) = (number, path, relative, plan)
    (self.size, self.modified, self.changed, self.inode) = (size, modified, changed, inode)
    (self.output, self.outputName, self.replaced) = (output, outputName, replaced)
  }

  var line: [UInt8] {
    var fields = MessageFields()
    fields.put(number)
    fields.put(path)
    fields.put(relative)
    for value in [size, modified, changed, inode] { fields.put(value) }
    fields.put(output)
    fields.put(outputName)
    replaced.put(into: &fields)
    fields.put(isDoneAlready)
    fields.put(isRemembered)
    fields.put(optional: formerOutputName)
    fields.put(optional: outdatedOutputName)
    plan.put(into: &fields)
    return fields.line
  }
}
