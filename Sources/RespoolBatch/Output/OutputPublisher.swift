import Glibc
import Respool
import RespoolMedia

/// The publisher of outputs: each is written under a temporary name and gets its own when it is complete.
final class OutputPublisher {
  private let options: BatchOptions
  private let folder: OutputFolder
  private let planner: BatchPlanner
  private let report: BatchReport
  /// Number of threads for each conversion.
  private var threads = 1
  /// Folders with new names that may not be on the disk yet.
  private var unsynced: Set<PathKey> = []
  private var lastSync = monotonicSeconds()
  private let freeSpace: FreeSpace
  /// Unfinished outputs by the number of their file.
  private var pending: [Int: Unfinished] = [:]

  /// An output that a worker writes.
  private struct Unfinished {
    let file: PendingFile
    /// Holds the lock on the file until it has its name.
    let open: OpenFile
    /// Attributes that the output gets when it is complete; `nil` for those of a new file.
    let attributes: FileAttributes?
  }

  init(
    _ options: BatchOptions, _ folder: OutputFolder, _ planner: BatchPlanner, _ report: BatchReport
  ) {
    self.options = options
    self.folder = folder
    self.planner = planner
    self.report = report
    freeSpace = FreeSpace(options.output, patience: options.spacePatience, report)
  }

  /// Prepares the conversion of files by a number of workers at a time.
  func prepare(_ files: [Int], workers: Int) {
    for folder in Set(files.map { PathKey(PathName.folder(planner.files[$0].output)) }) {
      PendingFile.removeAbandoned(in: folder.path)
    }
    threads = max(1, coreCount() / workers)
  }

  /// Removes what a killed batch has left in the folders of all outputs.
  ///
  /// Its workers end a little after it, and hold their files until then.
  func removeRemains() {
    guard folder.followsKilledBatch else { return }
    let folders = Set(
      planner.files.lazy.filter { !$0.output.isEmpty }.map { PathKey(PathName.folder($0.output)) })
    let deadline = monotonicSeconds() + 2
    for folder in folders {
      while PendingFile.removeAbandoned(in: folder.path) > 0, monotonicSeconds() < deadline {
        usleep(20_000)
      }
    }
  }

  /// Removes the outputs that were not finished.
  func discardUnfinished() { for index in Array(pending.keys) { discard(index) } }

  /// Writes the names of the outputs to the disk.
  ///
  /// At most once a second and at the end, because each time costs as much as syncing a small file.
  func syncFolders() {
    lastSync = monotonicSeconds()
    for folder in unsynced {
      do throws(MediaError) { try syncFolder(folder.path) } catch {
        report.warn("the names of new files may be lost in a power cut: \(error)")
      }
    }
    unsynced = []
  }

  /// Gives a complete temporary file its final name.
  private func publish(_ index: Int, _ answer: WorkerAnswer) {
    let losses = answer.losses ?? []
    let file = planner.files[index]
    let incomplete =
      answer.incomplete
      ?? (hasChanged(file) ? "the source has changed since the batch began" : nil)
    if let reason = options.reasonToFail(losses: losses, incomplete: incomplete) {
      discard(index)
      report.finished(index, .failed, reason, incomplete: incomplete)
      return
    }
    if let open = pending[index]?.open, let reason = options.limits.excess(ofOutput: open) {
      discard(index)
      report.finished(index, .failed, "the process that converted the file \(reason)")
      return
    }
    guard let unfinished = pending.removeValue(forKey: index) else { return }
    // Its lock ends with this function.
    defer { withExtendedLifetime(unfinished.open) {} }
    let output = unfinished.file
    unfinished.attributes?.apply(to: unfinished.open.descriptor)
    // The entry comes first, so that a batch that is killed meanwhile knows whose output it finds.
    var entry = entry(of: file, answer, incomplete, at: output.path)
    entry.seconds = report.seconds(of: index)
    folder.put(entry)
    do throws(MediaError) {
      try output.complete(replacing: file.replaces, syncingFolder: false)
    } catch {
      var reason = error
      reason.file = nil
      return fail(index, reason.description)
    }
    unsynced.insert(PathKey(PathName.folder(file.output)))
    if monotonicSeconds() - lastSync > 1 { syncFolders() }
    if let made = entry.output { folder.published(made) }
    for problem in folder.takeProblems() { report.warn(problem) }
    report.finished(
      index, file.plan.action == .copy ? .copied : .converted, losses: losses,
      notes: answer.notes ?? [], incomplete: incomplete)
  }

  /// Returns the entry of an output that is complete and has a temporary path.
  private func entry(
    of file: BatchFile, _ answer: WorkerAnswer, _ incomplete: String?, at path: String
  ) -> LedgerEntry {
    var entry = planner.newEntry(of: file, file.plan.action == .copy ? .copied : .converted)
    entry.losses = answer.losses ?? []
    entry.isIncomplete = incomplete != nil
    var status = stat()
    // The file stays as it is; renaming it changes only its time of change.
    _ = PathName.withSystemPath(path) { stat($0, &status) }
    entry.output = LedgerEntry.Output(
      name: file.outputName, stamp: FileStamp(status),
      mark: ContentMark(path: path, changed: status.changed), isPublished: false)
    return entry
  }

  /// Returns `true` if a source has changed since the folders were walked.
  private func hasChanged(_ file: BatchFile) -> Bool {
    var status = stat()
    guard PathName.withSystemPath(file.path, { stat($0, &status) }) == 0 else { return true }
    return FileStamp(status) != FileStamp(size: file.size, modified: file.modified)
  }
}

/// Conversion, as work for workers.
extension OutputPublisher: WorkStage {
  func request(for index: Int, isRetry: Bool) -> WorkerRequest? {
    let file = planner.files[index]
    let folder = PathName.folder(file.output)
    guard
      options.keepsAttributes
        ? makeFolder(folder, asFolderOf: PathName.folder(file.path)) : makeFolder(folder)
    else {
      fail(index, "the output folder cannot be created: \(errorText(errno))")
      return nil
    }
    let output = PendingFile(for: file.output)
    do throws(MediaError) {
      let source = try FileSource(path: file.path)
      let created = try output.naming { () throws(MediaError) in
        try OpenFile(
          creating: output.path,
          permissions: options.keepsAttributes ? source.attributes.whileWriting : 0o666)
      }
      pending[index] = Unfinished(
        file: output, open: created,
        attributes: options.keepsAttributes ? source.attributes : nil)
      return WorkerRequest(
        task: .convert, file: index, input: file.path, output: output.path,
        threads: isRetry ? coreCount() : threads,
        files: [try OpenFile(source), created])
    } catch {
      discard(index)
      var reason = error
      if reason.file == file.path { reason.file = nil }
      fail(index, reason.description)
      return nil
    }
  }

  func memory(of index: Int) -> Int64 { planner.files[index].plan.memory }

  func space(for index: Int, beside running: Set<Int>) -> FreeSpace.Answer {
    let file = planner.files[index]
    return freeSpace.answer(
      for: index, of: file.plan.size, in: PathName.folder(file.output),
      taken: running.reduce(0) { $0 &+ planner.files[$1].plan.size / 2 }, isAlone: running.isEmpty)
  }

  func take(_ answer: WorkerAnswer) -> Bool {
    if answer.kind == .converted {
      publish(answer.file, answer)
    } else {
      discard(answer.file)
      if answer.lacksSpace {
        let file = planner.files[answer.file]
        freeSpace.ranOut(answer.file, of: file.plan.size, in: PathName.folder(file.output))
        return false
      }
      if answer.isLasting, !hasChanged(planner.files[answer.file]) {
        planner.keepLastingResult(of: answer.file, isFailed: true, answer.message)
      }
      report.finished(answer.file, .failed, answer.message)
    }
    return true
  }

  func discard(_ index: Int) {
    guard let unfinished = pending.removeValue(forKey: index) else { return }
    // The worker may still have the file open, which would keep its space on the disk.
    _ = ftruncate(unfinished.open.descriptor, 0)
    unfinished.file.discard()
  }

  func fail(_ index: Int, _ reason: String) { report.finished(index, .failed, reason) }
}
