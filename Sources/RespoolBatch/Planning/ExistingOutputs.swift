import Glibc
import RespoolHost
import RespoolMedia

/// The files that exist already at the paths of outputs, and the decisions on them.
struct ExistingOutputs {
  private let options: BatchOptions
  private let inputs: InputPaths
  private let results: BatchResults
  private let subtitles: FilmSubtitles
  private var folder: OutputFolder { results.folder }

  init(
    _ options: BatchOptions, _ inputs: InputPaths, _ results: BatchResults,
    _ subtitles: FilmSubtitles
  ) {
    (self.options, self.inputs, self.results) = (options, inputs, results)
    self.subtitles = subtitles
  }

  /// Decides whether a file is converted if a file with its output's name exists.
  ///
  /// `relocated` are the names of outputs whose sources have been found under other names. Returns `true` if a worker has
  /// to examine that file first: only readable outputs count as finished.
  func judge(_ file: inout BatchFile, relocated: Set<PathKey>) -> Bool {
    guard fileExists(file.output) else { return false }
    if options.replacement != nil {
      if PathKey(file.outputName) == PathKey(file.relative) {
        file.replaced = .any
      } else {
        file.fail(
          "the output \(file.outputName) exists already and is another file; move one of the two")
      }
      return false
    }
    if options.onExists == .fail {
      file.fail("the output already exists")
      return false
    }
    var input = Set([FileIdentity(file.path)].compactMap(\.self))
    if isInput(file.output), let other = FileIdentity(file.output) { input.insert(other) }
    if let obstacle = PendingFile.obstacle(at: file.output, inputs: input) {
      // If a folder is converted into itself, a source may have the name of its own output.
      let isItself =
        PathKey(PathName.last(file.output)) == PathKey(PathName.last(file.path))
        && FileIdentity(PathName.folder(file.output)) == FileIdentity(PathName.folder(file.path))
      file.plan = FilePlan(
        action: isItself && options.onExists == .skip ? .skip : .fail,
        reason: "the output \(obstacle)")
      return false
    }
    if options.onExists == .replace {
      // A file that gets the name later is not one that the user wanted to be replaced.
      file.replaced = KnownFile(file.output, like: nil).map(ReplacedOutput.known) ?? .any
      return false
    }
    switch results.standing(of: file) {
    case .finished:
      if let reason = changedSubtitles(of: file) {
        replaceOutput(of: &file, reason)
      } else {
        file.settleAsDone()
      }
    case .outdated(let reason): replaceOutput(of: &file, reason)
    case .foreign(let reason): file.keepOutput(reason)
    case .orphaned(let reason):
      if relocated.contains(PathKey(file.outputName)) {
        replaceOutput(of: &file, "the source of the existing output has another name now")
      } else {
        file.keepOutput(reason)
      }
    case .unknown: return true
    }
    return false
  }

  /// Decides whether a file is converted as it was planned if a file with its output's name exists, or did so before.
  func judgePlanned(_ file: inout BatchFile) {
    guard fileExists(file.output) else {
      if file.replaced != .any { file.replaced = .none }
      return
    }
    switch file.replaced {
    case .any:
      if let obstacle = PendingFile.obstacle(at: file.output, inputs: []) {
        file.fail("the output \(obstacle)")
      }
    case .known(let known) where known.isAt(file.output): break
    case .known, .none:
      // The plan may have been done before, with a source that was incomplete.
      if case .outdated(let reason) = results.standing(of: file) {
        replaceOutput(of: &file, reason)
      } else {
        file.fail(
          file.replaces
            ? "the output has been changed since the plan was made"
            : "the output exists now, which it did not when the plan was made")
      }
    }
  }

  /// Has the existing output replaced, unless another file gets its name meanwhile.
  ///
  /// A link stays: it is not what a batch has made.
  private func replaceOutput(of file: inout BatchFile, _ reason: String) {
    let entry = folder.entry(ofOutput: file.outputName)
    if let known = KnownFile(file.output, like: entry?.knownOutput) {
      file.replaced = .known(known)
      file.plan.reason = reason
    } else if fileExists(file.output) {
      file.keepOutput("\(reason), and the output is a link now")
    }
  }

  /// Returns `true` if the recorded reason for a file that was skipped still holds.
  func stillHolds(_ entry: LedgerEntry, of file: BatchFile) -> Bool {
    entry.result != .skipped || subtitles.holds(entry.reason, of: file.path)
  }

  /// Returns a sentence about files of subtitles that have changed since the output was made; `nil` if none has.
  ///
  /// A replaced film has none: it is not converted again.
  func changedSubtitles(of file: BatchFile) -> String? {
    guard options.replacement == nil,
      let entry = folder.currentEntry(ofOutput: file.outputName), let mark = entry.output?.mark
    else { return nil }
    let made = PluginVersions.subtitles(in: entry.plugins)
    guard !subtitles.isUnchanged(of: file.path, made, at: mark.changed) else { return nil }
    let now = subtitles.mark(of: file.path)
    guard now != made else { return nil }
    if let made, now.count != made.count {
      let verb = now.count < made.count ? "removed" : "added"
      return "a file of subtitles was \(verb) since the output was made"
    }
    return (subtitles.changed(of: file.path, after: mark.changed) ?? "a file of subtitles")
      + " has changed since the output was made"
  }

  /// Returns `true` if the output of a moved source, which is named `name`, was made with the files of subtitles that the
  /// source has now.
  func hasSameSubtitles(_ file: BatchFile, outputNamed name: String) -> Bool {
    guard subtitles.isWanted, let entry = folder.entry(ofOutput: name),
      let mark = entry.output?.mark
    else { return true }
    let made = PluginVersions.subtitles(in: entry.plugins)
    let now = subtitles.mark(of: file.path)
    if let made, made.hash != nil { return made == now }
    let count = made?.count ?? 0
    if count == 0, now.count == 0 { return true }
    // Only a folder that is moved with its files leaves their times of change as they were.
    return now.count == count && entry.sourceMark?.changed == file.changed
      && PathName.last(entry.source) == PathName.last(file.path)
      && subtitles.changed(of: file.path, after: mark.changed) == nil
  }

  /// Returns `true` if an existing file is an input of the batch, or another name of one that earlier batches had.
  private func isInput(_ path: String) -> Bool {
    if inputs.contain(path) { return true }
    var status = stat()
    guard PathName.withSystemPath(path, { stat($0, &status) }) == 0, status.st_nlink > 1 else {
      return false
    }
    return folder.sources(inode: Int64(bitPattern: UInt64(status.st_ino))).contains {
      FileIdentity($0) == FileIdentity(status) && inputs.contain($0)
    }
  }

  /// Applies the result of an examination.
  func apply(_ examination: OutputExamination, to file: inout BatchFile) {
    let entry = folder.entry(ofOutput: file.outputName)
    let isRecorded = entry.map { !$0.isFound } ?? false
    let isChanged = isRecorded && folder.hasOtherContent(file)
    switch examination {
    case .unreadable(let problem): file.keepOutput("cannot be read: \(problem)")
    case .cut(let reason) where isRecorded:
      // The rest of an output that an earlier batch made is not the user's work.
      replaceOutput(of: &file, "the output is cut off: \(reason)")
    case .cut(let reason): file.keepOutput("is cut off: \(reason)")
    case .whole where isChanged, .ofAnotherLength where isRecorded,
      .ofOtherTracks where isRecorded:
      file.keepOutput("it has been changed since it was made")
    case .ofAnotherLength(let reason), .ofOtherTracks(let reason): file.keepOutput(reason)
    case .whole where options.strict && !isRecorded:
      file.keepOutput("the ledger does not state what it has lost")
    case .whole:
      keepFound(file, isRecorded ? entry : nil)
      file.settleAsDone()
    }
  }

  /// Puts an output that was examined into the ledger, so that the next batch need not examine it.
  ///
  /// `entry` is that of the batch that made it; `nil` if there is none.
  private func keepFound(_ file: BatchFile, _ entry: LedgerEntry?) {
    var status = stat()
    guard PathName.withSystemPath(file.output, { stat($0, &status) }) == 0 else { return }
    var entry = entry ?? foundEntry(of: file)
    entry.output = LedgerEntry.Output(
      name: file.outputName, stamp: FileStamp(status),
      mark: ContentMark(path: file.output, changed: status.changed))
    folder.put(entry)
  }

  /// Returns an entry for an output that no batch is known to have made: plugins and losses are unknown.
  private func foundEntry(of file: BatchFile) -> LedgerEntry {
    var entry = results.newEntry(of: file, file.plan.action == .copy ? .copied : .converted)
    (entry.attempts, entry.plugins) = (0, "")
    return entry
  }
}
