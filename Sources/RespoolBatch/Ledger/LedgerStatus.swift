import Glibc
import RespoolHost
package import RespoolMedia

/// The state of an output folder as its ledger has it.
package struct LedgerStatus: Sendable {
  /// Result of a file; the numbers are stored.
  package enum Result: Int64, Sendable { case converted = 0, copied, skipped, failed }

  /// Numbers of files of one batch.
  package struct Counts: Hashable, Sendable {
    package var converted: Int64 = 0
    package var copied: Int64 = 0
    package var skipped: Int64 = 0
    package var failed: Int64 = 0
    /// Files that the batch did not reach.
    package var unfinished: Int64 = 0
  }

  /// One batch.
  package struct Run: Sendable {
    /// Seconds since 1970.
    package var started: Int64
    /// Seconds since 1970; `nil` if the batch runs or was killed.
    package var ended: Int64?
    /// Name or path of the preset.
    package var preset: String
    /// Hours of the day in which it may work; `nil` for all.
    package var hours: DayHours?
    package var counts = Counts()
  }

  /// A file that failed, or whose source is incomplete.
  package struct File: Sendable {
    /// Absolute path of the source.
    package var path: String
    package var reason: String
  }

  /// A source whose output lacks something of it.
  package struct Loss: Sendable {
    /// Absolute path of the source.
    package var source: String
    /// Path of the output below the output folder; a source has one for each preset.
    package var output: String
    /// Sentences about what the output lacks.
    package var sentences: [String]
  }

  /// Number of sources with each result, without those whose outputs have no names yet.
  package var counts: [Result: Int64] = [:]
  /// Bytes of the sources that have outputs.
  package var sourceSize: Int64 = 0
  /// Bytes of the outputs.
  package var outputSize: Int64 = 0
  /// Seconds of work on the outputs.
  package var seconds = 0.0
  package var failures: [File] = []
  /// Number of outputs whose sources end early or are damaged inside.
  package var incompleteCount: Int64 = 0
  /// Incomplete sources, at most as many as the limit.
  package var incomplete: [File] = []
  /// Number of outputs that lack something of their sources.
  package var lossyCount: Int64 = 0
  /// Number of sources that were replaced by their outputs.
  package var replaced: Int64 = 0
  /// Number of those whose originals are kept.
  package var keptOriginals: Int64 = 0
  /// Number of outputs that were found without an entry, so that their losses are unknown.
  package var foundCount: Int64 = 0
  /// Number of outputs that were getting their names, which are in no other number.
  package var unpublishedCount: Int64 = 0
  /// The latest batch.
  package var last: Run?
  /// Number of batches.
  var batchCount: Int64 = 0
  /// Number of presets by which files have results; a file has one for each.
  package var presetCount = 1
  /// Names or paths of the presets of batches, the latest first, at most ``mostPresets``.
  var presets: [String] = []

  /// Maximum number of presets that are named.
  static let mostPresets: Int64 = 32
  /// `true` if a batch is working on the folder.
  package var isRunning = false
  /// `true` if the batch that is working on the folder was asked to pause.
  package var isPaused = false
  /// Time at which the batch that is working on the folder may go on, such as 22:00; `nil` if it may now.
  package var waitsUntil: String?
  /// Reason why the batch that is working on the folder begins nothing now, such as a full disk; `nil` if it does.
  package var pause: String?

  init() {}

  /// Returns `true` if a folder has a ledger with replaced files.
  static func hasReplacements(_ folder: String) -> Bool {
    let path = OutputFolder.ledgerPath(in: folder)
    guard fileExists(path) else { return false }
    let status = try? Ledger(path, writing: false).status(limit: 0)
    return (status?.replaced ?? 0) > 0
  }

  /// Reads the state of an output folder, with at most `limit` failed files and as many incomplete sources.
  ///
  /// Throws `io` if the folder has no ledger or it cannot be read.
  package init(of folder: String, limit: Int) throws(MediaError) {
    self = try Self.read(folder) { ledger throws(Ledger.Failure) in try ledger.status(limit: limit)
    }
    isRunning = FolderLock.isHeld(OutputFolder.lockPath(in: folder))
    isPaused = isRunning && BatchPause.isRequested(in: folder)
    if isRunning, !isPaused, let hours = last?.hours, !hours.areNow { waitsUntil = hours.beginText }
    if isRunning, !isPaused, waitsUntil == nil {
      pause = BatchSign.running(in: folder).lazy.map(\.run.pause).first { !$0.isEmpty }
    }
  }

  /// Calls `body` with each source whose output lacks something of it.
  ///
  /// Throws `io` if the folder has no ledger or it cannot be read.
  package static func eachLoss(in folder: String, _ body: (Loss) -> Void) throws(MediaError) {
    try read(folder) { ledger throws(Ledger.Failure) in try ledger.eachLoss(body) }
  }

  static func read<Value>(
    _ folder: String, _ body: (Ledger) throws(Ledger.Failure) -> Value
  ) throws(MediaError) -> Value {
    let path = OutputFolder.ledgerPath(in: folder)
    try Self.checkAccess(to: path, in: folder)
    guard fileExists(path) else {
      throw MediaError(
        .io,
        !fileExists(folder)
          ? "there is no such folder"
          : FleetFolder.all(in: folder).isEmpty
            ? "the folder has no ledger of a batch"
            : "the results of its plan are not in its ledger yet; respool collect puts them there, with the plan",
        file: folder)
    }
    if FolderListing(path) != nil {
      throw MediaError(.io, "a folder has the name of the ledger; remove it", file: path)
    }
    do throws(Ledger.Failure) {
      return try body(Ledger(path, writing: false))
    } catch {
      throw MediaError(.io, "the ledger cannot be read: \(error.message)", file: path)
    }
  }

  /// Throws `io` if the user may not read a file of a batch in an output folder.
  static func checkAccess(to path: String, in folder: String) throws(MediaError) {
    if PathName.withSystemPath(path, { access($0, R_OK) }) != 0, errno == EACCES {
      throw .system("the state of batches in this folder cannot be read", EACCES, file: folder)
    }
  }
}
