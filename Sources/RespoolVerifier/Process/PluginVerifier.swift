import Glibc
import RespoolHost

/// A verifier of the contract of the plugin ABI, for plugins in any language.
///
/// The plugin's code runs in separate processes. A crash or a hang is a failed check, and the other checks continue.
public struct PluginVerifier: Sendable {
  /// Files that the plugin's demuxers or decoders must be able to read.
  public var samples: [String] {
    get { settings.samples }
    set { settings.samples = newValue }
  }
  /// Files that each demuxer of the plugin must refuse.
  public var rejected: [String] {
    get { settings.rejected }
    set { settings.rejected = newValue }
  }
  /// Maximum duration of one check.
  ///
  /// Seconds.
  public var timeLimit: Double {
    get { settings.timeLimit }
    set { settings.timeLimit = newValue }
  }
  /// Number of bytes that may be lost with each open and close, because a library of the plugin loses them.
  public var allowedLeak: Int64 {
    get { settings.allowedLeak }
    set { settings.allowedLeak = newValue }
  }
  /// Name of the only check that is run, with or without its factory, or the name of a factory.
  ///
  /// `nil`: all checks.
  public var check: String? {
    get { settings.check }
    set { settings.check = newValue }
  }
  private var settings = VerifyingSettings()
  /// Variables of the processes that run the plugin's code, such as `A=1`, in addition to those of this process.
  package var environment: [String] = []
  /// Factories that are checked, such as `encoder x264`; `nil`: all.
  package var subjects: Set<String>?

  public init(samples: [String] = [], timeLimit: Double = 10) {
    settings.samples = samples
    settings.timeLimit = timeLimit
  }

  /// Runs every check on the plugin file at `path`.
  ///
  /// Failures for the same reason are one result, which names the other checks.
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
          + record.factories.count.counting("factory"))
    ]
    results += DescriptionChecks.run(record).filter { settings.isWanted($0.name) }
    let names = record.factories.map { "\($0.kind) \($0.name)" }
    let runs = run(
      names.enumerated().compactMap { index, subject in
        guard subjects?.contains(subject) != false,
          let settings = settings.narrowed(to: subject, among: names)
        else { return nil }
        return FactoryRun(
          path: record.path, factory: index, subject: subject, settings: settings,
          environment: environment)
      })
    for run in runs { results += run.results }
    if let check, results.count == 1 {
      return [
        CheckResult(
          name: check, passed: false,
          detail: "no check of the plugin has this name; without --check, --verbose lists all names"
        )
      ]
    }
    for sample in samples where !runs.contains(where: { $0.used.contains(sample) }) {
      results.append(
        CheckResult(
          name: "sample \(sample)", passed: false,
          detail: runs.lazy.compactMap { $0.refusals[sample] }.first
            ?? "neither a demuxer nor a decoder of the plugin reads the file"))
    }
    return CheckResult.folded(results)
  }

  /// Runs the checks of several factories, as many at a time as there are cores.
  private func run(_ waiting: [FactoryRun]) -> [FactoryRun] {
    var runs = waiting
    var next = 0
    var active: [(run: Int, process: IsolatedProcess, seen: Int)] = []
    let cores = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    while true {
      while active.count < cores, next < runs.count {
        if let process = runs[next].start() { active.append((next, process, 0)) }
        next += 1
      }
      guard !active.isEmpty else { return runs }
      var processes = active.map(\.process)
      IsolatedProcess.wait(for: &processes)
      var remaining: [(run: Int, process: IsolatedProcess, seen: Int)] = []
      for (index, entry) in active.enumerated() {
        var process = processes[index]
        guard process.isOver else {
          // Every line shows that the child proceeds.
          if process.bytes.count > entry.seen { process.extend(by: runs[entry.run].timeToAnswer) }
          remaining.append((entry.run, process, process.bytes.count))
          continue
        }
        if runs[entry.run].end(process), let process = runs[entry.run].start() {
          remaining.append((entry.run, process, 0))
        }
      }
      active = remaining
    }
  }
}
