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
  /// Details that have arrived, by the path of the source.
  private var details: [PathKey: FileDetails] = [:]
  /// Receives the number of files that are done, and that of all.
  public var progress: (Int, Int) -> Void = { _, _ in }

  /// Returns the path of the page that a batch makes of itself at its end.
  public static func usualPath(in folder: String) -> String {
    PathName.join(PathName.join(folder, OutputFolder.stateName), "report.html")
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

  /// Writes the page to a path, which may exist.
  ///
  /// Throws `io` if the folder has no ledger, or the page cannot be written, and `cancelled` if the user interrupts.
  public func write(to path: String) throws(MediaError) {
    let interruption = try Interruption()
    let status = try LedgerStatus(of: folder, limit: Self.mostFailures)
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
    func count(_ result: LedgerStatus.Result) -> Int64 { status.counts[result] ?? 0 }
    let name = PathName.last(PathName.absolute(folder))
    let counts = JSON.object([
      "converted": .integer(count(.converted)), "copied": .integer(count(.copied)),
      "skipped": .integer(count(.skipped)), "failed": .integer(count(.failed)),
      "remaining": .integer(status.last?.counts.unfinished ?? 0),
    ])
    let summary = JSON.object([
      "format": .integer(1), "title": .string(name), "preset": .string(status.last?.preset ?? ""),
      "started": .integer(status.last?.started ?? 0),
      "ended": status.last?.ended.map { .integer($0) }, "counts": counts,
      "sourceBytes": .integer(status.sourceSize), "outputBytes": .integer(status.outputSize),
      "workSeconds": .number(status.seconds), "live": .bool(false), "machines": .array([]),
    ])
    try writer.put(
      summary,
      sentence: "\(name): \(count(.converted)) converted, \(count(.copied)) copied, "
        + "\(count(.skipped)) skipped, \(count(.failed)) failed; sources "
        + "\(ByteCount.text(status.sourceSize)), outputs \(ByteCount.text(status.outputSize)).",
      failures: status.failures.map { ($0.path, $0.reason) },
      more: Int(count(.failed)) - status.failures.count)
  }

  private func putRows(
    _ status: LedgerStatus, _ writer: inout PageWriter, _ home: String,
    _ interruption: Interruption
  ) throws(MediaError) {
    let total = Int(status.counts.values.reduce(0, +))
    // Every n-th file is looked at, so that those of all folders are.
    let step = max(1, (total + most - 1) / max(1, most))
    var (number, left, last) = (0, most, Int64(0))
    let preset = status.last.map { last in
      (name: last.preset, identity: try? PresetLibrary.standard.identity(of: last.preset))
    }
    while true {
      let entries = try next(after: &last)
      if entries.isEmpty { return }
      var wanted: [LedgerEntry] = []
      for entry in entries {
        number += 1
        guard left > 0, entry.output != nil,
          number % step == 0 || !entry.losses.isEmpty || entry.isIncomplete
        else { continue }
        wanted.append(entry)
        left -= 1
      }
      try look(at: wanted, preset, interruption)
      for (index, entry) in entries.enumerated() {
        try writer.add(
          PageRow(entry, number: number - entries.count + index + 1, in: folder)
            .json(details[PathKey(entry.source)]) { _, file in
              fileExists(file.path) ? PageWriter.address(of: file.path, from: home) : nil
            })
      }
      details = [:]
      progress(number, total)
    }
  }

  private func next(after last: inout Int64) throws(MediaError) -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    var end = last
    try LedgerStatus.read(folder) { ledger throws(Ledger.Failure) in
      try ledger.entries(after: last, limit: Self.slice) { entry, number in
        entries.append(entry)
        end = number
      }
    }
    last = end
    return entries
  }

  // MARK: Details

  /// Looks at files; settings are those of a preset if that has made the output, as it is now.
  private func look(
    at entries: [LedgerEntry], _ preset: (name: String, identity: String?)?,
    _ interruption: Interruption
  ) throws(MediaError) {
    var waiting = entries[...]
    while !waiting.isEmpty || !pool.running.isEmpty {
      if monotonicSeconds() - start >= time { waiting = [] }
      while pool.hasRoom, let entry = waiting.popFirst() {
        let isOfPreset = entry.preset == preset?.identity
        if let process = try Self.process(
          executable, entry, in: folder, preset: isOfPreset ? preset?.name : nil)
        {
          pool.add(process)
        }
      }
      guard !pool.running.isEmpty else { continue }
      _ = pool.wait(interruption) { process, lines in
        for line in lines { details[PathKey(process.input), default: FileDetails()].take(line) }
      }
      if interruption.isRequested { throw MediaError(.cancelled, "stopped") }
    }
  }

  /// Starts a process that looks into the source and the output of an entry; returns `nil` if there is no output.
  ///
  /// With the name of a preset, it finds the settings too.
  static func process(
    _ executable: String, _ entry: LedgerEntry, in folder: String, preset: String?
  ) throws(MediaError) -> FileProcess? {
    guard let output = entry.output else { return nil }
    let path = PathName.join(folder, output.name)
    guard fileExists(path) else { return nil }
    let source = entry.originalPath.flatMap { fileExists($0) ? $0 : nil } ?? ""
    return try FileProcess(
      executable, [argument, source, path, preset ?? ""], input: entry.source, readsAnswers: true)
  }
}
