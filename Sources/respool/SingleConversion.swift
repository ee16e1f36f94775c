import ArgumentParser
import CLinux
import Glibc
import Respool
import RespoolBatch
import RespoolMedia
import Synchronization

/// One export in this process: under a temporary name beside its target, renamed when complete.
struct SingleConversion: ParsableArguments {
  @Flag(help: "Replace the output where it is there already.")
  var replace = false

  @Flag(name: .shortAndLong, help: "Name the plugins that were used, and why.")
  var verbose = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  /// Makes `output` of `inputs`; `open` is called when it is clear that it may be written.
  func run(
    _ inputs: [String], to output: String, _ open: () throws(MediaError) -> ExportSession
  ) throws(MediaError) {
    try OutputFile(path: output, replaces: replace).check(reading: inputs)
    let session = try open()
    // A composition is none of the user's files; what comes of it is.
    let input = session.asset.path ?? output
    let settings = try session.prepare()
    if let reason = settings.skipReason {
      throw MediaError(.unsupported, "nothing to do: \(reason)", file: input)
    }
    if verbose {
      for decision in settings.decisions {
        CommandError.note("  \(decision.setting): \(decision.value) (\(decision.reason))")
      }
    }
    if !quiet, let misnaming = ConvertCommand.misnaming(output, session, settings) {
      CommandError.note("  note: \(misnaming)")
    }
    try StopSignal.watch { session.cancel() }
    let pending = PendingFile(for: output)
    let display =
      !quiet && TerminalReporter.isPossible
      ? JobDisplay(TerminalReporter(), input: input, duration: session.media?.duration) : nil
    let report = try pending.naming { () throws(MediaError) in
      try session.export(to: pending.path) { display?.show($0) }
    }
    display?.end()
    try pending.complete(replacing: replace)
    if verbose { for plugin in report.plugins { CommandError.note("  \(plugin)") } }
    if !quiet { for loss in report.losses { CommandError.note("  note: \(loss)") } }
  }
}

/// The progress of one conversion on the terminal.
final class JobDisplay: Sendable {
  private struct State {
    let reporter: TerminalReporter
    var last = 0.0
  }

  private let state: Mutex<State>
  private let input: String
  private let duration: Double
  private let start = monotonicSeconds()

  init(_ reporter: sending TerminalReporter, input: String, duration: Int64?) {
    state = Mutex(State(reporter: reporter))
    self.input = input
    self.duration = Double(duration ?? 0) / 1e9
  }

  func show(_ fraction: Double) {
    let now = monotonicSeconds()
    state.withLock { state in
      guard now - state.last > 0.1 else { return }
      state.last = now
      var progress = BatchProgress()
      progress.filesTotal = 1
      progress.fraction = fraction
      progress.elapsed = now - start
      progress.mediaDone = duration * fraction
      progress.mediaTotal = duration
      progress.jobs = [.init(input: input, fraction: fraction, seconds: now - start)]
      state.reporter.tick(progress)
    }
  }

  func end() { state.withLock { $0.reporter.erase() } }
}

/// Calls back when Ctrl-C or SIGTERM comes, or the terminal is closed, on a thread of its own.
enum StopSignal {
  static func watch(_ body: @escaping @Sendable () -> Void) throws(MediaError) {
    var signals = sigset_t()
    linux_termination_signals(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    _ = try PlainThread(name: "signals") { [signals] in
      var signals = signals
      var number: Int32 = 0
      sigwait(&signals, &number)
      body()
      // A second one does not wait for a codec that does not come back.
      sigwait(&signals, &number)
      _exit(130)
    }
  }
}
