import Glibc
import Respool
import RespoolMedia

/// The publisher of outputs: each is written under a temporary name and gets its own when it is complete.
final class OutputPublisher {
  private let options: BatchOptions
  let results: BatchResults
  private var folder: OutputFolder { results.folder }
  let report: BatchReport
  /// `nil` if sources stay.
  private let replacer: Replacer?
  /// Files that wait for their conversion.
  let waiting: PlannedFiles
  /// Files that other batches are converting, which share the work.
  private let claimed: ClaimedFiles
  /// Files that are being converted, by number.
  var files: [Int: BatchFile] = [:]
  /// Number of threads for each conversion; `nil` before the first one.
  private var threads: Int?
  /// Bytes that files may take together: a part of the memory that was available before the first one.
  private let memory = AvailableMemory.share() ?? .max
  /// Folders of outputs that are open, without what killed batches have left in them, by their paths.
  private var folders: [PathKey: HeldFolder] = [:]
  /// Folders with new names that may not be on the disk yet.
  private var unsynced: [PathKey: HeldFolder] = [:]
  private var lastSync = monotonicSeconds()
  private let freeSpace: FreeSpace
  private let subtitles: FilmSubtitles
  /// Returns `true` unless other processes have taken over, or may take over, the work on the file with a number.
  var mayPublish: (Int) -> Bool = { _ in true }
  /// Gives back the work on the file with a number to other processes, and on the files with which it was taken; `nil` if
  /// there are no others.
  var giveBack: ((Int) -> Void)?
  /// Returns `true` if another process has taken over the work on the file with a number.
  var isTaken: (Int) -> Bool = { _ in false }
  /// Beginning of the names of temporary files; empty if no other machine makes outputs in the folder.
  var owner = ""
  /// Unfinished outputs by the number of their file.
  private var pending: [Int: Unfinished] = [:]

  /// An output that a worker writes.
  struct Unfinished {
    let file: PendingFile
    let folder: HeldFolder
    /// The file that is converted, even if its path names another one meanwhile.
    let source: FileSource
    /// Holds the lock on the file until it has its name.
    let open: OpenFile
    /// Attributes that the output gets when it is complete; `nil` for those of a new file.
    let attributes: FileAttributes?
    /// Files of subtitles beside the source when the work began; `nil` if none are wanted.
    let subtitles: SubtitleMark?
  }

  init(
    _ options: BatchOptions, _ results: BatchResults, _ report: BatchReport,
    _ replacer: Replacer? = nil
  ) {
    self.replacer = replacer
    subtitles = FilmSubtitles(isWanted: options.attachesSidecars)
    (self.options, self.results, self.report) = (options, results, report)
    freeSpace = FreeSpace(options.output, patience: options.spacePatience, report)
    waiting = PlannedFiles(in: PathName.join(options.output, OutputFolder.stateName))
    claimed = ClaimedFiles(results, report)
  }

  /// Sets the number of threads of each conversion, before the first one.
  ///
  /// `workers` is the number of conversions at a time, and `most` the greatest one.
  func prepare(workers: Int, most: Int) {
    guard threads == nil else { return }
    threads =
      options.threads
      ?? folder.threads(
        standard: max(1, coreCount() / workers), preset: options.preset, workers: most)
  }

  /// Number of folders that are held open; those of a million outputs would need too many descriptors.
  private static let mostFolders = 32

  /// Opens the folder of a file's output, and removes what a killed batch has left in it.
  private func open(folderOf file: BatchFile) throws(MediaError) -> HeldFolder {
    let path = PathName.folder(file.output)
    if let folder = folders[PathKey(path)], folder.isAtPath { return folder }
    let opened = try folder.folder(
      ofOutput: file, keepsAttributes: options.keepsAttributes,
      followingLinks: options.followsLinks)
    // Locks of other machines may be unknown here.
    if owner.isEmpty { PendingFile.removeAbandoned(in: opened) }
    if folders.count >= Self.mostFolders { folders = [:] }
    folders[PathKey(path)] = opened
    return opened
  }

  /// Removes what a killed batch has left in all folders; the last one of those that share the work does that.
  func removeRemains() {
    guard owner.isEmpty, folder.followsKilledBatch || folder.noticesOthers(), folder.isLast else {
      return
    }
    folder.removeRemains()
  }

  /// Removes the outputs that were not finished.
  func discardUnfinished() { for index in Array(pending.keys) { discard(index) } }

  /// Writes the names of the outputs to the disk.
  ///
  /// At most once a second and at the end, because each time costs as much as syncing a small file.
  func syncFolders() {
    lastSync = monotonicSeconds()
    for folder in unsynced.values {
      let number = folder.sync()
      guard number != 0 else { continue }
      report.warn(
        "the names of new files may be lost in a power cut: "
          + MediaError.system("cannot be written", number, file: folder.path).description)
    }
    unsynced = [:]
  }

  /// Writes the names and results to the disk that have been kept for a second or more.
  func storeIfDue() {
    guard monotonicSeconds() - lastSync > 1 else { return }
    results.store()
    if !unsynced.isEmpty { syncFolders() }
    lastSync = monotonicSeconds()
  }

  /// Gives a complete temporary file its final name.
  private func publish(_ file: BatchFile, _ answer: WorkerAnswer, seconds: Double) {
    guard mayPublish(file.number) else {
      discard(file.number)
      return leave(file)
    }
    let losses = answer.losses ?? []
    let fate = pending[file.number].map { SourceFate(of: file, $0.source) }
    let incomplete =
      answer.incomplete
      ?? (fate == .changed ? "the source has changed since it was found" : nil)
      ?? changeOfSubtitles(of: file)
    if let reason = options.reasonToFail(losses: losses, incomplete: incomplete) {
      discard(file.number)
      return end(
        file, reason, isLasting: replacer != nil && answer.incomplete != nil,
        incomplete: incomplete, seconds: seconds)
    }
    if replacer != nil, let doubt = answer.doubt {
      discard(file.number)
      return end(file, "\(doubt): kept the original", isLasting: true, seconds: seconds)
    }
    if let open = pending[file.number]?.open,
      let reason = options.limits.excess(ofOutput: open)
    {
      discard(file.number)
      return end(file, "the process that converted the file \(reason)", seconds: seconds)
    }
    if let replacer, let open = pending[file.number]?.open,
      keepsOriginal(file, open, replacer.rules, seconds: seconds)
    {
      discard(file.number)
      leave(file)
      return
    }
    guard let unfinished = pending.removeValue(forKey: file.number) else { return }
    // Its lock ends with this function.
    defer { withExtendedLifetime(unfinished.open) {} }
    if let replacer { return replace(file, by: unfinished, answer, replacer, seconds: seconds) }
    let output = unfinished.file
    guard unfinished.folder.isAtPath else {
      output.discard()
      return end(
        file, "the folder of the output was moved or replaced while the file was converted",
        seconds: seconds)
    }
    if let problem = file.problemOfExistingOutput {
      output.discard()
      return end(file, problem, seconds: seconds)
    }
    unfinished.attributes?.apply(to: unfinished.open.descriptor)
    // The entry comes first, so that a batch that is killed meanwhile knows whose output it finds.
    var entry = entry(of: file, answer, incomplete, unfinished)
    entry.seconds = seconds
    // After a power cut, an output that replaces another must not have the entry of that one, nor the other its entry:
    // it would look as if the user had changed it. An output without an entry has unknown losses.
    let isSyncDue =
      file.replaces || monotonicSeconds() - lastSync > 1 || unsynced.count >= Self.mostFolders
    let displaced = folder.entries(displacedBy: entry)
    if !folder.put(entry, isDurable: isSyncDue || options.strict), giveBack != nil {
      output.discard()
      let problems = folder.takeProblems()
      return giveBack(file, problems.first ?? "the result of \(file.path) cannot be stored")
    }
    do throws(MediaError) {
      try output.complete(of: file)
    } catch {
      folder.takeBack(entry, puttingBack: displaced)
      if giveBack(file, error) { return }
      // The other one has been quicker.
      if isTaken(file.number) { return leave(file) }
      var reason = error
      reason.file = nil
      return end(file, reason.description, seconds: seconds)
    }
    unsynced[PathKey(PathName.folder(file.output))] = unfinished.folder
    if isSyncDue { syncFolders() }
    let removed = folder.removeOutdated(file) ? file.outdatedOutputName : nil
    if let made = entry.output { folder.published(made) }
    for problem in folder.takeProblems() { report.warn(problem) }
    leave(file)
    report.finished(
      file, file.plan.action == .copy ? .copied : .converted, losses: losses,
      notes: (answer.notes ?? []) + (fate?.notes ?? [])
        + (removed.map {
          ["\($0) was removed: it was made of this source when that had another name"]
        } ?? []),
      incomplete: incomplete, seconds: seconds)
  }

  /// Returns a sentence if the files of subtitles beside the source are others than when the work began.
  private func changeOfSubtitles(of file: BatchFile) -> String? {
    guard let before = pending[file.number]?.subtitles, fileExists(file.path),
      subtitles.mark(of: file.path) != before
    else { return nil }
    return "its files of subtitles have changed since the conversion began"
  }

  /// Lets a file fail; with `isLasting`, it will fail until it, the preset or a plugin changes.
  func end(
    _ file: BatchFile, _ reason: String?, isLasting: Bool = false, incomplete: String? = nil,
    seconds: Double = 0
  ) {
    if isLasting {
      results.keepLasting(file, isFailed: true, reason)
    } else {
      results.keepPassing(file, isFailed: true, reason)
    }
    leave(file)
    report.finished(file, .failed, reason, incomplete: incomplete, seconds: seconds)
  }

  /// Gives back the work on a file that has found the disk full to other processes; returns `false` if there are none.
  private func giveBack(_ file: BatchFile, _ error: MediaError) -> Bool {
    guard error.detail == .diskFull, giveBack != nil else { return false }
    giveBack(file, error.description)
    return true
  }

  private func giveBack(_ file: BatchFile, _ reason: String) {
    results.store()
    syncFolders()
    giveBack?(file.number)
    leave(file)
    report.warn("\(reason); this process gives back the file, and those that it took with it")
  }

  /// Ends the work on a file, which has its result in the ledger.
  func leave(_ file: BatchFile) {
    files[file.number] = nil
    // A batch that joins and gets the claim must find the result.
    results.store()
    folder.claims.release(file.outputName)
  }

  /// Returns the entry of an output that is complete and has a temporary path.
  func entry(
    of file: BatchFile, _ answer: WorkerAnswer, _ incomplete: String?, _ unfinished: Unfinished
  ) -> LedgerEntry {
    let path = unfinished.file.path
    var entry = results.newEntry(
      of: file, file.plan.action == .copy ? .copied : .converted, from: unfinished.source)
    if let mark = unfinished.subtitles {
      entry.plugins = PluginVersions.text(entry.plugins, with: mark)
    }
    entry.losses = answer.losses ?? []
    entry.isIncomplete = incomplete != nil
    entry.reason = answer.incomplete
    var status = stat()
    // The file stays as it is; renaming it changes only its time of change.
    _ = PathName.withSystemPath(path) { stat($0, &status) }
    entry.output = LedgerEntry.Output(
      name: file.outputName, stamp: FileStamp(status),
      mark: ContentMark(path: path, changed: status.changed), isPublished: false,
      isNew: !file.replaces)
    return entry
  }
}

/// Conversion, as work for workers.
extension OutputPublisher {
  /// A file that may be converted now, or the reason why none is.
  enum Next {
    case file(BatchFile)
    /// A running file has to end first, or the batch waits for room on the disk.
    case later
    case none
  }

  /// Returns the next file; files for which there is no room fail.
  ///
  /// `isPlanned` is `true` if no other file will wait later.
  func next(isPlanned: Bool) throws(MediaError) -> Next {
    for file in claimed.takeDue() { waiting.insert(file) }
    while let file = try waiting.first() {
      guard giveBack == nil || mayPublish(file.number) else {
        waiting.removeFirst()
        continue
      }
      guard hasMemory(for: file) else { return .later }
      guard claimed.claim(file) else {
        waiting.removeFirst()
        continue
      }
      let space = freeSpace.answer(
        for: file, taken: running.reduce(0) { $0 &+ $1.plan.size / 2 },
        isAlone: pending.isEmpty)
      switch space {
      case .enough:
        claimed.endWaiting()
        return .file(file)
      case .later:
        // A file that is gone must not keep others waiting.
        guard !fileExists(file.path) else { return .later }
        freeSpace.resume()
        waiting.removeFirst()
        end(file, "the source was removed while it waited for room")
      case .none(let reason):
        waiting.removeFirst()
        if giveBack != nil { giveBack(file, reason) } else { end(file, reason) }
      }
    }
    return claimed.areLeft(isIdle: isPlanned && files.isEmpty) ? .later : .none
  }

  /// Takes the next file out of the list of those that wait.
  func takeNext(_ file: BatchFile) {
    waiting.removeFirst()
    files[file.number] = file
  }

  /// Lets a file wait again.
  func putBack(_ number: Int) {
    guard let file = files.removeValue(forKey: number) else { return }
    folder.claims.release(file.outputName)
    waiting.insert(file)
  }

  /// Returns `true` if the file with an inode is being converted, under this or another name.
  func isConverting(_ inode: Int64) -> Bool { files.values.contains { $0.inode == inode } }

  /// Files whose outputs are being made.
  private var running: [BatchFile] { pending.keys.compactMap { files[$0] } }

  /// Returns `true` if there is memory for a file beside the running ones; one that needs more than there is runs
  /// alone.
  private func hasMemory(for file: BatchFile) -> Bool {
    let taken = running.reduce(Int64(0)) { $0 &+ $1.plan.memory }
    return taken == 0 || file.plan.memory <= memory - taken
  }

  /// Returns the request for a file; `nil` if its output cannot be created: it has failed, or waits for room.
  func request(for file: BatchFile) -> WorkerRequest? {
    do throws(MediaError) {
      let folder = try open(folderOf: file)
      let output = PendingFile(for: file.output, in: folder, owner: owner)
      let source = try FileSource(path: file.path)
      let created = try output.create(
        permissions: options.keepsAttributes ? source.attributes.whileWriting : 0o666)
      pending[file.number] = Unfinished(
        file: output, folder: folder, source: source, open: created,
        attributes: options.keepsAttributes ? source.attributes : nil,
        subtitles: subtitles.isWanted ? subtitles.mark(of: file.path) : nil)
      // An original that cannot be replaced is found before the work.
      try replacer?.check(file, created, keepsAttributes: options.keepsAttributes)
      var request = WorkerRequest(
        task: .convert, file: file.number, input: file.path, output: output.path,
        threads: threads, checksSource: replacer != nil, sidecars: subtitles.files(of: file.path),
        files: [try OpenFile(source), created])
      request.openSidecars()
      return request
    } catch {
      discard(file.number)
      if giveBack(file, error) { return nil }
      if error.detail == .diskFull {
        freeSpace.ranOut(file, error.description)
        putBack(file.number)
        return nil
      }
      var reason = error
      if reason.file == file.path { reason.file = nil }
      end(file, reason.description)
      return nil
    }
  }

  /// Takes the answer that ends the work on a file.
  func take(_ answer: WorkerAnswer, seconds: Double) {
    guard let file = files[answer.file] else { return }
    guard answer.kind != .converted else { return publish(file, answer, seconds: seconds) }
    discard(file.number)
    if answer.lacksSpace {
      freeSpace.ranOut(file, answer.message ?? "no space left on the device")
      return putBack(file.number)
    }
    end(
      file, answer.message, isLasting: answer.isLasting && !file.hasChanged, seconds: seconds)
  }

  /// Removes the unfinished output of a file.
  func discard(_ number: Int) {
    guard let unfinished = pending.removeValue(forKey: number) else { return }
    // The worker may still have the file open, which would keep its space on the disk.
    _ = ftruncate(unfinished.open.descriptor, 0)
    unfinished.file.discard()
  }

  /// Lets a file fail after its last attempt.
  func fail(_ number: Int, _ reason: String) {
    guard let file = files[number] else { return }
    end(file, reason)
  }
}
