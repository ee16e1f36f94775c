import RespoolMedia

/// The batches that have worked on a folder, and the state that they have left.
extension Ledger {
  /// Notes the start of a batch with a preset's name, in seconds since 1970.
  ///
  /// `hours` are those in which it may work, if they are limited.
  func begin(preset: String, hours: DayHours? = nil, at time: Int64) throws(Failure) {
    guard isWritable else { throw Failure.readOnly }
    try database.statement("INSERT INTO runs(started, preset, hours) VALUES(?, ?, ?)")
      .run([
        .integer(time), .bytes(PathName.bytes(preset)),
        hours.map { .bytes(PathName.bytes($0.text)) } ?? .null,
      ])
    run = database.lastRow
  }

  /// `true` if an earlier batch did not end by itself, and no other one has removed what it left.
  func wasCut() throws(Failure) -> Bool {
    var isCut = false
    try database.statement("SELECT 1 FROM runs WHERE ended IS NULL LIMIT 1").run([]) { _ in
      isCut = true
    }
    return isCut
  }

  /// Returns the number of threads of each worker in the batch before this one; `nil` unless that batch had the same
  /// preset and as many workers, and has left files.
  func threadsOfUnfinishedRun(preset: String, workers: Int) throws(Failure) -> Int? {
    guard let run else { return nil }
    var threads: Int?
    try database.statement(
      """
      SELECT threads FROM (SELECT * FROM runs WHERE id < ? ORDER BY id DESC LIMIT 1)
      WHERE (ifnull(ended, 0) = 0 OR unfinished > 0) AND preset = ? AND workers = ? AND threads IS NOT NULL
      """
    ).run([.integer(run), .bytes(PathName.bytes(preset)), .integer(Int64(workers))]) {
      threads = Int($0.integer(0))
    }
    return threads
  }

  /// Returns the number of threads of each worker in a batch that shares the work with this one; `nil` if it has not set
  /// it yet.
  func threadsOfOtherRun(preset: String) throws(Failure) -> Int? {
    guard let run else { return nil }
    var threads: Int?
    try database.statement(
      """
      SELECT threads FROM runs WHERE id <> ? AND ended IS NULL AND preset = ? AND threads IS NOT NULL
      ORDER BY id LIMIT 1
      """
    ).run([.integer(run), .bytes(PathName.bytes(preset))]) { threads = Int($0.integer(0)) }
    return threads
  }

  /// Notes the number of workers of this batch and of the threads of each.
  func setThreads(_ threads: Int, workers: Int) throws(Failure) {
    guard let run else { return }
    try database.statement("UPDATE runs SET workers = ?, threads = ? WHERE id = ?")
      .run([.integer(Int64(workers)), .integer(Int64(threads)), .integer(run)])
  }

  /// Notes the end of the batch and its counts.
  ///
  /// With `hasRemovedRemains`, nothing is left of killed batches.
  func end(_ counts: LedgerStatus.Counts, at time: Int64, hasRemovedRemains: Bool) throws(Failure) {
    guard let run else { return }
    try database.statement(
      """
      UPDATE runs SET ended = ?, converted = ?, copied = ?, skipped = ?, failed = ?, unfinished = ?
      WHERE id = ?
      """
    ).run(
      [
        time, counts.converted, counts.copied, counts.skipped, counts.failed, counts.unfinished,
        run,
      ]
      .map { .integer($0) })
    if hasRemovedRemains {
      try database.execute("UPDATE runs SET ended = 0 WHERE ended IS NULL")
    }
    // An earlier run is no longer useful after some hundreds of others.
    try database.statement("DELETE FROM runs WHERE id <= ?").run([.integer(run - 500)])
  }

  /// Returns the state of the folder; at most `limit` failed files and as many with incomplete sources.
  func status(limit: Int) throws(Failure) -> LedgerStatus {
    var status = LedgerStatus()
    // Earlier versions have neither totals of incomplete sources nor the hours.
    let hasTotals = version >= 3
    for row in try totals() {
      status.counts[row.result] = row.files
      guard row.result == .converted || row.result == .copied else { continue }
      status.sourceSize += row.size
      status.outputSize += row.outputSize
      status.seconds += row.seconds
      status.incompleteCount += row.incomplete
      status.lossyCount += row.lossy
    }
    try database.statement("SELECT count(*) FROM files WHERE \(Self.isUnpublished)").run([]) {
      status.unpublishedCount = $0.integer(0)
    }
    status.failures = try files("result = 3", limit)
    if hasTotals {
      status.incomplete = try files("incomplete = 1 AND result < 2", limit)
    }
    status.last = try lastRun(hours: hasTotals ? "hours" : "NULL")
    try database.statement("SELECT count(*) FROM runs").run([]) {
      status.batchCount = $0.integer(0)
    }
    try database.statement("SELECT preset FROM runs GROUP BY preset ORDER BY max(id) DESC LIMIT ?")
      .run([.integer(LedgerStatus.mostPresets)]) { status.presets.append($0.text(0)) }
    if status.presets.count > 1 { status.presetCount = try presetCount() }
    try database.statement("SELECT count(*) FROM files WHERE attempts = 0 AND result < 2").run([]) {
      status.foundCount = $0.integer(0)
    }
    guard replacedColumns != nil else { return status }
    try database.statement("SELECT count(*), count(kept_folder) FROM files WHERE state IN (2, 5)")
      .run([]) {
        (status.replaced, status.keptOriginals) = ($0.integer(0), $0.integer(1))
      }
    return status
  }

  /// Totals of the sources with a result.
  struct Totals {
    let result: LedgerStatus.Result
    var files: Int64 = 0
    /// Bytes of the sources and of the outputs.
    var size: Int64 = 0
    var outputSize: Int64 = 0
    var seconds = 0.0
    var incomplete: Int64 = 0
    var lossy: Int64 = 0
  }

  /// Returns the totals of each result, without those whose outputs have no names yet.
  func totals() throws(Failure) -> [Totals] {
    // Earlier versions have neither of the last two.
    let more =
      version >= 3
      ? "incomplete - ifnull(u_incomplete, 0), lossy - ifnull(u_lossy, 0)" : "0, 0"
    var all: [Totals] = []
    try database.statement(
      """
      SELECT t.result, files - ifnull(u_files, 0), size - ifnull(u_size, 0), out_size - ifnull(u_out_size, 0),
        seconds - ifnull(u_seconds, 0), \(more)
      FROM totals t LEFT JOIN (
        SELECT result, count(*) AS u_files, sum(size) AS u_size, sum(out_size) AS u_out_size, sum(seconds) AS u_seconds,
          sum(incomplete) AS u_incomplete, count(losses) AS u_lossy
        FROM files WHERE \(Self.isUnpublished) GROUP BY result) u ON u.result = t.result
      """
    ).run([]) {
      guard let result = LedgerEntry.Result(rawValue: $0.integer(0)) else { return }
      all.append(
        Totals(
          result: result, files: $0.integer(1), size: $0.integer(2), outputSize: $0.integer(3),
          seconds: $0.real(4), incomplete: $0.integer(5), lossy: $0.integer(6)))
    }
    return all
  }

  /// Returns the number of presets that entries have; reads all of them.
  func presetCount() throws(Failure) -> Int {
    var count = 0
    try database.statement("SELECT count(DISTINCT preset) FROM files").run([]) {
      count = Int($0.integer(0))
    }
    return count
  }

  /// Returns files and their reasons in the order in which they were done.
  private func files(_ condition: String, _ limit: Int) throws(Failure) -> [LedgerStatus.File] {
    var files: [LedgerStatus.File] = []
    try database.statement(
      """
      SELECT f.text, files.name, r.text FROM files JOIN words f ON f.id = files.folder
        LEFT JOIN words r ON r.id = files.reason WHERE \(condition) ORDER BY files.id LIMIT ?
      """
    ).run([.integer(Int64(limit))]) {
      files.append(
        .init(
          path: PathName.join($0.text(0), $0.text(1)),
          reason: $0.isNull(2) ? LedgerEntry.changedSource : $0.text(2)))
    }
    return files
  }

  /// Calls `body` with each source whose output lacks something of it, in the order in which they were done.
  func eachLoss(_ body: (LedgerStatus.Loss) -> Void) throws(Failure) {
    try database.statement(
      """
      SELECT f.text, files.name, o.text, out_name, l.text FROM files JOIN words f ON f.id = files.folder
        JOIN words l ON l.id = files.losses LEFT JOIN words o ON o.id = files.out_folder
        WHERE result < 2 ORDER BY files.id
      """
    ).run([]) {
      body(
        LedgerStatus.Loss(
          source: PathName.join($0.text(0), $0.text(1)),
          output: PathName.join($0.text(2), $0.text(3)),
          sentences: $0.text(4).split(separator: "\n").map(String.init)))
    }
  }

  private func lastRun(hours: String) throws(Failure) -> LedgerStatus.Run? {
    var last: LedgerStatus.Run?
    try database.statement(
      """
      SELECT started, ended, preset, converted, copied, skipped, failed, unfinished, \(hours) FROM runs
      ORDER BY id DESC LIMIT 1
      """
    ).run([]) { row in
      var run = LedgerStatus.Run(started: row.integer(0), preset: row.text(2))
      run.hours = row.isNull(8) ? nil : DayHours(row.text(8))
      // 0 is that of a killed batch.
      if row.integer(1) > 0 {
        run.ended = row.integer(1)
        run.counts = LedgerStatus.Counts(
          converted: row.integer(3), copied: row.integer(4), skipped: row.integer(5),
          failed: row.integer(6), unfinished: row.integer(7))
      }
      last = run
    }
    return last
  }
}
