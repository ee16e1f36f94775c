import Glibc

/// A describer of plugins, which runs each in a process of its own that may crash or hang.
struct PluginDescriber {
  /// Time for each plugin.
  ///
  /// Seconds.
  var timeLimit: Double
  /// The program that runs the plugins' code.
  var program: String?

  init() {
    let seconds = environment("RESPOOL_PLUGIN_TIMEOUT").flatMap { Double($0) }
    timeLimit = seconds.map { $0 > 0 && $0 < 86_400 ? $0 : 5 } ?? 5
    program = IsolatedProcess.standardProgram
  }

  /// Returns the descriptions of the plugins at `paths`, in their order.
  ///
  /// Runs as many processes at a time as there are cores.
  func describe(_ paths: [String]) -> [PluginDescription] {
    var answers = [PluginDescription?](repeating: nil, count: paths.count)
    var running: [IsolatedProcess] = []
    var owners: [Int] = []
    var next = 0
    let limit = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    while next < paths.count || !running.isEmpty {
      while next < paths.count, running.count < limit {
        let index = next
        next += 1
        if let failure = SharedObjectHeader.problem(withFileAt: paths[index]) {
          answers[index] = .fails(failure)
          continue
        }
        switch IsolatedProcess.start(
          [DescribingProcess.argument, paths[index]], timeLimit: timeLimit, program: program)
        {
        case .success(let process):
          running.append(process)
          owners.append(index)
        case .failure(let failure): answers[index] = .fails(.noHelper(failure.reason))
        }
      }
      guard !running.isEmpty else { continue }
      IsolatedProcess.wait(for: &running)
      for slot in running.indices.reversed() where running[slot].isOver {
        answers[owners[slot]] = answer(of: running[slot])
        running.remove(at: slot)
        owners.remove(at: slot)
      }
    }
    return answers.map { $0 ?? .fails(.ended(while: LoadedPlugin.LoadingStep.loading.activity)) }
  }

  private func answer(of process: IsolatedProcess) -> PluginDescription {
    let (description, stage) = DescribingProcess.parse(process.bytes)
    let ending = process.end(isAnswered: description != nil)
    if let description { return description }
    return switch ending {
    case .late: .fails(.hang(seconds: timeLimit, while: stage.activity))
    case .signal(let signal): .fails(.crash(signal: signal, while: stage.activity))
    case .exited: .fails(.ended(while: stage.activity))
    }
  }
}
