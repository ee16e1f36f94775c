import Glibc
import Respool
import RespoolHost
public import RespoolMedia
import Synchronization

/// An output folder whose page is shown while a batch, a watch or the machines of a plan work on it.
///
/// It follows the ledger of the folder, and those of the processes that work on plans. Pages ask for rows after those that
/// they have; a row that has changed comes again, with the same path.
public final class LiveFolder: Sendable {
  /// A file that a page links.
  public enum Side: String, Sendable { case source, output }

  private let folder: String
  private let state = Mutex(LiveResults())
  /// Number by which pages notice that all rows come again: another server answers, or entries were removed.
  private let session = Mutex(Int64.random(in: 0..<(1 << 48)))
  /// Text after the addresses of files, such as `?token=…`.
  private let suffix: String

  /// Maximum number of rows of one answer.
  public static let mostRows = 1000

  /// Opens an output folder; `suffix` is added to the addresses of files.
  ///
  /// Throws `io` if it has neither a ledger nor work on a plan.
  public init(_ folder: String, suffix: String) throws(MediaError) {
    (self.folder, self.suffix) = (PathName.absolute(folder), suffix)
    if Self.fleets(in: folder).isEmpty { _ = try LedgerStatus(of: folder, limit: 0) }
    let work = currentWork()
    state.withLock { $0.work = work }
  }

  /// `false` if the folder has been removed, or what is known of it.
  public var isThere: Bool {
    fileExists(OutputFolder.ledgerPath(in: folder)) || !Self.fleets(in: folder).isEmpty
  }

  private static func fleets(in folder: String) -> [FleetFolder] {
    let plans = PathName.join(PathName.join(folder, OutputFolder.stateName), "plans")
    return ((try? HeldFolder(plans))?.names() ?? []).filter { !$0.hasPrefix(".") }.sorted()
      .map { FleetFolder($0, output: folder) }
  }

  /// Follows the work until the user ends the program, while pages are asked for on other threads.
  ///
  /// `begin` starts those threads, which then do not get the signals that end the program. Looks into files with
  /// `executable`, as ``BatchPage`` does, one after the other and at most `most`.
  public func follow(
    executable: String, most: Int, patience: Double, begin: () throws(MediaError) -> Void
  ) throws(MediaError) {
    let interruption = try Interruption()
    try begin()
    let pool = ProcessPool(jobs: 1, patience: patience)
    defer { pool.stop() }
    var (looked, lastUpdate) = (0, -Double.infinity)
    while !interruption.isRequested {
      if monotonicSeconds() - lastUpdate >= 1 {
        update(interruption)
        lastUpdate = monotonicSeconds()
      }
      if pool.hasRoom, looked < most, let process = try nextLook(executable) {
        // Conversions go first.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process.identifier), 19)
        pool.add(process)
        looked += 1
      }
      let ended = pool.wait(interruption) { process, lines in
        state.withLock { state in for line in lines { state.take(line, of: process.input) } }
      }
      for process in ended { state.withLock { $0.show(process.input) } }
    }
  }

  // MARK: Following

  private func update(_ interruption: Interruption) {
    // Before the entries are read: when work has ended, all of its entries are in the ledgers.
    let work = currentWork()
    defer { state.withLock { $0.work = work } }
    var paths = [OutputFolder.ledgerPath(in: folder)]
    for fleet in Self.fleets(in: folder) { paths += fleet.runNames().map(fleet.ledgerPath) }
    for path in paths where fileExists(path) {
      // A ledger that is written at this moment is read the next time.
      guard let ledger = try? Ledger(path, writing: false, isShared: true) else { continue }
      // A batch has forgotten failures of files that are gone.
      if let count = try? ledger.status(limit: 0).counts.values.reduce(0, +),
        state.withLock({ $0.hasLost(in: path, count: count) })
      {
        return startAgain()
      }
      var last = state.withLock { $0.first(in: path) }
      while !interruption.isRequested {
        var entries: [(LedgerEntry, Int64)] = []
        try? ledger.entries(after: last, limit: Self.mostRows) { entries.append(($0, $1)) }
        state.withLock { state in for (entry, number) in entries { state.add(entry, number, path) }
        }
        guard entries.count == Self.mostRows, let end = entries.last?.1 else { break }
        last = end
        interruption.update()
      }
    }
  }

  /// Forgets all entries, so that they are read again.
  private func startAgain() {
    state.withLock { $0 = LiveResults() }
    session.withLock { $0 += 1 }
  }

  private func nextLook(_ executable: String) throws(MediaError) -> FileProcess? {
    guard let place = state.withLock({ $0.takeUnseen() }), let entry = entry(at: place) else {
      return nil
    }
    let preset = (try? LedgerStatus(of: folder, limit: 0))?.last?.preset
    let isOfPreset =
      preset.map { (try? PresetLibrary.standard.identity(of: $0)) == entry.preset } ?? false
    return try BatchPage.process(
      executable, entry, in: folder, preset: isOfPreset ? preset : nil)
  }

  private func entry(at place: LiveResults.Place) -> LedgerEntry? {
    guard let ledger = try? Ledger(place.ledger, writing: false, isShared: true) else { return nil }
    let entry = try? ledger.entry(place.number)
    return entry.flatMap { LiveResults.key(of: $0.source) == place.key ? $0 : nil }
  }

  // MARK: Pages

  /// Returns the page.
  public func page() -> [UInt8] {
    let counts = state.withLock { $0.counts }
    func count(_ result: LedgerEntry.Result) -> Int64 { counts[result] ?? 0 }
    return PageWriter.page(
      summary(),
      sentence:
        "\(PathName.last(folder)): \(count(.converted)) converted, \(count(.copied)) copied, "
        + "\(count(.skipped)) skipped, \(count(.failed)) failed.")
  }

  /// Returns the totals and the rows after a number of rows, as JSON text.
  public func data(after first: Int) -> [UInt8] {
    let (places, end) = state.withLock { $0.places(after: first, limit: Self.mostRows) }
    var rows: [JSON] = []
    var opened: (path: String, ledger: Ledger?)?
    for (index, place) in places {
      if opened?.path != place.ledger {
        opened = (place.ledger, try? Ledger(place.ledger, writing: false, isShared: true))
      }
      guard let entry = try? opened?.ledger?.entry(place.number),
        LiveResults.key(of: entry.source) == place.key
      else { continue }
      let details = state.withLock { $0.details[place.key] }
      let row = PageRow(entry, number: index + 1, in: folder)
      rows.append(
        row.json(details) { side, file in
          // Only what the batch has converted is opened.
          guard entry.output != nil else { return nil }
          let name = PageWriter.address(of: PathName.last(file.path), from: "")
          return "\(side.rawValue)/\(index)/\(name)\(suffix)"
        })
    }
    let answer = JSON.object([
      "summary": summary(), "rows": .array(rows), "cursor": .integer(Int64(end)),
    ])
    return Array(answer.compactText.utf8)
  }

  /// A file that a row links, open for reading; whoever gets it closes it.
  public struct OpenedFile {
    public let descriptor: Int32
    /// Bytes.
    public let size: Int64
    public let name: String
  }

  /// Opens a file that a row links; `nil` if the row links none.
  ///
  /// Throws `io` if it cannot be opened, or is not the one of which the ledger states size and modification time: another
  /// user may have put a link to any file in its place.
  public func open(_ side: Side, row: Int) throws(MediaError) -> OpenedFile? {
    guard let place = state.withLock({ $0.latestPlace(at: row) }), let entry = entry(at: place),
      entry.output != nil, let file = PageRow(entry, number: row + 1, in: folder).file(side)
    else { return nil }
    let descriptor = PathName.withSystemPath(file.path) {
      Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    guard descriptor >= 0 else {
      throw MediaError(.io, "the file cannot be opened: \(errorText(errno))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      file.stamp.matches(FileStamp(status))
    else {
      close(descriptor)
      throw MediaError(
        .io, "the file is not the one that the ledger has: it was replaced or changed since")
    }
    return OpenedFile(
      descriptor: descriptor, size: Int64(status.st_size), name: PathName.last(file.path))
  }

  private func summary() -> JSON {
    let (results, work) = state.withLock {
      (($0.counts, $0.sourceSize, $0.outputSize, $0.seconds), $0.work)
    }
    func count(_ result: LedgerEntry.Result) -> JSON { .integer(results.0[result] ?? 0) }
    let now = Int64(time(nil))
    return .object([
      "format": .integer(1), "title": .string(PathName.last(folder)),
      "preset": .string(work.preset ?? ""),
      "started": .integer(work.started ?? now),
      "ended": .integer(work.isLive ? now : work.ended ?? now),
      "counts": .object([
        "converted": count(.converted), "copied": count(.copied), "skipped": count(.skipped),
        "failed": count(.failed), "remaining": .integer(Int64(work.left)),
      ]),
      "sourceBytes": .integer(results.1), "outputBytes": .integer(results.2),
      "workSeconds": .number(results.3), "live": .bool(work.isLive),
      "session": .integer(session.withLock { $0 }),
      "machines": .array(work.runs.map(Self.machine)),
    ])
  }

  /// Returns what the batches and machines do that work on the folder.
  private func currentWork() -> LiveWork {
    let status = try? LedgerStatus(of: folder, limit: 0)
    let batches = BatchSign.running(in: folder)
    var work = LiveWork()
    work.runs = batches.map(\.run)
    work.left = batches.map(\.left).max() ?? 0
    work.preset = status?.last?.preset
    for fleet in Self.fleets(in: folder) {
      let all = fleet.runNames().compactMap { name in
        FleetRunState.read(fleet.statePath(of: name)).map {
          FleetStatus.Run($0.state, writtenAt: $0.time)
        }
      }
      work.runs += all.filter { !$0.hasEnded }
      guard let facts = fleet.facts, all.contains(where: \.isRunning) || status?.last == nil else {
        continue
      }
      work.left += max(0, facts.total - all.reduce(0) { $0 + $1.made + $1.failed })
      work.preset = facts.preset
    }
    work.isLive = status?.isRunning ?? false || work.runs.contains { $0.isRunning }
    work.started = status?.last?.started ?? work.runs.map(\.started).min()
    work.ended = status?.last?.ended
    if !work.isLive { work.left += Int(status?.last?.counts.unfinished ?? 0) }
    return work
  }

  private static func machine(_ run: FleetStatus.Run) -> JSON {
    let files = run.running.map { "\(PathName.last($0.path)) \(Int($0.fraction * 100)) %" }
    return .object([
      "name": .string(run.machine), "done": .integer(Int64(run.made + run.failed)),
      "running": .string(run.pause.isEmpty ? files.joined(separator: ", ") : run.pause),
      "silent": .number(run.silence),
    ])
  }
}
