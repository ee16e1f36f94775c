import RespoolHost

/// The checks of one factory, which run in one child process after another.
///
/// A check that crashes or hangs ends its process; the next process continues with the check after it. If a check that
/// crashed passes alone, further processes search for the check before it that damaged the memory.
struct FactoryRun {
  private(set) var results: [CheckResult] = []
  /// Sample files that a check has used.
  private(set) var used: Set<String> = []
  /// Reasons why sample files were not used.
  private(set) var refusals: [String: String] = [:]

  private let arguments: [String]
  private let subject: String
  private var settings: VerifyingSettings
  private let environment: [String]
  private var search: CrashSearch?
  private var crashes = 0
  private var hangs = 0

  /// Crashes and hangs after which the remaining checks are not run, because they would only take time.
  private static let maximumCrashes = 6
  private static let maximumHangs = 2
  /// Seconds that a process gets beyond the time limit of a check, to report the hang itself.
  private static let grace = 3.0

  init(
    path: String, factory index: Int, subject: String, settings: VerifyingSettings,
    environment: [String]
  ) {
    self.environment = environment
    arguments = [VerifyingProcess.argument, path, String(index)]
    self.subject = subject
    self.settings = settings
  }

  /// Starts the next process; `nil` if there is nothing left to do.
  mutating func start() -> IsolatedProcess? {
    var settings = settings
    if let search { (settings.only, settings.check) = (search.wanted, nil) }
    switch IsolatedProcess.start(
      arguments + settings.arguments, timeLimit: timeToAnswer,
      environment: VerifyingProcess.environment + environment)
    {
    case .success(let process): return process
    case .failure(let failure):
      results.append(CheckResult(name: subject, passed: false, detail: failure.reason))
      return nil
    }
  }

  /// Seconds that a process may take from now on.
  var timeToAnswer: Double { settings.timeLimit + Self.grace }

  /// Takes the answer of a process that is over; returns `true` if another one is to be started.
  mutating func end(_ process: IsolatedProcess) -> Bool {
    let answer = Answer(process.bytes, subject: subject)
    let ending = process.end(isAnswered: answer.isComplete)
    if search != nil { return continueSearch(answer) }
    results += answer.results
    used.formUnion(answer.samples.filter { $0.value.isEmpty }.keys)
    refusals.merge(answer.samples.filter { !$0.value.isEmpty }) { first, _ in first }
    if answer.isComplete { return false }
    var reason: String
    var isCrash = true
    switch (answer.failure, ending) {
    case (.late(let call), _):
      isCrash = false
      reason =
        (call == PluginCall.host ? "the check was not finished" : "\(call) did not return")
        + " within \(Self.text(settings.timeLimit)) s"
    case (.crash(let words), _): reason = words
    case (nil, .late):
      isCrash = false
      reason = "not finished after \(Self.text(settings.timeLimit)) s"
    case (nil, .signal(let signal)): reason = "crashed: \(PluginFailure.signalName(signal))"
    case (nil, .exited): reason = "the plugin ended the process"
    }
    if isCrash { crashes += 1 } else { hangs += 1 }
    guard let last = answer.begun.last else {
      results.append(CheckResult(name: "\(subject): start", passed: false, detail: reason))
      return false
    }
    if isCrash, answer.begun.count > 1 {
      search = CrashSearch(
        crashed: last, reason: reason, earlier: Array(answer.begun.dropLast()))
      return true
    }
    return report(last, reason)
  }

  /// Adds the failure of a check; returns `true` if another process is to be started.
  private mutating func report(_ check: BegunCheck, _ reason: String) -> Bool {
    let isLast = isStopped
    results.append(
      CheckResult(
        name: "\(subject): \(check.name)", passed: false,
        detail: reason + (isLast ? CheckResult.stopped : "")))
    settings.failed.append(check.number)
    return !isLast
  }

  private var isStopped: Bool { crashes >= Self.maximumCrashes || hangs >= Self.maximumHangs }

  /// Takes the answer of a process that searches for the cause of a crash.
  private mutating func continueSearch(_ answer: Answer) -> Bool {
    guard var current = search else { return false }
    switch current.take(answer) {
    case nil:
      search = current
      return true
    case .itself:
      search = nil
      return report(current.crashed, current.reason)
    case .unknown(let words):
      search = nil
      return report(current.crashed, current.reason + words)
    case .other(let check, let words):
      search = nil
      // The check passed when it was reported, and so does the one that crashed after it.
      results.removeAll { $0.name == "\(subject): \(check.name)" }
      results += current.alone
      var result = CheckResult(name: "\(subject): \(check.name)", passed: false, detail: words)
      if isStopped { result.detail += CheckResult.stopped }
      results.append(result)
      settings.failed.append(current.crashed.number)
      return !isStopped
    }
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }
}
