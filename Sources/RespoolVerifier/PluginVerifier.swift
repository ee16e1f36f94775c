import Respool

/// A verifier of the contract of the plugin ABI, for plugins in any language.
///
/// The plugin's code runs in a separate process for each factory. A crash or a hang is a failed check, and
/// the other checks continue.
public struct PluginVerifier: Sendable {
  /// Files that the plugin's demuxers must be able to read.
  ///
  /// Without files, demuxers are only tested with data that they must refuse.
  public var samples: [String]
  /// Maximum duration of the checks of one factory.
  ///
  /// Seconds.
  public var timeLimit: Double

  public init(samples: [String] = [], timeLimit: Double = 120) {
    self.samples = samples
    self.timeLimit = timeLimit
  }

  /// Runs every check on the plugin file at `path`.
  public func verify(pluginAt path: String) -> [CheckResult] {
    let record = PluginRecord(describingFileAt: path)
    guard record.status == .ok else {
      let advice = record.advice.map { "; \($0)" } ?? ""
      return [
        CheckResult(name: "loads", passed: false, detail: (record.reason ?? "failed") + advice)
      ]
    }
    var results = [
      CheckResult(
        name: "loads", passed: true,
        detail: "\(record.name) \(record.version), \(record.license), "
          + "\(record.factories.count) factories")
    ]
    results += DescriptionChecks.run(record)
    for index in record.factories.indices { results += verify(record, factory: index) }
    return results
  }

  private func verify(_ record: PluginRecord, factory index: Int) -> [CheckResult] {
    let description = record.factories[index]
    let subject = "\(description.kind) \(description.name)"
    let arguments = [VerifyingProcess.argument, record.path, String(index)] + samples
    switch IsolatedProcess.start(arguments, timeLimit: timeLimit) {
    case .failure(let failure):
      return [CheckResult(name: subject, passed: false, detail: failure.reason)]
    case .success(let process):
      var running = [process]
      while !running[0].isOver { IsolatedProcess.wait(for: &running) }
      let (results, unfinished, isComplete) = VerifyingProcess.parse(
        running[0].bytes, subject: subject)
      let ending = running[0].end(isAnswered: isComplete)
      if isComplete { return results }
      let what: String =
        switch ending {
        case .late: "not finished after \(Int(timeLimit)) s"
        case .signal(let signal): "crashed: \(PluginFailure.signalName(signal))"
        case .exited: "the plugin ended the process"
        }
      return results + [
        CheckResult(name: "\(subject): \(unfinished)", passed: false, detail: what)
      ]
    }
  }
}
