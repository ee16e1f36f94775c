import Glibc
import Respool
import RespoolHost
public import RespoolMedia

/// A page about an output folder, made of its ledger and of looks into sources and outputs.
///
/// Each look is that of a process of its own, so that a file with which a plugin crashes costs its details.
public final class BatchPage {
  private let folder: String
  private let executable: String
  private let pool: ProcessPool
  /// Maximum number of files whose content is looked at.
  private let most: Int
  /// Seconds after which no more files are looked at.
  private let time: Double
  private let start = monotonicSeconds()
  /// Details that have arrived, by the number of the row.
  private var details: [String: FileDetails] = [:]
  /// Receives the number of files that are done, and that of all.
  public var progress: (Int, Int) -> Void = { _, _ in }

  /// Returns the path of the page that a batch makes of itself at its end.
  public static func usualPath(in folder: String) -> String {
    PathName.join(PathName.join(folder, OutputFolder.stateName), "report.html")
  }

  /// Returns the path of a page for which the user names none.
  ///
  /// Beside sources that were replaced by their outputs, it would be one of the next batch's files.
  public static func defaultPath(in folder: String) -> String {
    LedgerStatus.hasReplacements(folder)
      ? usualPath(in: folder) : PathName.join(folder, "report.html")
  }

  /// Usual number of files that are looked into.
  public static let usualLooks = 1000
  /// Number of files that are read from the ledger together.
  private static let slice = 256
  /// Maximum number of failures that are written for readers without scripts.
  private static let mostFailures = 1000

  /// First argument that makes the command a process that looks into files; the paths of the source and of the output,
  /// and the name of the preset follow, which is empty if its settings are not wanted.
  public static let argument = "__look"

  /// Prepares the page of an output folder.
  ///
  /// - Parameters:
  ///   - folder: the output folder.
  ///   - executable: the program to run with `__look SOURCE OUTPUT PRESET` for every file.
  ///   - jobs: number of files that are looked at at a time.
  ///   - most: maximum number of files that are looked at; those that have failed or have losses come first.
  ///   - time: seconds after which no more files are looked at.
  ///   - patience: seconds after which a process that does nothing is killed.
  public init(
    of folder: String, executable: String, jobs: Int, most: Int, time: Double = .infinity,
    patience: Double
  ) {
    (self.folder, self.executable, self.most, self.time) = (folder, executable, most, time)
    pool = ProcessPool(jobs: jobs, patience: patience)
  }

  /// Text by which a page is recognised, and number of bytes in which it stands.
  private static let (mark, markEnd) = ("<title>Respool report</title>", 2048)

  /// Checks that a page may be written to a path: nothing is there, or an earlier page, which it replaces.
  ///
  /// Throws `invalidArgument` if another file is there.
  public static func check(_ path: String) throws(MediaError) {
    if let obstacle = PendingFile.obstacle(at: path, inputs: []) {
      throw MediaError(.invalidArgument, obstacle, file: path)
    }
    guard fileExists(path) else { return }
    let file = PathName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    defer { if file >= 0 { close(file) } }
    let start = [UInt8](unsafeUninitializedCapacity: markEnd) { buffer, count in
      count = file < 0 ? 0 : max(0, read(file, buffer.baseAddress, markEnd))
    }
    guard String(decoding: start, as: UTF8.self).contains(mark) else {
      throw MediaError(
        .invalidArgument, "there is a file of this name that is no report; name another one",
        file: path)
    }
  }

  /// Writes the page to a path, where an earlier page may be.
  ///
  /// Throws `io` if the folder has no ledger, or the page cannot be written, `invalidArgument` if another file is there,
  /// and `cancelled` if the user interrupts.
  public func write(to path: String) throws(MediaError) {
    try Self.check(path)
    let interruption = try Interruption()
    let status = try LedgerStatus(of: folder, limit: Self.mostFailures)
    // A killed process may have left a part of its page.
    PendingFile.removeAbandoned(in: PathName.folder(path))
    let pending = PendingFile(for: path)
    do throws(MediaError) {
      var writer = try PageWriter(try FileSink(path: pending.path))
      try putHead(status, writer)
      try putRows(status, &writer, PathName.folder(PathName.absolute(path)), interruption)
      try writer.finish()
      try pending.complete(replacing: true)
    } catch {
      pool.stop()
      pending.discard()
      throw error
    }
  }

  private func putHead(_ status: LedgerStatus, _ writer: PageWriter) throws(MediaError) {
    let work = FolderWork(on: folder)
    let summary = PageSummary(
      title: PathName.last(PathName.absolute(folder)), work: work, left: work.left { _ in nil },
      counts: status.counts, sourceSize: status.sourceSize, outputSize: status.outputSize,
      seconds: status.seconds, presetCount: try presetCount())
    try writer.put(
      summary.json(), sentence: summary.sentence,
      failures: status.failures.map { ($0.path, $0.reason) },
      more: Int(status.counts[.failed] ?? 0) - status.failures.count)
  }

  private func presetCount() throws(MediaError) -> Int {
    try LedgerStatus.read(folder) { ledger throws(Ledger.Failure) in try ledger.presetCount() }
  }

  private func putRows(
    _ status: LedgerStatus, _ writer: inout PageWriter, _ home: String,
    _ interruption: Interruption
  ) throws(MediaError) {
    let total = Int(status.counts.values.reduce(0, +))
    // The looks that those leave are spread over all files, so that there are some of each folder.
    let share = max(0, most - Int(status.lossyCount + status.incompleteCount))
    func hasTurn(_ number: Int) -> Bool {
      total > 0 && number * share / total > (number - 1) * share / total
    }
    var (number, left, last) = (0, most, Int64(0))
    let presets = PagePresets(status.presets)
    while let entries = try next(after: &last) {
      var wanted: [(number: Int, entry: LedgerEntry)] = []
      for entry in entries {
        number += 1
        guard left > 0, entry.output != nil,
          hasTurn(number) || !entry.losses.isEmpty || entry.isIncomplete
        else { continue }
        wanted.append((number, entry))
        left -= 1
      }
      try look(at: wanted, presets, interruption)
      for (index, entry) in entries.enumerated() {
        let row = number - entries.count + index + 1
        try writer.add(
          PageRow(entry, number: row, in: folder)
            .json(details["\(row)"], preset: presets.name(of: entry)) { _, file in
              PageWriter.address(of: file.path, from: home)
            })
      }
      details = [:]
      progress(number, total)
    }
  }

  /// Returns the entries of the next slice; `nil` at the end.
  private func next(after last: inout Int64) throws(MediaError) -> [LedgerEntry]? {
    var entries: [LedgerEntry] = []
    var end = last
    try LedgerStatus.read(folder) { ledger throws(Ledger.Failure) in
      try ledger.entries(after: last, limit: Self.slice) { entry, number in
        // An output without a name is in no total.
        if entry.output?.isPublished ?? true { entries.append(entry) }
        end = number
      }
    }
    defer { last = end }
    return end > last ? entries : nil
  }

  // MARK: Details

  /// Looks at files; settings are those of a preset if that has made the output, as it is now.
  private func look(
    at entries: [(number: Int, entry: LedgerEntry)], _ presets: PagePresets,
    _ interruption: Interruption
  ) throws(MediaError) {
    var waiting = entries[...]
    while !waiting.isEmpty || !pool.running.isEmpty {
      if monotonicSeconds() - start >= time { waiting = [] }
      while pool.hasRoom, let (number, entry) = waiting.popFirst() {
        if let process = try Self.process(
          executable, entry, named: "\(number)", in: folder, preset: presets.name(of: entry))
        {
          pool.add(process)
        }
      }
      guard !pool.running.isEmpty else { continue }
      _ = pool.wait(interruption) { process, lines in
        for line in lines { details[process.input, default: FileDetails()].take(line) }
      }
      if interruption.isRequested { throw MediaError(.cancelled, "stopped") }
    }
  }

  /// Starts a process with a name that looks into the source and the output of an entry; returns `nil` if both are gone or
  /// were changed.
  ///
  /// With the name of a preset, it finds the settings too.
  static func process(
    _ executable: String, _ entry: LedgerEntry, named name: String, in folder: String,
    preset: String?
  ) throws(MediaError) -> FileProcess? {
    let row = PageRow(entry, number: 0, in: folder)
    func path(_ side: LiveFolder.Side) -> String {
      row.file(side).flatMap { $0.state == .same ? $0.path : nil } ?? ""
    }
    let (source, output) = (path(.source), path(.output))
    guard entry.output != nil, !(source + output).isEmpty else { return nil }
    return try FileProcess(
      executable, [argument, source, output, preset ?? ""], input: name, readsAnswers: true)
  }
}
