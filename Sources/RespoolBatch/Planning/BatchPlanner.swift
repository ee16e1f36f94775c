import DequeModule
import Glibc
import RespoolHost
import RespoolMedia

/// The plan of a batch: it finds the files, and decides for each what is done with it, and the name of its output.
///
/// The files come from the walk in groups whose outputs may get the same name. A group is planned while others are
/// converted already, and only the files that have no decision yet are in memory.
final class BatchPlanner {
  /// Files that have no decision yet, by number.
  private var files: [Int: BatchFile] = [:]
  private var groups: [Int: Group] = [:]
  /// Files that workers have to plan, or whose existing outputs they have to examine.
  private var waiting: Deque<Int> = []
  private var walker: Walker
  /// Makes the next search of the inputs.
  private let search: () -> Walker
  /// Watch on the inputs; `nil` if they are searched once.
  let watch: FolderWatch?
  private var searchBegan = monotonicSeconds()
  /// Plan whose files are taken instead of those that are found; `nil` if there is none.
  private let plan: (any PlanSupply)?
  /// `true` if each part of the plan is taken only when no file waits, because other machines may take it.
  let sharesPlan: Bool
  /// `true` if files may come later: from the plan, or into folders that are watched.
  private(set) var isWaiting = false
  /// `true` after the first search of folders that are watched.
  private var hasSearched = false
  private(set) var isWalking = true
  /// Number of the next file.
  private var next = 0
  private let options: BatchOptions
  private let inputs: InputPaths
  /// Rule by which the file system of the outputs tells names apart.
  private let rule: NameRule
  private let existing: ExistingOutputs
  private let results: BatchResults
  private var folder: OutputFolder { results.folder }
  private let report: BatchReport
  /// `true` if nothing is to be written.
  private let planOnly: Bool
  private let moved: MovedOutputs
  /// Outputs that get other names by the plan, before anything else happens; `nil` after them, or if other machines do that.
  private var moves: PlannedMoves?
  private let subtitles: FilmSubtitles
  /// Names of outputs whose sources were found under other names; a source may be found under two.
  private var relocated: Set<PathKey> = []
  /// Files whose outputs are to get names that others have, which may move too when their sources have been found.
  private var blocked: [Int] = []
  /// Maximum number of these files; they are in memory.
  private static let mostBlocked = 4096
  /// Receiver of plans that are only shown; `nil` if they are carried out.
  private let shown: ShownPlans?
  /// Reason why no output can be written, in a plan that is only shown.
  private lazy var folderProblem = planOnly ? problem(writingInto: options.output) : nil
  /// Takes a file that is to be converted or copied.
  var convert: (BatchFile) -> Void = { _ in }

  /// Files that wait for workers are found until there are as many.
  private static let ahead = 256

  /// Files whose plans decide together on the names of their outputs.
  private final class Group {
    let files: [Int]
    let folder: SourceFolder
    /// Number of files without a plan.
    var unplanned = 0

    init(_ files: [Int], _ folder: SourceFolder) { (self.files, self.folder) = (files, folder) }
  }

  /// Creates a planner.
  ///
  /// - Parameters:
  ///   - plan: plan whose files are taken instead of those that are found.
  ///   - target: plan to which the decisions are written.
  init(
    _ options: BatchOptions, _ results: BatchResults, _ report: BatchReport, planOnly: Bool,
    plan: (any PlanSupply)?, sharesPlan: Bool = false, target: PlanFile?
  ) {
    (self.plan, self.sharesPlan) = (plan, sharesPlan)
    (self.options, self.results, self.report) = (options, results, report)
    self.planOnly = planOnly
    inputs = InputPaths(options.inputs, output: options.output)
    subtitles = FilmSubtitles(isWanted: options.attachesSidecars)
    existing = ExistingOutputs(options, inputs, results, subtitles)
    moved = MovedOutputs(options, results.folder, isShown: planOnly)
    moves = (plan as? PlanFile).map { [moved] in PlannedMoves($0, results, moved) }
    shown = planOnly ? ShownPlans(results, report, target) : nil
    rule = NameRule(of: options.output)
    let finished =
      options.onExists == .skip && options.replacement == nil
      ? FinishedFiles(
        in: results.folder, preset: results.preset, versions: results.versions,
        isStrict: options.strict, wantsNames: report.namesFinishedFiles,
        subtitles: subtitles) : nil
    let rule = rule
    search = {
      Walker(
        options.inputs, excluding: options.replacement.map(\.originals) ?? options.output,
        followsLinks: options.followsLinks, filter: options.filter, finishedFiles: finished,
        rule: rule, isReplacing: options.replacement != nil)
    }
    watch = options.sweep.map { FolderWatch(options.inputs, sweep: $0) }
    walker = search()
  }

  // MARK: Files

  /// Prepares the walk, which ends early if the user requests it.
  func begin(_ interruption: Interruption) {
    self.interruption = interruption
    prepareSearch()
  }

  private func prepareSearch() {
    guard let interruption else { return }
    searchBegan = monotonicSeconds()
    walker.step = { [report] count in
      interruption.update()
      report.tick(found: count)
      return !interruption.isRequested
    }
    walker.findDoubles()
  }

  private var interruption: Interruption?

  /// Begins another search if files have changed; returns `false` if there is nothing to search.
  private func searchAgain(_ watch: FolderWatch) -> Bool {
    if let problem = watch.takeProblem() { report.warn(problem) }
    guard watch.isDue() else { return false }
    walker = search()
    prepareSearch()
    isWaiting = false
    return true
  }

  /// `true` if the user has ended the walk.
  var isStopped: Bool { walker.isStopped }

  /// Number of files that were found and have no decision yet.
  var undecidedCount: Int { files.count }

  /// `true` if a file waits for a worker.
  var hasWork: Bool { !waiting.isEmpty }

  /// Finds more files if few wait.
  ///
  /// Throws `malformed` or `io` if a plan cannot be read or written.
  func refill() throws(MediaError) {
    if let failure = shown?.failure { throw failure }
    if let plan { return try take(plan) }
    if isWaiting, let watch, !searchAgain(watch) { return }
    while isWalking, !isWaiting, !walker.isStopped, waiting.count < Self.ahead / 2 {
      var found: [(files: [BatchFile], folder: SourceFolder)] = []
      // One change of the ledger for all.
      folder.together {
        var count = 0
        while isWalking, count < Self.ahead {
          let group = walker.next()
          for problem in walker.takeProblems() where watch?.isNew(problem) ?? true {
            leaveOut(problem)
          }
          guard let group else {
            endSearch()
            break
          }
          let files = watch.map { watch in group.files.filter { watch.takes($0) } } ?? group.files
          guard !files.isEmpty else { continue }
          count += files.count
          found.append((files.map { settledAsRecorded($0) }, group.folder))
        }
      }
      if !hasSearched { report.finishedBefore = walker.finishedCount }
      decide(found.map { admit($0.files, $0.folder) })
      report.tick(found: 0)
    }
    if !isWalking || isWaiting, !blocked.isEmpty { move([], isLast: true) }
    for problem in folder.takeProblems() { report.warn(problem) }
  }

  private func endSearch() {
    isWalking = walker.isStopped || watch != nil
    guard let watch, !walker.isStopped else { return }
    isWaiting = true
    hasSearched = true
    watch.searched(seconds: monotonicSeconds() - searchBegan)
  }

  /// Takes files of a plan.
  private func take(_ plan: any PlanSupply) throws(MediaError) {
    guard isWalking else { return }
    if let moves {
      guard let files = try moves.next() else { return self.moves = nil }
      for _ in files { report.countFound() }
      return files.forEach(settle)
    }
    let supplied = try plan.next(Self.ahead)
    (isWalking, isWaiting) = (true, false)
    switch supplied {
    case .files(let files): for file in files { admit(file) }
    case .later: isWaiting = true
    case .end: isWalking = false
    }
    report.tick(found: 0)
  }

  /// Follows the plan of a file, unless something has changed that it depends on.
  private func admit(_ planned: BatchFile) {
    var file = planned
    report.countFound()
    if file.isToConvert {
      if case .finished(let name, let incomplete) = results.finding(for: file),
        name == file.outputName
      {
        file.settleAsDone(incomplete: incomplete)
      } else if let reason = file.reasonAgainstPlan {
        file.fail(reason)
      } else if !moved.leaves(file.outputName) {
        existing.judgePlanned(&file)
      }
    }
    settle(file)
  }

  private func leaveOut(_ found: Walker.Problem) {
    var problem = found
    if problem.isBrokenLink, options.replacement != nil,
      let reason = folder.reasonOfBrokenLink(problem.path)
    {
      (problem.reason, problem.isHarmless) = (reason, true)
    }
    let file = BatchFile(next, problem)
    next += 1
    report.countFound()
    settle(file)
  }

  /// Has the files of a group planned that are not settled, and returns the group.
  private func admit(_ found: [BatchFile], _ folder: SourceFolder) -> Group {
    let group = Group(found.map(\.number), folder)
    for file in found {
      files[file.number] = file
      groups[file.number] = group
      report.countFound()
      if file.isUnplanned { letWait(file.number, group) }
    }
    return group
  }

  private func letWait(_ number: Int, _ group: Group) {
    group.unplanned += 1
    waiting.append(number)
  }

  /// Returns a file that was found, settled if an earlier batch has finished it and it has not changed since.
  ///
  /// Its content is not read, except samples if its change time differs from the recorded one.
  private func settledAsRecorded(_ found: Walker.Found) -> BatchFile {
    var file = BatchFile(next, found)
    next += 1
    if let name = found.finished {
      file = file.named(name, in: options.output)
      file.settleAsDone()
    }
    // Its own outputs are among the files of a batch that replaces.
    guard file.isUnplanned, options.onExists == .skip || options.replacement != nil else {
      return file
    }
    switch results.finding(for: file) {
    case .finished(let name, let incomplete):
      let done = file.named(name, in: options.output)
      guard existing.changedSubtitles(of: done) == nil else { break }
      file = done
      file.settleAsDone(incomplete: incomplete)
    case .moved(let name):
      let isFirst = relocated.insert(PathKey(name)).inserted
      if isFirst, existing.hasSameSubtitles(file, outputNamed: name) {
        file.settleAsMoved(from: name)
      } else if isFirst {
        file.outdatedOutputName = name
      }
    case .skipped(let reason): file.plan = FilePlan(action: .skip, reason: reason)
    case .remembered(let entry):
      guard options.onExists == .skip, existing.stillHolds(entry, of: file) else { break }
      file.settleAsRemembered(
        FilePlan(action: entry.result == .skipped ? .skip : .fail, reason: entry.reason))
    case nil: break
    }
    return file
  }

  // MARK: Decisions

  /// Decides on the groups whose files have all been planned.
  private func decide(_ some: [Group]) {
    let ready = some.filter { $0.unplanned == 0 }
    for group in ready { name(group) }
    move(ready, isLast: !isWalking || isWaiting || blocked.count > Self.mostBlocked)
    // Files whose outputs cannot be moved are being planned, or wait for others.
    for group in ready where group.unplanned == 0 { settle(group) }
  }

  private func settle(_ group: Group) {
    for number in group.files {
      groups[number] = nil
      guard var file = files[number] else { continue }
      if file.isToConvert, !moved.leaves(file.outputName),
        existing.judge(&file, relocated: relocated)
      {
        files[number] = file
        waiting.append(number)
      } else {
        settle(file)
      }
    }
  }

  /// Moves the outputs of moved sources; one that cannot be moved is made again.
  ///
  /// Unless it is the last time, those wait whose new names others have.
  private func move(_ some: [Group], isLast: Bool) {
    var hasNew = false
    for group in some {
      let moves = group.files.filter { files[$0]?.formerOutputName != nil }
      blocked += moves
      group.unplanned += moves.count
      hasNew = hasNew || !moves.isEmpty
    }
    guard hasNew || isLast && !blocked.isEmpty else { return }
    var moves = blocked.compactMap { files[$0] }
    let waiting = Set(moved.move(&moves))
    blocked = isLast ? [] : moves.filter { waiting.contains($0.number) }.map(\.number)
    for var file in moves where isLast || !waiting.contains(file.number) {
      guard let group = groups[file.number] else { continue }
      group.unplanned -= 1
      if waiting.contains(file.number) { file.unsettle() }
      files[file.number] = file
      if file.isUnplanned {
        letWait(file.number, group)
      } else {
        settle(file)
        if group.unplanned == 0, !some.contains(where: { $0 === group }) { settle(group) }
      }
    }
  }

  /// Gives the outputs of a group their names.
  private func name(_ group: Group) {
    let all = group.files.compactMap { files[$0] }
    let named = all.filter { $0.neededExtension != nil }
    guard !named.isEmpty else { return }
    let done = all.filter { $0.isDoneAlready && $0.formerOutputName == nil }
    let unfinished = Set(named.map { PathKey(PathName.absolute($0.path)) })
    let assigned = OutputNames.assign(
      named.map {
        OutputNames.Entry(
          path: $0.path, relative: $0.relative, outputExtension: $0.neededExtension ?? "")
      },
      onCollision: options.onCollision, rule: rule, isTaken: group.folder.hasStem,
      isFolder: { group.folder.hasFolder(PathName.last($0)) }
    ) { [self] name in
      if options.replacement != nil,
        let own = group.files.first(where: {
          files[$0].map { rule.key($0.relative) == rule.key(name) } ?? false
        })
      {
        return files[own].map { PathName.absolute($0.path) }
      }
      if let path = group.folder.renamed[rule.key(name)] { return path }
      if let file = done.first(where: { rule.key($0.outputName) == rule.key(name) }) {
        return file.path
      }
      guard options.onExists == .skip, let source = folder.source(ofOutput: name),
        unfinished.contains(PathKey(source)) || fileExists(source) && inputs.contain(source)
      else { return nil }
      return source
    }
    for (file, result) in zip(named, assigned) {
      var file = file
      switch result {
      case .success(let name):
        file = file.named(name, in: options.output)
        if PathName.splitExtension(PathName.last(name)).stem
          != PathName.splitExtension(PathName.last(file.relative)).stem
        {
          group.folder.renamed[rule.key(name)] = PathName.absolute(file.path)
        }
      case .failure(let error):
        file.unsettle()
        file.fail(error.message)
      }
      files[file.number] = file
    }
  }

  /// Ends the planning of a file.
  private func settle(_ file: BatchFile) {
    var file = file
    files[file.number] = nil
    if file.isToConvert, let problem = folderProblem {
      file.fail("\(options.output) cannot be written to: \(problem)")
    }
    if let shown { return shown.show(file) }
    report.planned(file, seconds: results.predictedSeconds(of: file))
    if file.isToConvert { return convert(file) }
    results.keepLeftOut(file)
    report.finished(
      file, file.plan.action == .skip ? .skipped : .failed, file.plan.reason,
      seconds: file.planningSeconds)
  }
}

/// Planning and the examination of existing outputs, as work for workers.
extension BatchPlanner {
  /// The next file that needs a worker; `nil` if none waits.
  var nextFile: BatchFile? { waiting.first.flatMap { files[$0] } }

  /// Takes the next file out of the list of those that wait.
  func takeNext() { waiting.removeFirst() }

  /// Lets a file wait again, before all others.
  func putBack(_ number: Int) { waiting.prepend(number) }

  /// Returns `true` if a file has no decision yet.
  func owns(_ number: Int) -> Bool { files[number] != nil }

  /// Returns a file that has no decision yet.
  func file(_ number: Int) -> BatchFile? { files[number] }

  /// Returns the request for a file; `nil` if it has failed because it cannot be opened.
  func request(for file: BatchFile) -> WorkerRequest? {
    var request =
      file.isUnplanned
      ? WorkerRequest(task: .plan, file: file.number, input: file.path)
      : WorkerRequest(
        task: .examine, file: file.number, input: file.path, output: file.output)
    do throws(MediaError) {
      for path in request.needed { request.files.append(try OpenFile(FileSource(path: path))) }
      request.sidecars = subtitles.files(of: file.path)
      request.openSidecars()
      return request
    } catch {
      var reason = error
      reason.file = nil
      var file = file
      if error.file == file.output, !file.output.isEmpty {
        existing.apply(.unreadable(reason.description), to: &file)
        settle(file)
      } else {
        file.fail(reason.description)
        planned(file)
      }
      return nil
    }
  }

  /// Takes the answer of a worker, which has worked on the file for some seconds.
  func take(_ answer: WorkerAnswer, seconds: Double) {
    guard var file = files[answer.file] else { return }
    file.planningSeconds += seconds
    guard answer.kind == .planned else {
      existing.apply(answer.examination ?? .unreadable("no result was returned"), to: &file)
      return settle(file)
    }
    file.plan = answer.plan ?? FilePlan(action: .fail, reason: "no plan was returned")
    subtitles.leaveOut(&file)
    // Losses known from the plan; checked before anything is converted.
    if let reason = options.reasonToFail(losses: file.plan.drops, incomplete: nil) {
      file.fail(reason)
    }
    planned(file)
  }

  /// Lets a file fail after its last attempt.
  func fail(_ number: Int, _ reason: String) {
    guard var file = files[number] else { return }
    if file.isUnplanned {
      file.fail(reason)
      planned(file)
    } else {
      existing.apply(.unreadable(reason), to: &file)
      settle(file)
    }
  }

  /// Takes the plan of a file, and decides on its group after the last one.
  private func planned(_ file: BatchFile) {
    files[file.number] = file
    guard let group = groups[file.number] else { return settle(file) }
    group.unplanned -= 1
    decide([group])
  }
}
