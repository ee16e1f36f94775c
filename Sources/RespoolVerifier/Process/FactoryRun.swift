import RespoolHost

/// The checks of one factory, which run in one child process after another.
///
/// A check that crashes or hangs ends its process; the next process continues with the check after it.
struct FactoryRun {
  private(set) var results: [CheckResult] = []
  /// Sample files that a check has used.
  private(set) var used: Set<String> = []
  /// Reasons why sample files were not used.
  private(set) var refusals: [String: String] = [:]

  private let arguments: [String]
  private let subject: String
  private let timeLimit: Double
  private let samples: [String]
  private let environment: [String]
  /// Numbers of the checks that ended a process.
  private var failed: [Int] = []
  private var crashes = 0
  private var hangs = 0

  /// Crashes and hangs after which the remaining checks are not run, because they would only take time.
  private static let maximumCrashes = 6
  private static let maximumHangs = 2
  /// Seconds that a process gets beyond the time limit of a check, to report the hang itself.
  private static let grace = 3.0

  init(
    path: String, factory index: Int, subject: String, timeLimit: Double, samples: [String],
    environment: [String]
  ) {
    self.environment = environment
    arguments = [VerifyingProcess.argument, path, String(index)]
    self.subject = subject
    self.timeLimit = timeLimit
    self.samples = samples
  }

  /// Starts the next process; `nil` if there is nothing left to do.
  mutating func start() -> IsolatedProcess? {
    let numbers = failed.map(String.init).joined(separator: ",")
    let arguments = arguments + [numbers, String(timeLimit)] + samples
    switch IsolatedProcess.start(
      arguments, timeLimit: timeLimit + Self.grace,
      environment: VerifyingProcess.environment + environment)
    {
    case .success(let process): return process
    case .failure(let failure):
      results.append(CheckResult(name: subject, passed: false, detail: failure.reason))
      return nil
    }
  }

  /// Seconds that a process may take from now on.
  var timeToAnswer: Double { timeLimit + Self.grace }

  /// Takes the answer of a process that is over; returns `true` if another one is to be started.
  mutating func end(_ process: IsolatedProcess) -> Bool {
    let answer = Answer(process.bytes, subject: subject)
    results += answer.results
    used.formUnion(answer.samples.filter { $0.value.isEmpty }.keys)
    refusals.merge(answer.samples.filter { !$0.value.isEmpty }) { first, _ in first }
    let ending = process.end(isAnswered: answer.isComplete)
    if answer.isComplete { return false }
    var reason: String
    switch (answer.failure, ending) {
    case (.late(let call), _):
      hangs += 1
      reason =
        (call == PluginCall.host ? "the check was not finished" : "\(call) did not return")
        + " within \(Self.text(timeLimit)) s"
    case (.crash(let words), _):
      crashes += 1
      reason = words
    case (nil, .late):
      hangs += 1
      reason = "not finished after \(Self.text(timeLimit)) s"
    case (nil, .signal(let signal)):
      crashes += 1
      reason = "crashed: \(PluginFailure.signalName(signal))"
    case (nil, .exited):
      crashes += 1
      reason = "the plugin ended the process"
    }
    let isLast = crashes >= Self.maximumCrashes || hangs >= Self.maximumHangs
    if isLast { reason += CheckResult.stopped }
    results.append(
      CheckResult(name: "\(subject): \(answer.begun)", passed: false, detail: reason))
    guard let number = answer.number else { return false }
    failed.append(number)
    return !isLast
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }
}

/// The lines that a child sent.
private struct Answer {
  enum Failure {
    /// The call that did not return.
    case late(String)
    case crash(String)
  }

  var results: [CheckResult] = []
  /// Name and number of the check that began last.
  var begun = "start"
  var number: Int?
  var failure: Failure?
  /// Sample files, each with the reason why it was not used, or an empty text.
  var samples: [String: String] = [:]
  var isComplete = false

  init(_ bytes: [UInt8], subject: String) {
    for line in bytes.split(separator: 10) {
      let fields = line.split(separator: 9, maxSplits: 3, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      switch (fields[0], fields.count) {
      case ("begin", 3): (number, begun) = (Int(fields[1]), fields[2])
      case ("pass", 3), ("fail", 4):
        var result = CheckResult(
          name: "\(subject): \(fields[1])", passed: fields[0] == "pass", detail: fields[2])
        if fields.count > 3, fields[3] != fields[2] { result.cause = fields[3] }
        results.append(result)
      case ("sample", 3): samples[fields[1]] = fields[2]
      case ("late", 2...): failure = .late(fields[1])
      case ("crash", 2...): failure = .crash(fields[1])
      case ("done", _): isComplete = true
      default: break
      }
    }
  }
}
