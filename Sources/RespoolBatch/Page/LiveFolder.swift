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
  private let presets = Mutex(PagePresets([]))
  /// Text after the addresses of files, such as `?token=…`.
  private let suffix: String

  /// Maximum number of rows of one answer.
  public static let mostRows = 1000

  /// Opens an output folder; `suffix` is added to the addresses of files.
  ///
  /// Throws `io` if it has neither a ledger nor work on a plan.
  public init(_ folder: String, suffix: String) throws(MediaError) {
    (self.folder, self.suffix) = (PathName.absolute(folder), suffix)
    if FleetFolder.all(in: folder).isEmpty { _ = try LedgerStatus(of: folder, limit: 0) }
    let work = FolderWork(on: folder)
    state.withLock { $0.work = work }
  }

  /// Reason why nothing can be said of the folder now, as a sentence; `nil` if it can be read.
  public var problem: String? {
    guard fileExists(OutputFolder.ledgerPath(in: folder)) || !FleetFolder.all(in: folder).isEmpty
    else { return "the output folder is gone, or cannot be read" }
    return state.withLock { $0.work.problem }
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
        lookAgain()
        lastUpdate = monotonicSeconds()
      }
      if pool.hasRoom, looked < most, let process = try nextLook(executable) {
        // Conversions go first.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process.identifier), 19)
        pool.add(process)
        looked += 1
      }
      let ended = pool.wait(interruption) { process, lines in
        state.withLock { state in for line in lines { state.take(line, of: Int(process.input)) } }
      }
      for process in ended { state.withLock { $0.show(Int(process.input)) } }
    }
  }

  // MARK: Following

  private func update(_ interruption: Interruption) {
    // Before the entries are read: when work has ended, all of its entries are in the ledgers.
    let work = FolderWork(on: folder)
    defer { state.withLock { $0.work = work } }
    presets.withLock { if $0.all != work.presets { $0 = PagePresets(work.presets) } }
    var paths = [OutputFolder.ledgerPath(in: folder)]
    for fleet in FleetFolder.all(in: folder) { paths += fleet.runNames().map(fleet.ledgerPath) }
    for path in paths where fileExists(path) {
      // A ledger that is written at this moment is read the next time.
      guard let ledger = try? Ledger(path, writing: false, isShared: true) else { continue }
      // A batch has forgotten failures of files that are gone.
      if let status = try? ledger.status(limit: 0),
        state.withLock({
          $0.hasLost(in: path, count: status.counts.values.reduce(status.unpublishedCount, +))
        })
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

  /// Number of files that are looked at again each second, and seconds after which that ends if no page asks.
  private static let (recheckedFiles, recheckingTime) = (100, 15.0)

  /// Looks at files again that may have been removed or changed, while pages are open.
  private func lookAgain() {
    let places = state.withLock { state in
      monotonicSeconds() - state.lastAsked < Self.recheckingTime
        ? state.placesToLookAt(limit: Self.recheckedFiles) : []
    }
    var opened: (path: String, ledger: Ledger?)?
    for place in places {
      guard let entry = entry(at: place, &opened) else { continue }
      let marks = PageRow(entry, number: 0, in: folder).currentMarks
      state.withLock { $0.take(marks: marks, of: place.key) }
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
    return try BatchPage.process(
      executable, entry, named: "\(place.key)", in: folder,
      preset: presets.withLock { $0 }.name(of: entry))
  }

  private func entry(at place: LiveResults.Place) -> LedgerEntry? {
    var opened: (path: String, ledger: Ledger?)?
    return entry(at: place, &opened)
  }

  /// Returns the entry at a place; keeps its ledger open in `opened`, for the next one.
  private func entry(at place: LiveResults.Place, _ opened: inout (path: String, ledger: Ledger?)?)
    -> LedgerEntry?
  {
    if opened?.path != place.ledger {
      opened = (place.ledger, try? Ledger(place.ledger, writing: false, isShared: true))
    }
    let entry = try? opened?.ledger?.entry(place.number)
    return entry.flatMap { LiveResults.key(of: $0) == place.key ? $0 : nil }
  }

  // MARK: Pages

  /// Returns the page.
  public func page() -> [UInt8] {
    let summary = summary()
    return PageWriter.page(json(summary), sentence: summary.sentence)
  }

  private func json(_ summary: PageSummary) -> JSON {
    summary.json(session: session.withLock { $0 })
  }

  /// Returns the totals and the rows after a number of rows, as JSON text.
  public func data(after first: Int) -> [UInt8] {
    let (places, end) = state.withLock { state in
      state.lastAsked = monotonicSeconds()
      return state.places(after: first, limit: Self.mostRows)
    }
    var rows: [JSON] = []
    var opened: (path: String, ledger: Ledger?)?
    for (index, place) in places {
      guard let entry = entry(at: place, &opened) else { continue }
      let details = state.withLock { $0.details[place.key] }
      let row = PageRow(entry, number: index + 1, in: folder)
      rows.append(
        row.json(
          details, preset: presets.withLock { $0 }.name(of: entry), id: "\(place.key)"
        ) { side, file in
          // Only what the batch has converted is opened.
          guard entry.output != nil else { return nil }
          let name = PageWriter.address(of: PathName.last(file.path), from: "")
          return "\(side.rawValue)/\(index)/\(name)\(suffix)"
        })
    }
    let answer = JSON.object([
      "summary": json(summary()), "rows": .array(rows), "cursor": .integer(Int64(end)),
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

  private func summary() -> PageSummary {
    state.withLock {
      PageSummary(
        title: PathName.last(folder), work: $0.work, left: $0.left, counts: $0.counts,
        sourceSize: $0.sourceSize, outputSize: $0.outputSize, seconds: $0.seconds,
        presetCount: $0.presetCount)
    }
  }
}
