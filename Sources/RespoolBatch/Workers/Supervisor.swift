import Glibc
import Respool
import RespoolMedia

extension Batch {
  /// Gives the files to workers, one at a time each, until there is an answer for every file.
  ///
  /// A file whose worker died is tried again at the end, alone in a new worker. The cause of the death may
  /// have been an earlier file, a thread that a plugin left running, or other processes that used the
  /// memory.
  func work(
    through indices: [Int], _ interruption: Interruption, request: (Int) -> WorkerRequest?
  ) throws(MediaError) {
    let again = try dispatch(indices, jobs: jobCount(indices.count), interruption, request)
    for index in again where !interrupted {
      crew.retire()
      files[index].isRetry = true
      _ = try dispatch([index], jobs: 1, interruption, request)
      files[index].isRetry = false
      crew.retire()
    }
  }

  /// Gives the files to workers, and returns those whose worker has died.
  private func dispatch(
    _ indices: [Int], jobs: Int, _ interruption: Interruption, _ request: (Int) -> WorkerRequest?
  ) throws(MediaError) -> [Int] {
    var waiting = Array(indices.reversed())
    var again: [Int] = []
    var pace = monotonicSeconds()
    while true {
      while !waiting.isEmpty, let worker = try crew.idleWorker(atMost: jobs) {
        let index = waiting.removeLast()
        guard let request = request(index) else {
          close(index, .failed, "the output folder cannot be created: \(errorText(errno))")
          continue
        }
        files[index].isRunning = true
        files[index].started = monotonicSeconds()
        files[index].fraction = 0
        // If the worker has ended, its closed pipe shows it below.
        _ = worker.send(request)
      }
      if waiting.isEmpty, crew.isIdle { return again }
      for event in try crew.wait(interruption) {
        switch event {
        case .answer(let answer): take(answer)
        case .death(let death):
          guard let index = death.request?.file, files.indices.contains(index) else {
            warn("a worker process \(death.reason)" + suspects(death))
            continue
          }
          files[index].isRunning = false
          files[index].pending?.discard()
          if !death.wasReady {
            // The worker died before it began with the file.
            waiting.append(index)
          } else if files[index].isRetry {
            fail(index, death)
          } else {
            again.append(index)
            warn(
              "\(files[index].path): \(words(death)); the file will be tried again alone"
                + suspects(death))
          }
        }
      }
      if interruption.isRequested {
        interrupted = true
        return again
      }
      if monotonicSeconds() - pace > 0.1 {
        pace = monotonicSeconds()
        reporter.tick(progress())
      }
    }
  }

  private func words(_ death: WorkerDeath) -> String {
    let verb =
      switch death.request?.task {
      case .plan: "planned the file"
      case .examine: "examined the output"
      case .convert, nil: "converted the file"
      }
    return "the process that \(verb) \(death.reason)"
  }

  /// Returns the files that may have caused a death, because an earlier file can make a process die later.
  private func suspects(_ death: WorkerDeath) -> String {
    func names(_ indices: [Int]) -> String {
      indices.map { files[$0].path }.joined(separator: ", ")
    }
    var text = ""
    if !death.before.isEmpty {
      text += "; the same process had worked on \(names(death.before)) before"
    }
    if death.isKilled, !death.beside.isEmpty {
      text += "; other processes were working on \(names(death.beside)) at the same time"
    }
    return text
  }

  private func fail(_ index: Int, _ death: WorkerDeath) {
    let reason = words(death) + "; the first attempt failed too, and the second ran alone"
    switch death.request?.task {
    case .plan: files[index].plan = FilePlan(action: .fail, reason: reason)
    case .examine: take(examined: index, .unreadable(reason))
    case .convert, nil: close(index, .failed, reason)
    }
  }

  private func take(_ answer: WorkerAnswer) {
    let index = answer.file
    guard files.indices.contains(index) else { return }
    switch answer.kind {
    case .ready: return
    case .progress:
      files[index].fraction = max(files[index].fraction, answer.fraction ?? 0)
      var event = BatchEvent(event: .progress, input: files[index].path)
      event.fraction = files[index].fraction
      reporter.report(event)
      return
    case .planned:
      files[index].plan = answer.plan ?? FilePlan(action: .fail, reason: "no plan was returned")
      // Losses known from the plan; checked before anything is converted.
      if options.strict, let reason = strictReason(files[index].plan.drops, nil) {
        files[index].plan = FilePlan(action: .fail, reason: reason)
      }
    case .examined:
      take(examined: index, answer.examination ?? .unreadable("no result was returned"))
    case .converted: settle(index, answer)
    case .failed:
      files[index].pending?.discard()
      close(index, .failed, answer.message)
    }
    files[index].isRunning = false
  }

  /// Gives a complete temporary file its final name.
  private func settle(_ index: Int, _ answer: WorkerAnswer) {
    let file = files[index]
    let losses = answer.losses ?? []
    let incomplete =
      answer.incomplete
      ?? (hasChanged(file) ? "the source has changed since the batch began" : nil)
    if options.strict, let reason = strictReason(losses, incomplete) {
      file.pending?.discard()
      close(index, .failed, reason, incomplete: incomplete)
      return
    }
    do throws(MediaError) {
      try file.pending?.complete(replacing: file.replaces)
    } catch {
      var reason = error
      reason.file = nil
      close(index, .failed, reason.description)
      return
    }
    if let problem = folder?.record(
      file, preset: preset, losses: losses.count, isIncomplete: incomplete != nil)
    {
      warn(problem)
    }
    close(
      index, file.plan.action == .copy ? .copied : .converted, nil, losses,
      incomplete: incomplete)
  }

  /// Returns `true` if a source has changed since the folders were walked.
  private func hasChanged(_ file: BatchFile) -> Bool {
    var status = stat()
    guard FileName.withSystemPath(file.path, { stat($0, &status) }) == 0 else { return true }
    return FileStamp(status) != FileStamp(size: file.size, modified: file.modified)
  }

  private func strictReason(_ losses: [String], _ incomplete: String?) -> String? {
    if let incomplete { return incomplete }
    return losses.isEmpty ? nil : "something would be lost: " + losses.joined(separator: "; ")
  }
}
