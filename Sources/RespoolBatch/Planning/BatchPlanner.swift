import Glibc
import Respool
import RespoolMedia

/// The plan of a batch: its files, an action for each, and the names of the outputs.
///
/// Nothing is written.
final class BatchPlanner {
  private(set) var files: [BatchFile] = []
  private let options: BatchOptions
  private let folder: OutputFolder
  /// Identity of the preset's content.
  private let preset: String
  /// Versions of the plugins that are present, by name.
  private let versions: [String: String]
  /// All of them as text.
  private let plugins: String
  /// Files whose outputs exist and are not in the ledger.
  private var unexamined: [Int] = []
  /// Finished files that the walk has found; `nil` if outputs are made again in any case.
  private let finishedFiles: FinishedFiles?
  /// Number of finished files that are not among `files`.
  private(set) var finishedCount = 0

  /// Creates a planner; `preset` is the identity of the preset's content.
  ///
  /// `wantsFinished` is `true` if `files` includes those that are up to date.
  init(
    _ options: BatchOptions, _ folder: OutputFolder, preset: String, versions: [String: String],
    wantsFinished: Bool
  ) {
    (self.options, self.folder, self.preset, self.versions) = (options, folder, preset, versions)
    plugins = PluginVersions.text(of: Array(versions.keys), in: versions)
    finishedFiles =
      options.onExists == .skip
      ? FinishedFiles(
        in: folder, preset: preset, versions: versions, isStrict: options.strict,
        wantsNames: wantsFinished) : nil
  }

  // MARK: Steps

  /// Finds the files of the inputs; stops early if the user requests it.
  func walk(_ report: BatchReport, _ interruption: Interruption) {
    var walker = Walker(
      excluding: options.output, followsLinks: options.followsLinks, filter: options.filter)
    walker.step = { count in
      interruption.update()
      report.tick(found: count)
      return !interruption.isRequested
    }
    // Files that are found under two inputs have to be told apart by their paths.
    let areDistinct = Self.areDistinct(options.inputs)
    if areDistinct { walker.finishedFiles = finishedFiles }
    for input in options.inputs where !interruption.isRequested { walker.walk(input) }
    // A file that is an input and also lies in an input folder is processed once.
    var seen: Set<PathKey> = []
    finishedCount = walker.finishedCount
    for found in walker.files
    where areDistinct || seen.insert(PathKey(PathName.absolute(found.path))).inserted {
      files.append(
        BatchFile(
          path: found.path, relative: found.relative, size: found.size, modified: found.modified,
          changed: found.changed, inode: found.inode, identity: found.identity,
          plan: found.skipReason.map { FilePlan(action: .skip, reason: $0) }
            ?? FilePlan(action: .fail)))
      guard let name = found.finished else { continue }
      setOutput(name, of: files.count - 1)
      files[files.count - 1].settleAsDone()
    }
    files += walker.problems.map {
      BatchFile(
        path: $0.path, relative: PathName.last($0.path),
        plan: FilePlan(action: $0.isHarmless ? .skip : .fail, reason: $0.reason),
        isExcluded: $0.isExcluded)
    }
  }

  /// Returns `true` if no input is another one, or lies below it.
  private static func areDistinct(_ inputs: [String]) -> Bool {
    let paths = inputs.map { PathName.bytes(PathName.absolute($0)) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    return zip(paths, paths.dropFirst()).allSatisfy { !$1.starts(with: $0) }
  }

  /// Settles the files that an earlier batch has finished and that have not changed since.
  ///
  /// Their contents are not read, except samples of files whose change time differs from the recorded one.
  func settleRecorded(_ interruption: Interruption) {
    guard options.onExists == .skip else { return }
    folder.together {
      for index in unplanned where !interruption.isRequested {
        interruption.update()
        let finding = folder.finding(
          for: files[index], preset: preset, versions: versions, plugins: plugins,
          strict: options.strict, retriesFailed: options.retriesFailed)
        switch finding {
        case .finished(let name):
          setOutput(name, of: index)
          files[index].settleAsDone()
        case .moved(let name): follow(index, from: name)
        case .remembered(let entry):
          files[index].settleAsRemembered(
            FilePlan(action: entry.result == .skipped ? .skip : .fail, reason: entry.reason))
        case nil: break
        }
      }
    }
  }

  /// Gives the output at `name` the place that belongs to its source's new path, if that is free.
  private func follow(_ index: Int, from name: String) {
    let suffix = PathName.splitExtension(PathName.last(name)).extension
    let new = OutputNames.name(of: files[index].relative, extension: suffix)
    guard PathKey(new) == PathKey(name) || !fileExists(PathName.join(options.output, new)) else {
      return
    }
    setOutput(new, of: index)
    files[index].settleAsMoved(from: name)
  }

  /// Renames the outputs of moved sources; call it before files are converted.
  ///
  /// An output that cannot be renamed is made again.
  func moveOutputs() {
    for index in files.indices {
      guard let name = files[index].formerOutputName else { continue }
      let from = PathName.join(options.output, name)
      let target = files[index].output
      guard let former = folder.entry(ofOutput: name),
        move(index, former, from: from, isSameName: PathKey(from) == PathKey(target))
      else {
        files[index].unsettle()
        continue
      }
    }
  }

  /// Gives an output the name that belongs to its moved source, and its entry; returns `false` if that fails.
  ///
  /// The entry with the new name comes first, so that the file has an entry under either name whenever the batch is
  /// killed.
  private func move(_ index: Int, _ former: LedgerEntry, from: String, isSameName: Bool) -> Bool {
    let file = files[index]
    var entry = former
    entry.source = PathName.absolute(file.path)
    entry.sourceMark?.changed = file.changed
    entry.output?.name = file.outputName
    guard !isSameName else {
      folder.put(entry)
      return true
    }
    guard makeFolder(PathName.folder(file.output)) else { return false }
    entry.output?.isPublished = false
    folder.put(entry)
    guard moveFile(from, to: file.output) else {
      folder.forget(file.outputName)
      return false
    }
    // Outputs of moved folders leave empty ones behind. They go first: the next batch finds them by the former entry.
    if let name = former.output?.name { folder.removeEmptyFolders(from: name) }
    folder.together {
      if let made = entry.output { folder.published(made) }
      if let name = former.output?.name { folder.forget(name) }
    }
    return true
  }

  /// Puts results into the ledger that will be the same as long as file, preset and plugins are.
  func keepLastingResults() {
    folder.together {
      for index in files.indices where files[index].plan.isLasting && !files[index].isRemembered {
        keepLastingResult(
          of: index, isFailed: files[index].plan.action == .fail, files[index].plan.reason)
      }
    }
  }

  /// Puts a result without output into the ledger.
  func keepLastingResult(of index: Int, isFailed: Bool, _ reason: String?) {
    var entry = newEntry(of: files[index], isFailed ? .failed : .skipped)
    (entry.reason, entry.plugins) = (reason, plugins)
    folder.put(entry)
  }

  /// Returns an entry for a file that was tried once more.
  func newEntry(of file: BatchFile, _ result: LedgerEntry.Result) -> LedgerEntry {
    var entry = LedgerEntry(
      source: PathName.absolute(file.path),
      sourceStamp: FileStamp(size: file.size, modified: file.modified), inode: file.inode,
      sourceMark: ContentMark(path: file.path, changed: file.changed), preset: preset,
      plugins: PluginVersions.text(of: file.plan.plugins, in: versions), result: result)
    if let before = folder.entry(ofSource: entry.source, preset: preset),
      before.sourceStamp == entry.sourceStamp
    {
      entry.attempts += before.attempts
    }
    return entry
  }

  /// Files that workers have to plan.
  var unplanned: [Int] { files.indices.filter { files[$0].isUnplanned } }

  /// Gives outputs their names, after all files have been planned.
  ///
  /// Returns the files whose existing outputs workers have to examine: only readable outputs count as finished.
  func nameOutputs() -> [Int] {
    let named = files.indices.filter { files[$0].isToConvert }
    let entries = named.map {
      OutputNames.Entry(
        path: files[$0].path, relative: files[$0].relative,
        outputExtension: files[$0].plan.outputExtension)
    }
    let taken = Dictionary(
      files.lazy.filter(\.isDoneAlready).map { (PathKey($0.outputName), $0.path) }
    ) { first, _ in first }
    let results = OutputNames.assign(entries, onCollision: options.onCollision) { name in
      taken[name] ?? finishedFiles?.owner(ofOutput: name.path)
    }
    let inputs = named.isEmpty ? [] : Set(files.compactMap { $0.identity ?? FileIdentity($0.path) })
    unexamined = []
    for (index, result) in zip(named, results) {
      switch result {
      case .success(let name):
        setOutput(name, of: index)
        decide(index, inputs)
      case .failure(let error): files[index].fail(error.message)
      }
    }
    return unexamined
  }

  /// Lets every file fail whose output cannot be written, in a plan that is only shown.
  func checkFolder() {
    guard let problem = problem(writingInto: options.output) else { return }
    for index in files.indices where files[index].isToConvert {
      files[index].fail("\(options.output) cannot be written to: \(problem)")
    }
  }

  /// Files to convert or copy, those with the most work first, so that no core waits for the last one.
  ///
  /// The largest is first among those with equal work.
  var filesToConvert: [Int] {
    files.indices.filter { files[$0].isToConvert }.sorted {
      (files[$0].plan.cost, files[$0].size, $1) > (files[$1].plan.cost, files[$1].size, $0)
    }
  }

  // MARK: Existing outputs

  private func setOutput(_ name: String, of index: Int) {
    files[index].outputName = name
    files[index].output = PathName.join(options.output, name)
  }

  /// Decides whether a file is converted if a file with its output's name exists.
  private func decide(_ index: Int, _ inputs: Set<FileIdentity>) {
    let file = files[index]
    guard fileExists(file.output) else { return }
    var inputs = inputs
    var status = stat()
    if PathName.withSystemPath(file.output, { stat($0, &status) }) == 0,
      finishedFiles?.contains(status) ?? false
    {
      inputs.insert(FileIdentity(status))
    }
    if options.onExists == .fail { return files[index].fail("the output already exists") }
    if let obstacle = PendingFile.obstacle(at: file.output, inputs: inputs) {
      // If a folder is converted into itself, a source may have the name of its own output.
      let isItself =
        PathKey(PathName.last(file.output)) == PathKey(PathName.last(file.path))
        && FileIdentity(PathName.folder(file.output)) == FileIdentity(PathName.folder(file.path))
      files[index].plan = FilePlan(
        action: isItself && options.onExists == .skip ? .skip : .fail,
        reason: "the output \(obstacle)")
      return
    }
    if options.onExists == .replace { return files[index].replaceOutput(nil) }
    let standing = folder.standing(
      of: file, preset: preset, versions: versions, strict: options.strict)
    switch standing {
    case .finished: files[index].settleAsDone()
    case .outdated(let reason): files[index].replaceOutput(reason)
    case .foreign(let reason): files[index].keepOutput(reason)
    case .unknown: unexamined.append(index)
    }
  }

  /// Applies the result of an examination.
  private func apply(_ examination: OutputExamination, to index: Int) {
    let entry = folder.entry(ofOutput: files[index].outputName)
    let isRecorded = entry.map { !$0.isFound } ?? false
    let isChanged = isRecorded && folder.hasOtherContent(files[index])
    switch examination {
    case .unreadable(let problem): files[index].keepOutput("cannot be read: \(problem)")
    case .cut(let reason) where isRecorded:
      // The rest of an output that an earlier batch made is not the user's work.
      files[index].replaceOutput("the output is cut off: \(reason)")
    case .cut(let reason): files[index].keepOutput("is cut off: \(reason)")
    case .whole where isChanged, .ofAnotherLength where isRecorded,
      .ofOtherTracks where isRecorded:
      files[index].keepOutput("it has been changed since it was made")
    case .ofAnotherLength(let reason), .ofOtherTracks(let reason): files[index].keepOutput(reason)
    case .whole where options.strict && !isRecorded:
      files[index].keepOutput("the ledger does not state what it has lost")
    case .whole:
      keepFound(index, isRecorded ? entry : nil)
      files[index].settleAsDone()
    }
  }

  /// Puts an output that was examined into the ledger, so that the next batch need not examine it.
  ///
  /// `entry` is that of the batch that made it; `nil` if there is none.
  private func keepFound(_ index: Int, _ entry: LedgerEntry?) {
    let file = files[index]
    var status = stat()
    guard PathName.withSystemPath(file.output, { stat($0, &status) }) == 0 else { return }
    var entry = entry ?? foundEntry(of: file)
    entry.output = LedgerEntry.Output(
      name: file.outputName, stamp: FileStamp(status),
      mark: ContentMark(path: file.output, changed: status.changed))
    folder.put(entry)
  }

  /// Returns an entry for an output that no batch is known to have made: plugins and losses are unknown.
  private func foundEntry(of file: BatchFile) -> LedgerEntry {
    var entry = newEntry(of: file, file.plan.action == .copy ? .copied : .converted)
    (entry.attempts, entry.plugins) = (0, "")
    return entry
  }
}

/// Planning and the examination of existing outputs, as work for workers.
extension BatchPlanner: WorkStage {
  func request(for index: Int, isRetry: Bool) -> WorkerRequest? {
    let file = files[index]
    var request =
      file.isUnplanned
      ? WorkerRequest(task: .plan, file: index, input: file.path)
      : WorkerRequest(task: .examine, file: index, input: file.path, output: file.output)
    do throws(MediaError) {
      for path in request.paths { request.files.append(try OpenFile(FileSource(path: path))) }
      return request
    } catch {
      var reason = error
      reason.file = nil
      if error.file == file.output, !file.output.isEmpty {
        apply(.unreadable(reason.description), to: index)
      } else {
        files[index].fail(reason.description)
      }
      return nil
    }
  }

  func memory(of index: Int) -> Int64 { 0 }

  func space(for index: Int, beside running: Set<Int>) -> FreeSpace.Answer { .enough }

  func take(_ answer: WorkerAnswer) -> Bool {
    let index = answer.file
    guard answer.kind == .planned else {
      apply(answer.examination ?? .unreadable("no result was returned"), to: index)
      return true
    }
    files[index].plan = answer.plan ?? FilePlan(action: .fail, reason: "no plan was returned")
    // Losses known from the plan; checked before anything is converted.
    if let reason = options.reasonToFail(losses: files[index].plan.drops, incomplete: nil) {
      files[index].fail(reason)
    }
    return true
  }

  func discard(_ index: Int) {}

  func fail(_ index: Int, _ reason: String) {
    if files[index].isUnplanned {
      files[index].fail(reason)
    } else {
      apply(.unreadable(reason), to: index)
    }
  }
}
