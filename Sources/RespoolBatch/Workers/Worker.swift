import CLinux
import Glibc
import Respool
import RespoolMedia
import Synchronization

/// A worker process, which receives requests on standard input and writes answers to standard output.
///
/// It ends with its input. A crash in a codec ends this process and affects one file. SIGTERM of the
/// supervisor cancels the current file and ends the process. It reads files in a ``Sandbox``: the supervisor opens them for it.
public enum Worker {
  /// First argument that makes the command a worker.
  public static let argument = "__worker"

  /// Exit status of a worker that finds another preset than at the start of the batch.
  static let presetHasChanged: Int32 = 4

  /// The running export, for the signal thread.
  private static let current = Mutex<ExportSession?>(nil)

  /// Works until standard input ends.
  ///
  /// Returns the exit status.
  ///
  /// - Parameters:
  ///   - preset: name or path of the preset.
  ///   - identity: that of the preset's content at the start of the batch.
  ///   - condition: text of a ``MediaCondition`` that files fulfil; empty for none.
  ///   - verification: name of an ``OutputVerification``.
  ///   - scratch: folder for files of encoders; empty for none.
  public static func run(
    preset name: String, identity: String, condition: String, verification: String, scratch: String
  ) -> Int32 {
    let verification = OutputVerification(rawValue: verification) ?? .full
    // These signals reach all processes of the terminal; the supervisor decides about the workers.
    signal(SIGINT, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    // If the supervisor is killed, no process reads the answers. SIGKILL also ends a paused worker.
    linux_die_with_parent()
    linux_report_crashes()
    // Descriptors of the shell that started the batch.
    linux_close_from(3)
    // x264 allocates and frees hundreds of megabytes for every file; clearing new pages costs 2 %.
    linux_keep_memory(512 << 20)
    let output = dup(1)
    // Output of libraries must not get between the answers.
    dup2(2, 1)
    let registry = PluginRegistry()
    let preset: Preset
    let wanted: MediaCondition?
    do throws(MediaError) {
      wanted = condition.isEmpty ? nil : try MediaCondition(condition)
      preset = try PresetLibrary.standard.preset(name, available: registry.availablePlugins)
      // Checked after the preset has been read, so that a change meanwhile is noticed.
      guard try PresetLibrary.standard.identity(of: name) == identity else {
        complain("the preset \(name) has changed since the batch began")
        return presetHasChanged
      }
    } catch {
      complain(error.description)
      return 2
    }
    let termination = watchTermination()
    let sandbox = Sandbox.enter(
      opening: registry, usesFonts: preset.drawsSubtitles,
      scratch: scratch.isEmpty ? nil : scratch)
    // Threads are started in the sandbox.
    endOnTermination(termination)
    let answers = Answers(output)
    answers.send(.ready(in: sandbox))
    while let request = nextRequest() {
      switch request.task {
      case .plan: plan(request, preset, wanted, registry, answers)
      case .convert: convert(request, preset, verification, registry, answers)
      case .examine: examine(request, preset, registry, answers)
      }
    }
    return 0
  }

  /// Waits for the next request and takes its files; `nil` if there are no more requests.
  private static func nextRequest() -> WorkerRequest? {
    ReceivedFiles.replace(by: [])
    var files = [Int32](repeating: -1, count: Int(LINUX_MOST_FILES))
    var count: Int32 = 0
    var length: Int64 = 0
    // Longer than two paths (PATH_MAX) and the names of sidecars (NAME_MAX) with every byte escaped.
    let line = [UInt8](unsafeUninitializedCapacity: 48 << 10) { buffer, filled in
      length = linux_receive_message(0, buffer.baseAddress, buffer.count, &files, &count)
      filled = max(0, Int(length))
    }
    guard length > 0, let request = WorkerRequest(line: line.dropLast()) else { return nil }
    ReceivedFiles.replace(by: Array(zip(request.paths, files.prefix(Int(count)))))
    return request
  }

  private static func plan(
    _ request: WorkerRequest, _ preset: Preset, _ condition: MediaCondition?,
    _ registry: PluginRegistry, _ answers: Answers
  ) {
    var answer = WorkerAnswer(.planned, to: request)
    do throws(MediaError) {
      let session = try ExportSession(input: request.input, preset: preset, registry: registry)
      session.isOneOfMany = true
      session.subtitleFiles = request.subtitleFiles
      let settings = try session.prepare()
      if let condition, let media = session.media, !holds(condition, media, request.input) {
        answer.plan = .excluded
        return answers.send(answer)
      }
      answer.plan = FilePlan(settings, session.media, reader: session.readingPlugin)
      // A setting that an encoder refuses is known before the first file is converted.
      answer.plan?.memory = try registry.checkEncoders(
        of: settings, for: session.media, threads: request.threads ?? 1)
    } catch {
      // A file that the preset cannot convert may be one that is not to be converted.
      let isLeftOut = condition.map { isExcluded(request.input, by: $0, registry) } ?? false
      answer.plan = isLeftOut ? .excluded : FilePlan(error, of: request.input, registry)
    }
    answers.send(answer)
  }

  private static func holds(
    _ condition: MediaCondition, _ media: MediaDescription, _ path: String
  ) -> Bool {
    condition.holds(for: media, size: (try? FileSource(path: path))?.size ?? 0)
  }

  /// Returns `true` if a file can be read and does not fulfil a condition.
  private static func isExcluded(
    _ path: String, by condition: MediaCondition, _ registry: PluginRegistry
  ) -> Bool {
    guard let source = try? FileSource(path: path), let demuxer = try? registry.openDemuxer(source)
    else { return false }
    return !condition.holds(for: demuxer.media, size: source.size)
  }

  private static func examine(
    _ request: WorkerRequest, _ preset: Preset, _ registry: PluginRegistry, _ answers: Answers
  ) {
    var answer = WorkerAnswer(.examined, to: request)
    let pace = Throttle(interval: 1)
    answer.examination = OutputExamination(
      of: request.output ?? "", madeOf: request.input, request.subtitleFiles, with: preset, registry
    ) {
      // Shows the supervisor that the worker is running.
      if pace.isDue() { answers.send(WorkerAnswer(.progress, to: request, fraction: 0)) }
    }
    answers.send(answer)
  }

  private static func convert(
    _ request: WorkerRequest, _ preset: Preset, _ verification: OutputVerification,
    _ registry: PluginRegistry, _ answers: Answers
  ) {
    // Sent when the session is no longer `current`, because the supervisor may then end the worker at once.
    var answer = WorkerAnswer(.converted, to: request)
    do throws(MediaError) {
      let session = try ExportSession(
        input: request.input, preset: preset, registry: registry, threads: request.threads ?? 1)
      session.isOneOfMany = true
      session.subtitleFiles = request.subtitleFiles
      session.verification = verification
      // The supervisor sets the attributes, which the sandbox forbids.
      session.keepsFileAttributes = false
      current.withLock { $0 = session }
      defer { current.withLock { $0 = nil } }
      let pace = Throttle(interval: 0.1)
      /// Share of the work that the check of the source is.
      let checked = request.checksSource ? 0.2 : 0
      let show: @Sendable (Double) -> Void = { fraction in
        guard pace.isDue() else { return }
        answers.send(WorkerAnswer(.progress, to: request, fraction: min(max(0, fraction), 1)))
      }
      if request.checksSource {
        try check(request, registry) { show(checked * $0) }
      }
      let report = try session.exportAndWait(to: request.output ?? "") {
        show(checked + (1 - checked) * $0)
      }
      (answer.losses, answer.notes) = (report.losses, report.notes)
      answer.incomplete = report.incomplete?.description
      answer.doubt = report.doubts.first
    } catch {
      var error = error
      error.file = nil
      answer.kind = .failed
      answer.message = error.description
      answer.isLasting = error.isLasting
      answer.lacksSpace = error.detail == .diskFull
    }
    answers.send(answer)
  }

  /// Throws `malformed` if a source is damaged, which decoders conceal in a conversion.
  private static func check(
    _ request: WorkerRequest, _ registry: PluginRegistry,
    progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) {
    let check = FileCheck(
      path: request.input, registry: registry, threads: request.threads ?? 1)
    let damage = try check.run(progress: progress).findings.filter { $0.kind == .damage }
    guard let first = damage.first else { return }
    let more = damage.count > 1 ? "; respool check names \(damage.count - 1) more places" : ""
    throw MediaError(
      .malformed, "the source is damaged: \(first)\(more): kept the original")
  }

  /// Blocks SIGTERM, and returns a descriptor for it, which cannot be made in the sandbox.
  private static func watchTermination() -> Int32 {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    return linux_signal_descriptor(&signals)
  }

  /// Starts a thread that waits for SIGTERM, because a signal handler may not do the necessary work.
  ///
  /// Schedulers and timeout(1) send SIGTERM to all processes of a job; the supervisor decides about the workers.
  private static func endOnTermination(_ descriptor: Int32) {
    let supervisor = getppid()
    // If it cannot be started, the supervisor's time limit ends the worker.
    _ = try? PlainThread(name: "signals") {
      linux_await_signal_of(descriptor, supervisor)
      guard let session = current.withLock({ $0 }) else { _exit(0) }
      session.cancel()
      sleep(5)
      _exit(1)
    }
  }

  private static func complain(_ text: String) {
    var line = Array((text + "\n").utf8)
    _ = write(2, &line, line.count)
  }
}

/// A writer of answers, one complete line each.
// Sendable: the descriptor is only used within the lock.
private final class Answers: Sendable {
  private let descriptor: Mutex<Int32>

  init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  func send(_ answer: WorkerAnswer) {
    let line = answer.line
    // Failures are ignored: if the supervisor has ended, the end of its requests ends the worker.
    descriptor.withLock { descriptor in
      line.withUnsafeBytes { _ = writeAll($0, to: descriptor) }
    }
  }
}

/// A limiter that lets an action happen at most once in an interval.
final class Throttle: Sendable {
  private let interval: Double
  private let last = Mutex(0.0)

  /// Creates a limiter.
  ///
  /// `interval` is in seconds.
  init(interval: Double) { self.interval = interval }

  func isDue() -> Bool {
    let now = monotonicSeconds()
    return last.withLock {
      guard now - $0 >= interval else { return false }
      $0 = now
      return true
    }
  }
}
