import Glibc
import Respool
import RespoolMedia

/// The publisher of outputs: each is written under a temporary name and gets its own when it is complete.
final class OutputPublisher {
  private let options: BatchOptions
  private let folder: OutputFolder
  private let planner: BatchPlanner
  private let report: BatchReport
  /// Identity of the preset's content.
  private let preset: String
  /// Number of threads for each conversion.
  private var threads = 1
  /// Folders with new names that may not be on the disk yet.
  private var unsynced: Set<PathKey> = []
  private var lastSync = monotonicSeconds()
  /// Unfinished outputs by the number of their file.
  private var pending: [Int: PendingFile] = [:]

  init(
    _ options: BatchOptions, _ folder: OutputFolder, _ planner: BatchPlanner, _ report: BatchReport,
    preset: String
  ) {
    self.options = options
    self.folder = folder
    self.planner = planner
    self.report = report
    self.preset = preset
  }

  /// Prepares the conversion of files by a number of workers at a time.
  func prepare(_ files: [Int], workers: Int) {
    for folder in Set(files.map { PathKey(PathName.folder(planner.files[$0].output)) }) {
      PendingFile.removeAbandoned(in: folder.path)
    }
    threads = max(1, coreCount() / workers)
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
    do throws(MediaError) {
      try pending.removeValue(forKey: index)?
        .complete(replacing: file.replaces, syncingFolder: false)
    } catch {
      var reason = error
      reason.file = nil
      return fail(index, reason.description)
    }
    unsynced.insert(PathKey(PathName.folder(file.output)))
    if monotonicSeconds() - lastSync > 1 { syncFolders() }
    if let problem = folder.record(
      file, preset: preset, losses: losses.count, isIncomplete: incomplete != nil)
    {
      report.warn(problem)
    }
    report.finished(
      index, file.plan.action == .copy ? .copied : .converted, losses: losses,
      notes: answer.notes ?? [], incomplete: incomplete)
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
    pending[index] = output
    return WorkerRequest(
      task: .convert, file: index, input: file.path, output: output.path,
      threads: isRetry ? coreCount() : threads, keepsAttributes: options.keepsAttributes)
  }

  func memory(of index: Int) -> Int64 { planner.files[index].plan.memory }

  func take(_ answer: WorkerAnswer) {
    if answer.kind == .converted {
      publish(answer.file, answer)
    } else {
      discard(answer.file)
      report.finished(answer.file, .failed, answer.message)
    }
  }

  func discard(_ index: Int) { pending.removeValue(forKey: index)?.discard() }

  func fail(_ index: Int, _ reason: String) { report.finished(index, .failed, reason) }
}
