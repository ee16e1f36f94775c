import RespoolMedia

/// The work of a batch: files are planned while others are converted.
///
/// In the first second, only plans are made: small folders are then known as a whole, and begin with the files that
/// have the most work. Afterwards one worker of four plans, and the others convert what has been planned.
final class BatchWork: WorkSource {
  private let planner: BatchPlanner
  private let publisher: OutputPublisher
  private let report: BatchReport
  /// `true` if nothing is converted.
  private let planOnly: Bool
  /// Part of a plan that this process does; `nil` if it does all of its work alone.
  private let share: FleetShare?
  /// Greatest number of workers.
  private let workers: Int
  /// Files that are being planned, or whose outputs are examined.
  private var planning: Set<Int> = []
  /// Seconds that one worker has converted more than it has planned.
  private var lead = 0.0

  /// Seconds in which only plans are made.
  private static let planningTime = 1.0

  init(
    _ planner: BatchPlanner, _ publisher: OutputPublisher, _ report: BatchReport, workers: Int,
    planOnly: Bool, share: FleetShare?
  ) {
    self.share = share
    (self.planner, self.publisher, self.report) = (planner, publisher, report)
    (self.workers, self.planOnly) = (workers, planOnly)
    planner.convert = { publisher.waiting.insert($0) }
    planner.watch?.isConverting = { publisher.isConverting($0) }
  }

  func checkCanGoOn() throws(MediaError) {
    try publisher.results.folder.checkIsAtPath()
    if planner.isWaiting { publisher.storeIfDue() }
    try checkIn(isLast: false)
  }

  /// Tells the processes that work on the same plan what this one has done; with `isLast` all of it.
  func checkIn(isLast: Bool) throws(MediaError) {
    guard let share else { return }
    try share.checkIn(isLast: isLast) {
      publisher.syncFolders()
      publisher.results.store()
    } update: {
      report.update(&$0)
    }
    for message in share.takeMessages() { report.warn(message) }
  }

  func next() throws(MediaError) -> NextWork {
    if planner.sharesPlan {
      while planner.isWalking, !planner.isStopped, publisher.waiting.isEmpty {
        try planner.refill()
        if planner.isWaiting { break }
      }
    } else {
      repeat { try planner.refill() } while needsFiles
    }
    report.isWalking = planner.isWalking
    if planner.isStopped { return .none }
    let plan = planner.nextFile.map(NextWork.file)
    let isPlanning = plan != nil || !planning.isEmpty
    guard !planOnly, !isPlanning || report.elapsed >= Self.planningTime else {
      return plan ?? .none
    }
    if let plan, prefersPlanning { return plan }
    switch try publisher.next(isPlanned: !isPlanning && !planner.isWalking) {
    case .file(let file):
      publisher.prepare(
        workers: planner.isWalking ? workers : min(workers, knownCount), most: workers)
      return .file(file)
    case .later: return plan ?? .later
    case .none: return plan ?? (planner.isWaiting ? .later : .none)
    }
  }

  /// `true` if files of a plan are left, and there is nothing to do before they are read.
  private var needsFiles: Bool {
    planner.isWalking && !planner.isWaiting && !planner.isStopped && !planner.hasWork
      && (publisher.waiting.isEmpty || report.elapsed < Self.planningTime)
  }

  /// Number of files that are to be converted, or may have to be.
  private var knownCount: Int { planner.undecidedCount + publisher.waiting.count }

  /// `true` if a file is planned before another one is converted.
  private var prefersPlanning: Bool {
    workers == 1 ? lead > 0 : planning.count < max(1, workers / 4)
  }

  func begin(_ file: BatchFile) -> WorkerRequest? {
    if planner.owns(file.number) {
      planner.takeNext()
      planning.insert(file.number)
      return request(toPlan: file)
    }
    publisher.takeNext(file)
    return publisher.request(for: file)
  }

  func beginAgain(_ number: Int) -> (file: BatchFile, request: WorkerRequest)? {
    if let file = planner.file(number) {
      planning.insert(number)
      return request(toPlan: file).map { (file, $0) }
    }
    guard let file = publisher.files[number] else { return nil }
    return publisher.request(for: file).map { (file, $0) }
  }

  private func request(toPlan file: BatchFile) -> WorkerRequest? {
    guard let request = planner.request(for: file) else {
      planning.remove(file.number)
      return nil
    }
    return request
  }

  func putBack(_ number: Int) {
    if planner.owns(number) { planner.putBack(number) } else { publisher.putBack(number) }
  }

  func take(_ answer: WorkerAnswer, seconds: Double) {
    if planning.remove(answer.file) != nil {
      lead -= seconds
      planner.take(answer, seconds: seconds)
    } else {
      lead += seconds
      publisher.take(answer, seconds: seconds)
    }
  }

  func discard(_ number: Int) {
    if planning.remove(number) == nil { publisher.discard(number) }
  }

  func fail(_ number: Int, _ reason: String) {
    if planner.owns(number) { planner.fail(number, reason) } else { publisher.fail(number, reason) }
  }
}
