import Glibc
import RespoolHost
import RespoolMedia

/// A search for inputs with which a plugin crashes, hangs or takes all memory.
///
/// Samples are changed in many ways and go through the plugin's demuxers and decoders, in processes of their own.
public struct PluginFuzzer: Sendable {
  /// An input with which the plugin fails.
  public struct Finding: Hashable, Sendable {
    /// Demuxer or decoder, such as `demuxer toy`.
    public var subject: String
    public var reason: String
    /// Path of the kept file.
    public var path: String
    /// Number of inputs that failed for this reason.
    public var count = 1
  }

  /// The outcome of a search.
  public struct Outcome: Hashable, Sendable {
    public var findings: [Finding] = []
    /// Number of inputs that were tried with each demuxer and decoder.
    public var cases: [String: Int] = [:]
    /// Reason why nothing could be tried; `nil` if something was.
    public var problem: String?
  }

  /// Files to change; without any, files that the plugin's own or other muxers and encoders make.
  public var samples: [String]
  /// Duration of the search, in seconds, without the making of samples.
  public var seconds: Double
  /// Folder for inputs with which the plugin fails.
  public var folder: String
  /// Maximum duration of one input, in seconds.
  public var timeLimit: Double

  public init(samples: [String] = [], seconds: Double, folder: String, timeLimit: Double = 5) {
    self.samples = samples
    self.seconds = seconds
    self.folder = folder
    self.timeLimit = timeLimit
  }

  /// Searches, and keeps an input for each reason.
  public func run(pluginAt path: String) -> Outcome {
    var outcome = Outcome()
    let record = PluginRecord(describingFileAt: path)
    guard record.status == .ok else {
      outcome.problem = record.reason ?? "the plugin cannot be loaded"
      return outcome
    }
    let targets = record.factories.indices.filter {
      record.factories[$0].kind == .demuxer || record.factories[$0].kind == .decoder
    }
    guard !targets.isEmpty else {
      outcome.problem = "the plugin has neither a demuxer nor a decoder"
      return outcome
    }
    let end = monotonicSeconds() + seconds
    for (place, index) in targets.enumerated() {
      let share = (end - monotonicSeconds()) / Double(targets.count - place)
      fuzz(record, index, until: monotonicSeconds() + share, &outcome)
      if outcome.problem != nil { return outcome }
    }
    if outcome.cases.values.allSatisfy({ $0 == 0 }) {
      outcome.problem =
        samples.isEmpty
        ? "there is nothing to change: name files with --sample"
        : "no demuxer or decoder of the plugin reads a sample"
    }
    return outcome
  }

  private func fuzz(
    _ record: PluginRecord, _ index: Int, until end: Double, _ outcome: inout Outcome
  ) {
    let description = record.factories[index]
    let subject = "\(description.kind) \(description.name)"
    guard let files = try? TemporaryFiles() else {
      outcome.problem = "no temporary folder can be created"
      return
    }
    let current = files.newPath(
      extension: description.kind == .demuxer ? description.extensions.first : "packets")
    var next: UInt64 = 1
    outcome.cases[subject] = 0
    repeat {
      let remaining = max(0.1, end - monotonicSeconds())
      let arguments =
        [
          FuzzingProcess.argument, record.path, String(index), String(next), String(remaining),
          String(timeLimit), current,
        ] + samples
      guard case .success(let process) = IsolatedProcess.start(arguments, timeLimit: timeLimit + 20)
      else {
        outcome.problem = "the program `respool` cannot be started"
        return
      }
      let answer = wait(for: process)
      outcome.cases[subject, default: 0] += answer.last >= next ? Int(answer.last - next) + 1 : 0
      if answer.hasNothing || (answer.reason == nil && answer.last < next) { return }
      if let reason = answer.reason {
        keep(reason, subject, number: answer.last, current, &outcome)
        if outcome.problem != nil { return }
      }
      next = answer.last + 1
    } while monotonicSeconds() < end
  }

  private struct Answer {
    /// Number of the last case that began.
    var last: UInt64 = 0
    /// Reason why the process ended early.
    var reason: String?
    /// `true` if there is no sample for the factory.
    var hasNothing = false
  }

  private func wait(for process: IsolatedProcess) -> Answer {
    var running = [process]
    var answer = Answer()
    var rest: [UInt8] = []
    var isDone = false
    while !running[0].isOver {
      IsolatedProcess.wait(for: &running)
      rest += running[0].takeBytes()
      var lines = rest.split(separator: 10, omittingEmptySubsequences: false)
      rest = Array(lines.removeLast())
      if !lines.isEmpty { running[0].extend(by: timeLimit + 3) }
      for line in lines {
        let fields = line.split(separator: 9, maxSplits: 1).map {
          String(decoding: $0, as: UTF8.self)
        }
        switch (fields.first, fields.count) {
        case ("case", 2): answer.last = UInt64(fields[1]) ?? answer.last
        case ("none", _): answer.hasNothing = true
        case ("done", _): isDone = true
        case ("late", 2):
          answer.reason = "\(fields[1]) did not return within \(Int(timeLimit)) s"
        case ("crash", 2): answer.reason = fields[1]
        default: break
        }
      }
    }
    let ending = running[0].end(isAnswered: isDone || answer.hasNothing)
    if !isDone, !answer.hasNothing, answer.reason == nil {
      switch ending {
      case .late: answer.reason = "did not return within \(Int(timeLimit)) s"
      case .signal(let signal): answer.reason = "crashed: \(PluginFailure.signalName(signal))"
      case .exited: answer.reason = "the plugin ended the process"
      }
    }
    return answer
  }

  /// Copies the current case to the folder, unless there is one for the reason.
  private func keep(
    _ reason: String, _ subject: String, number: UInt64, _ current: String,
    _ outcome: inout Outcome
  ) {
    let cause = CheckResult.cause(reason)
    if let known = outcome.findings.firstIndex(where: {
      $0.subject == subject && CheckResult.cause($0.reason) == cause
    }) {
      outcome.findings[known].count += 1
      return
    }
    let suffix = fileExtension(current)
    let name =
      subject.replacing(" ", with: "-") + "-\(number)" + (suffix.isEmpty ? "" : ".\(suffix)")
    let path = "\(folder)/\(name)"
    mkdir(folder, 0o755)
    guard let source = try? FileSource(path: current),
      let bytes = try? source.bytes(at: 0, count: source.size),
      Self.write(bytes, to: path), Self.write(Array((reason + "\n").utf8), to: path + ".txt")
    else {
      outcome.problem = "an input with which the plugin fails cannot be kept in \(folder)"
      return
    }
    outcome.findings.append(Finding(subject: subject, reason: reason, path: path))
  }

  private static func write(_ bytes: [UInt8], to path: String) -> Bool {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return bytes.withUnsafeBytes { writeAll($0, to: descriptor) } == 0
  }
}
