import CLinux
import Glibc
import Respool
import RespoolMedia

/// The output folder of a batch, locked against a second batch, with its ledger.
///
/// Lock and ledger are in the folder `.respool`, so that the outputs and what is known of them stay together.
final class OutputFolder {
  let path: String
  private var lock: FolderLock?
  private var ledger: Ledger?
  private let isLocked: Bool
  /// `true` if nothing may happen without a ledger.
  private let needsLedger: Bool
  private var isMade = false
  /// `true` if the folder had no ledger before.
  private var isNew = false
  /// `true` if an earlier batch did not end by itself, and what it left may not have been removed.
  private(set) var followsKilledBatch = false
  /// `true` if other batches were working on the folder when this one began.
  private(set) var hasJoined = false
  /// Name of the session of the batches that may share the work, which is the plugin text of what may succeed in another.
  ///
  /// Empty if no batch may join.
  private(set) var session = ""
  /// The folder itself, wherever its path leads; `nil` before it is locked.
  private var held: HeldFolder?
  /// Claims on outputs against batches that share the work.
  let claims: FileClaims
  /// `true` if anything is in the ledger that a later batch needs.
  private var isUsed = false
  private var hasReportedFailure = false
  /// Time at which the ledger was last opened without success, in seconds of the monotonic clock; `nil` if it was not.
  private var failedOpening: Double?
  /// Arguments of ``begin(preset:hours:at:)``.
  private var beginning: (preset: String, hours: DayHours?, start: Int64)?
  /// Sentences about the ledger for the user, which have not been reported.
  private var problems: [String] = []

  static let stateName = ".respool"

  private var statePath: String { PathName.join(path, Self.stateName) }
  private let ledgerPath: String
  /// `true` if the ledger is that of one of several processes that work on a plan.
  let hasOwnLedger: Bool
  /// Hashes of the sources in such a ledger, each look at which takes several calls to a file server.
  private var sources: Set<Int> = []
  private(set) lazy var uncollected =
    hasOwnLedger ? nil : UncollectedResults(in: path, writing: isLocked)

  static func ledgerPath(in folder: String) -> String {
    PathName.join(PathName.join(folder, stateName), "ledger")
  }

  /// Opens the folder.
  ///
  /// With `isLocked`, creates it if necessary and locks it against other batches; those that join may share `work`. With
  /// `joining`, joins the batches that are working on it. With `needsLedger`, a damaged ledger stays as it is. `ownLedger`
  /// is the path of a ledger in place of the folder's.
  ///
  /// Throws `io` if the folder cannot be created or another batch works on it, or it has no usable ledger but needs one.
  /// Throws `invalidArgument` if the batches to be joined do other work.
  init(
    _ path: String, isLocked: Bool, needsLedger: Bool = false, sharing work: SharedWork? = nil,
    joining: Bool = false, ownLedger: String? = nil
  ) throws(MediaError) {
    (ledgerPath, hasOwnLedger) = (ownLedger ?? Self.ledgerPath(in: path), ownLedger != nil)
    (self.path, self.isLocked, self.needsLedger) = (path, isLocked, needsLedger)
    // The files of a plan are claimed in parts. A process that is paused keeps its locks, and must not keep others from
    // its files, too.
    claims = FileClaims(
      PathName.join(PathName.join(path, Self.stateName), "claims"), isNeeded: ownLedger == nil)
    if isLocked {
      try makeFolders()
      let lock = try FolderLock(
        Self.lockPath(in: path), of: path, joining: joining, isShareable: !needsLedger)
      self.lock = lock
      hasJoined = !lock.isFirst
      held = try HeldFolder(path)
      if let work { session = hasJoined ? try Self.check(work, lock, folder: path) : work.session }
    }
    openLedger()
    // From now on, others may join.
    if !hasJoined, let work { lock?.share(work) }
    guard isLocked, needsLedger, !(ledger?.isWritable ?? false) else { return }
    throw MediaError(
      .io, problems.first ?? "the ledger cannot be written to: it is needed to replace files",
      file: path)
  }

  /// Returns the session of the batch that has the lock; throws `invalidArgument` unless it does the same work.
  private static func check(_ work: SharedWork, _ lock: FolderLock, folder: String)
    throws(MediaError) -> String
  {
    guard let other = lock.sharedWork else {
      throw MediaError(
        .io,
        "the batch that is using this output folder does not state its work, so it cannot be joined",
        file: folder)
    }
    let names = work.differences(from: other)
    guard !names.isEmpty else { return other.session }
    guard !work.isOfPlan else {
      throw MediaError(
        .io,
        "a batch, a watch or another plan is using this output folder; the plan can go on when that has ended",
        file: folder)
    }
    throw MediaError(
      .invalidArgument,
      "the batch that is using this output folder cannot be joined, because it differs in "
        + names.joined(separator: ", "), file: folder)
  }

  /// `true` if another batch has changed the ledger since this one began.
  ///
  /// Once it is `true`, it stays so.
  private(set) lazy var isShared = hasJoined && !hasOwnLedger

  /// Finds out if another batch is sharing the work; returns `isShared`, which is `false` for a plan that is only shown.
  func noticesOthers() -> Bool {
    guard isLocked, !isShared, !hasOwnLedger, let ledger else { return isShared }
    isShared = ledger.hasForeignChanges()
    return isShared
  }

  /// Throws `io` if the path of the locked folder leads elsewhere, or nowhere, since the batch began.
  func checkIsAtPath() throws(MediaError) {
    guard let held, !held.isAtPath else { return }
    throw MediaError(
      .io,
      "the output folder was moved, removed or replaced while the batch ran; the batch ends, and continues if it is "
        + "started with the folder's new path", file: path)
  }

  /// `true` if no other batch is working on the folder at the end of this one.
  ///
  /// The first use locks the folder so that no other batch can join.
  private(set) lazy var isLast = lock?.becomeExclusive() ?? true

  private func makeFolders() throws(MediaError) {
    (isMade, isNew) = (!fileExists(path), !fileExists(ledgerPath))
    let folders = foldersThatChange(toMake: statePath)
    guard makeFolder(path) else {
      throw MediaError(
        .io, "the output folder cannot be created", file: path, cause: errorText(errno))
    }
    var status = stat()
    guard PathName.withSystemPath(path, { stat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFDIR
    else { throw MediaError(.invalidArgument, "the output folder is not a folder", file: path) }
    // A folder without write permission has no state; each output reports the failure.
    _ = PathName.withSystemPath(statePath) { mkdir($0, 0o777) }
    // Without its folder, the ledger is lost in a power cut, however often it is synced.
    for folder in folders { try syncFolder(folder) }
    if PathName.withSystemPath(statePath, { lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT != S_IFDIR
    {
      throw MediaError(
        .io, "the folder of the ledger is not a folder; remove it", file: statePath)
    }
  }

  private func openLedger() {
    guard isLocked || fileExists(ledgerPath) else { return }
    do throws(Ledger.Failure) {
      let opened = try Ledger(
        ledgerPath, writing: isLocked, isShared: isRemote || hasOwnLedger, isDurable: needsLedger)
      if isLocked, !hasJoined { followsKilledBatch = try opened.wasCut() }
      if followsKilledBatch { try opened.check() }
      ledger = opened
    } catch {
      if error.isDamage { return replaceLedger(error) }
      failedOpening = monotonicSeconds()
      guard isLocked, fileExists(ledgerPath) else { return note(error) }
      // Another user's ledger can be read.
      ledger = try? Ledger(ledgerPath, writing: false)
      note(error)
    }
  }

  /// Seconds between two attempts to open a ledger.
  private static let openingInterval = 5.0

  /// Opens the ledger if that has failed some seconds ago, such as for a full disk that may have room now.
  private func openAgain() {
    guard let failed = failedOpening, !needsLedger, ledger.map({ !$0.isWritable }) ?? true,
      monotonicSeconds() - failed >= Self.openingInterval
    else { return }
    failedOpening = nil
    openLedger()
    guard failedOpening == nil, ledger != nil else { return }
    if let beginning {
      begin(preset: beginning.preset, hours: beginning.hours, at: beginning.start)
    }
    problems.append("the ledger \(ledgerPath) can be used from now on")
    hasReportedFailure = false
  }

  /// `true` if the folder is on a file server.
  private var isRemote: Bool {
    let folder = PathName.withSystemPath(statePath) { open($0, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
    guard folder >= 0 else { return false }
    defer { Glibc.close(folder) }
    return linux_is_remote(folder)
  }

  /// Begins a new ledger in place of one with wrong content.
  private func replaceLedger(_ failure: Ledger.Failure) {
    // Others may be using it.
    guard !hasJoined else {
      ledger = nil
      return note(failure)
    }
    ledger = nil
    guard !needsLedger else {
      problems.append(
        "the ledger \(ledgerPath) is damaged (\(failure.message)): without it, a batch would replace its own outputs "
          + "again; put back a copy of it, or remove it if the folder has none")
      return
    }
    let consequence =
      "it is rebuilt from the outputs that exist: they count as done unless they cannot be read, are older than their "
      + "sources, or have other tracks or another duration than the preset makes; their losses are unknown"
    guard isLocked else {
      problems.append("the ledger \(ledgerPath) is damaged (\(failure.message)); \(consequence)")
      return
    }
    let old = ledgerPath + ".damaged"
    for suffix in ["-wal", "-shm", "-journal"] {
      _ = PathName.withSystemPath(ledgerPath + suffix) { unlink($0) }
    }
    let isKept = PathName.withSystemPath(ledgerPath) { from in
      PathName.withSystemPath(old) { rename(from, $0) == 0 }
    }
    problems.append(
      "the ledger \(ledgerPath) is damaged (\(failure.message))"
        + (isKept ? " and now named \(PathName.last(old))" : "") + "; \(consequence)")
    do throws(Ledger.Failure) {
      ledger = try Ledger(ledgerPath, writing: true, isShared: isRemote)
    } catch { note(error) }
  }

  /// `false` after an entry could not be stored.
  private(set) var keepsEntries = true

  private func note(_ failure: Ledger.Failure) {
    guard !hasReportedFailure else { return }
    hasReportedFailure = true
    problems.append(
      "the ledger \(ledgerPath) cannot be used: \(failure.message); "
        + (needsLedger
          ? "files of which it cannot take note stay as they are"
          : "a later batch may not recognize the outputs of this one"))
  }

  /// Returns the sentences about the ledger that the user does not know yet.
  func takeProblems() -> [String] {
    defer { problems = [] }
    return problems
  }

  /// Calls `body` with the ledger; returns `nil` if there is none or it fails.
  @discardableResult
  private func using<Value>(_ body: (Ledger) throws(Ledger.Failure) -> Value) -> Value? {
    guard let ledger else { return nil }
    do throws(Ledger.Failure) { return try body(ledger) } catch {
      if error.isDamage { replaceLedger(error) } else { note(error) }
      return nil
    }
  }

  // MARK: Entries

  /// Returns the entry of the source at an absolute path.
  func entry(ofSource path: String, preset: String) -> LedgerEntry? {
    guard !hasOwnLedger || sources.contains(PathKey(path).hashValue) else { return nil }
    return using { ledger throws(Ledger.Failure) in try ledger.entry(ofSource: path, preset: preset)
    }
      ?? nil
  }

  /// Returns the latest entry with an output, named by its path below the folder.
  func entry(ofOutput name: String) -> LedgerEntry? {
    using { ledger throws(Ledger.Failure) in try ledger.entry(ofOutput: name) } ?? nil
  }

  /// Returns entries of sources that had the inode number, the size and the time.
  func entries(inode: Int64, _ stamp: FileStamp, preset: String) -> [LedgerEntry] {
    using { ledger throws(Ledger.Failure) in
      try ledger.entries(inode: inode, stamp, preset: preset)
    } ?? []
  }

  /// Calls `body` for each source in a folder that has a final output, in the byte order of the names.
  func eachOutput(
    ofSourcesIn folder: String, preset: String, _ body: (borrowing SQLRow) -> Void
  ) {
    using { ledger throws(Ledger.Failure) in
      try ledger.eachOutput(ofSourcesIn: folder, preset: preset, body)
    }
  }

  /// Returns the text with a number; `nil` if there is none.
  func text(_ number: Int64) -> String? {
    using { ledger throws(Ledger.Failure) in try ledger.text(number) } ?? nil
  }

  /// Returns the absolute path of the source of the latest entry with an output.
  func source(ofOutput name: String) -> String? {
    using { ledger throws(Ledger.Failure) in try ledger.source(ofOutput: name) } ?? nil
  }

  /// Returns the absolute paths of sources that had the inode number.
  func sources(inode: Int64) -> [String] {
    using { ledger throws(Ledger.Failure) in try ledger.sources(inode: inode) } ?? []
  }

  /// Returns the seconds that a byte of a source took in the latest conversions with a preset; `nil` if there are none.
  func pace(preset: String) -> Double? {
    using { ledger throws(Ledger.Failure) in try ledger.pace(preset: preset) } ?? nil
  }

  /// Stores an entry; a plan that is only shown stores nothing.
  ///
  /// Returns `true` if it was stored.
  ///
  /// With `isDurable`, a power cut loses neither this entry nor earlier ones.
  @discardableResult
  func put(_ entry: LedgerEntry, isDurable: Bool = false) -> Bool {
    guard isLocked else { return false }
    openAgain()
    isUsed = true
    if hasOwnLedger { sources.insert(PathKey(entry.source).hashValue) }
    if needsLedger, !makeRoom(for: entry) { return false }
    return using { ledger throws(Ledger.Failure) in
      if isDurable {
        try ledger.durably { () throws(Ledger.Failure) in try ledger.put(entry) }
      } else {
        try ledger.put(entry)
      }
    } != nil
  }

  /// Returns the entries of replacements that have been begun and not finished.
  func unfinishedReplacements() -> [LedgerEntry] {
    using { ledger throws(Ledger.Failure) in try ledger.unfinishedReplacements() } ?? []
  }

  /// Returns the entries of replacements whose originals are kept.
  func keptOriginals() -> [LedgerEntry] {
    using { ledger throws(Ledger.Failure) in try ledger.keptOriginals() } ?? []
  }

  /// Returns the entries of replacements that have a size.
  func replacements(size: Int64) -> [LedgerEntry] {
    using { ledger throws(Ledger.Failure) in try ledger.replacements(size: size) } ?? []
  }

  /// Returns the entries of replacements of the source at an absolute path.
  func replacements(ofSource path: String) -> [LedgerEntry] {
    using { ledger throws(Ledger.Failure) in try ledger.replacements(ofSource: path) } ?? []
  }

  /// Removes the entries of the output of an entry.
  func forget(_ entry: LedgerEntry) { if let name = entry.output?.name { forget(name) } }

  /// Removes the entries of an output, named by its path below the folder.
  func forget(_ name: String) {
    guard isLocked else { return }
    using { ledger throws(Ledger.Failure) in try ledger.forget(name) }
  }

  /// Opens the folder of a file's output, which is created if it does not exist.
  ///
  /// With `keepsAttributes`, new folders get the permissions of their source folders. Throws as
  /// `HeldFolder.folder(_:asFolderOf:followingLinks:)` does.
  func folder(ofOutput file: BatchFile, keepsAttributes: Bool, followingLinks: Bool)
    throws(MediaError) -> HeldFolder
  {
    let root = if let held { held } else { try HeldFolder(path) }
    return try root.folder(
      PathName.folder(file.outputName),
      asFolderOf: keepsAttributes ? PathName.folder(file.path) : nil,
      followingLinks: followingLinks)
  }

  /// Removes the folder of a former output, and those above it, as long as they are empty.
  func removeEmptyFolders(from name: String) {
    guard isLocked else { return }
    var name = PathName.folder(name)
    while name != "." {
      let folder = PathName.join(path, name)
      // A batch that was killed may have removed the first ones.
      guard PathName.withSystemPath(folder, { rmdir($0) }) == 0 || errno == ENOENT else { break }
      name = PathName.folder(name)
    }
  }

  /// Notes that a complete output has its name now.
  func published(_ output: LedgerEntry.Output) {
    var status = stat()
    let isThere =
      PathName.withSystemPath(PathName.join(path, output.name)) { lstat($0, &status) } == 0
    // Renaming has changed the change time. Without the new one, a later batch would have to read samples.
    let changed = isThere && FileStamp(status) == output.stamp ? status.changed : nil
    using { ledger throws(Ledger.Failure) in
      try ledger.published(output.name, changed: changed)
    }
  }

  /// Makes one change of the ledger of all that `body` puts into it.
  ///
  /// With `isDurable`, a power cut loses neither this change nor earlier ones.
  func together(isDurable: Bool = false, _ body: () -> Void) {
    openAgain()
    guard let ledger, ledger.isWritable else {
      keepsEntries = false
      return body()
    }
    let result: Void? = using { ledger throws(Ledger.Failure) in
      if isDurable {
        try ledger.durably { () throws(Ledger.Failure) in try ledger.writing { () in body() } }
      } else {
        try ledger.writing { () in body() }
      }
    }
    if result == nil { keepsEntries = false }
  }

  // MARK: Batches

  /// Notes the beginning of a batch, now or at a time in seconds since 1970.
  func begin(preset: String, hours: DayHours?, at start: Int64? = nil) {
    let start = start ?? Int64(time(nil))
    beginning = (preset, hours, start)
    using { ledger throws(Ledger.Failure) in
      try ledger.begin(preset: preset, hours: hours, at: start)
    }
  }

  /// Returns the number of threads that each conversion gets in this batch, which `standard` is for a new one.
  ///
  /// A batch that continues or joins another one has the same number: the output of some encoders depends on it.
  func threads(standard: Int, preset: String, workers: Int) -> Int {
    let isShared = noticesOthers()
    let before = using { ledger throws(Ledger.Failure) in
      try isShared
        ? ledger.threadsOfOtherRun(preset: preset)
        : ledger.threadsOfUnfinishedRun(preset: preset, workers: workers)
    }
    let threads = (before ?? nil) ?? standard
    using { ledger throws(Ledger.Failure) in try ledger.setThreads(threads, workers: workers) }
    return threads
  }

  /// Notes the end of the batch, now or at a time in seconds since 1970.
  func end(_ counts: LedgerStatus.Counts, at end: Int64? = nil) {
    using { ledger throws(Ledger.Failure) in
      try ledger.end(counts, at: end ?? Int64(time(nil)), hasRemovedRemains: isLast)
    }
  }

  /// Forgets failures of files that no longer exist, and of folders that this batch could read.
  func forgetSettledFailures() {
    guard isLocked, isLast else { return }
    using { ledger throws(Ledger.Failure) in
      try ledger.forgetFailures { source, plugins in
        var status = stat()
        guard PathName.withSystemPath(source, { lstat($0, &status) }) == 0 else {
          return errno == ENOENT || errno == ENOTDIR
        }
        return status.st_mode & S_IFMT == S_IFDIR && plugins != session
      }
    }
  }

  /// Closes the ledger and releases the lock.
  ///
  /// Removes what was created for nothing: a ledger without entries, and the folder.
  func close() {
    if isLast { ledger?.close() }
    ledger = nil
    if isLocked, isLast { claims.removeFile() }
    if isNew, !isUsed, isLocked, isLast, held?.isAtPath ?? true {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        _ = PathName.withSystemPath(ledgerPath + suffix) { unlink($0) }
      }
      lock?.removeFile()
      _ = PathName.withSystemPath(statePath) { rmdir($0) }
      if isMade { _ = PathName.withSystemPath(path) { rmdir($0) } }
    }
    lock = nil
  }
}
