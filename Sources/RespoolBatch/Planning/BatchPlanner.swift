import Glibc
import Respool
import RespoolMedia

extension Batch {
  /// Finds the files of the inputs; stops early if the user requests it.
  func walk(_ interruption: Interruption) {
    var walker = Walker(excluding: options.output, followsLinks: options.followsLinks)
    var pace = monotonicSeconds()
    walker.step = { [self] count in
      interruption.update()
      if monotonicSeconds() - pace > 0.1 {
        pace = monotonicSeconds()
        var state = BatchProgress()
        (state.isPlanning, state.filesTotal) = (true, count)
        reporter.tick(state)
      }
      return !interruption.isRequested
    }
    for input in options.inputs where !interruption.isRequested { walker.walk(input) }
    interrupted = interruption.isRequested
    // A file that is an input and also lies in an input folder is processed once.
    var seen: Set<PathKey> = []
    files = walker.files.filter { seen.insert(PathKey(FileName.absolute($0.path))).inserted }.map {
      var file = BatchFile(
        path: $0.path, relative: $0.relative, size: $0.size, modified: $0.modified)
      if let reason = $0.skipReason { file.plan = FilePlan(action: .skip, reason: reason) }
      file.isOpen = $0.skipReason == nil
      return file
    }
    for problem in walker.problems {
      var file = BatchFile(path: problem.path, relative: FileName.last(problem.path))
      file.plan = FilePlan(action: problem.isHarmless ? .skip : .fail, reason: problem.reason)
      file.isOpen = false
      files.append(file)
    }
  }

  /// Settles the files that an earlier batch has finished and that have not changed since.
  ///
  /// Their contents are not read.
  func settleRecorded() {
    guard options.onExists == .skip, let folder else { return }
    for index in files.indices where files[index].isOpen {
      guard
        let output = folder.finishedOutput(
          of: files[index], preset: preset, strict: options.strict)
      else { continue }
      setOutput(output, of: index)
      setDoneAlready(index)
      files[index].isOpen = false
    }
  }

  private func setOutput(_ name: String, of index: Int) {
    files[index].outputName = name
    files[index].output = FileName.join(options.output, name)
  }

  private func setDoneAlready(_ index: Int) {
    files[index].plan = FilePlan(action: .skip, reason: "the output already exists")
    files[index].isDoneAlready = true
  }

  /// Gives outputs their names, after all files have been planned.
  func name() {
    let named = files.indices.filter { files[$0].isOpen && files[$0].isToConvert }
    let entries = named.map {
      OutputNames.Entry(
        path: files[$0].path, relative: files[$0].relative,
        outputExtension: files[$0].plan.outputExtension)
    }
    let taken = files.filter(\.isDoneAlready).map { (PathKey($0.outputName), $0.path) }
    let results = OutputNames.assign(
      entries, taken: Dictionary(taken) { first, _ in first }, onCollision: options.onCollision)
    let inputs = named.isEmpty ? [] : Set(files.compactMap { FileIdentity($0.path) })
    for (index, result) in zip(named, results) {
      switch result {
      case .success(let name):
        setOutput(name, of: index)
        decide(index, inputs)
      case .failure(let error): files[index].plan = FilePlan(action: .fail, reason: error.message)
      }
    }
  }

  /// Decides whether a file is converted if a file with its output's name exists.
  private func decide(_ index: Int, _ inputs: Set<FileIdentity>) {
    let file = files[index]
    guard let folder, fileExists(file.output) else { return }
    if options.onExists == .fail {
      files[index].plan = FilePlan(action: .fail, reason: "the output already exists")
      return
    }
    if let obstacle = PendingFile.obstacle(at: file.output, inputs: inputs) {
      // If a folder is converted into itself, a source may have the name of its own output.
      let isItself =
        PathKey(FileName.last(file.output)) == PathKey(FileName.last(file.path))
        && FileIdentity(FileName.folder(file.output)) == FileIdentity(FileName.folder(file.path))
      files[index].plan = FilePlan(
        action: isItself && options.onExists == .skip ? .skip : .fail,
        reason: "the output \(obstacle)")
      return
    }
    if options.onExists == .replace {
      files[index].replaces = true
      return
    }
    switch folder.standing(of: file, preset: preset, strict: options.strict) {
    case .finished: setDoneAlready(index)
    case .outdated(let reason):
      files[index].replaces = true
      files[index].plan.reason = reason
    case .foreign(let reason): refuse(index, reason)
    case .unknown: files[index].needsExamination = true
    }
  }

  /// Lets a file fail if its output exists and may be the user's own work.
  private func refuse(_ index: Int, _ reason: String) {
    files[index].plan = FilePlan(
      action: .fail,
      reason: "the output already exists, but \(reason); --on-exists replace overwrites it")
  }

  /// Has workers open outputs that are not in the record: only readable outputs count as finished.
  func examineOutputs(_ interruption: Interruption) throws(MediaError) {
    let unknown = files.indices.filter { files[$0].needsExamination }
    try work(through: unknown, interruption) { index in
      WorkerRequest(
        task: .examine, file: index, input: files[index].path, output: files[index].output)
    }
  }

  /// Applies the result of an examination.
  func take(examined index: Int, _ examination: OutputExamination) {
    files[index].needsExamination = false
    let isOfAnotherSize = folder?.isOfAnotherSize(files[index]) ?? false
    let isRecorded = folder?.record[files[index].outputName] != nil
    switch examination {
    case .unreadable(let problem): refuse(index, "cannot be read: \(problem)")
    case .cut(let reason) where isRecorded:
      // The rest of an output that an earlier batch made is not the user's work.
      files[index].replaces = true
      files[index].plan.reason = "the output is cut off: \(reason)"
    case .cut(let reason): refuse(index, "is cut off: \(reason)")
    case .whole where isOfAnotherSize, .ofAnotherLength where isRecorded:
      refuse(index, "it has been changed since it was made")
    case .ofAnotherLength(let reason): refuse(index, reason)
    case .whole: setDoneAlready(index)
    }
  }

  /// Closes a file that needs no work after planning.
  func settleWithoutWork(_ index: Int) {
    switch files[index].plan.action {
    case .skip: close(index, .skipped, files[index].plan.reason)
    case .fail: close(index, .failed, files[index].plan.reason)
    case .convert, .copy: files[index].isOpen = true
    }
  }
}
