import ArgumentParser
import CLinux
import Glibc
import Respool
import RespoolBatch
import RespoolMedia
import Synchronization

/// One export in this process, written under a temporary name beside its target and renamed when complete.
struct SingleConversion: ParsableArguments {
  @Flag(help: "Replace an existing output.")
  var replace = false

  @Option(
    help:
      "How to verify the output: usual compares tracks, packets and the index, bytes also all bytes of copies, full also decodes all."
  )
  var verify: OutputVerification = .usual

  @Flag(help: "Fail if a track or a property would be lost, or if the source ends early.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Fail if more memory is needed, such as 4G (default: 80 % of the available memory).",
      valueName: "size"))
  var limitMemory: ByteCount?

  @Flag(name: .shortAndLong, help: "Print the settings and plugins that are used, and why.")
  var verbose = false

  @Flag(help: "Print only errors.")
  var quiet = false

  @Flag(help: "Print one JSON document on standard output.")
  var json = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other") }
  }

  /// Makes `output` of `inputs` and reports the result.
  ///
  /// `open` is called after the check that the output may be written, in the sandbox. It gets the preset with the
  /// name `preset`, or the one that the output's extension selects. `images` are files that are drawn over the frames,
  /// and `drawsText` is `true` if text is. `burn` are rules for the
  /// subtitles that are drawn over them, in place of those of the preset.
  func run(
    _ inputs: [String], images: [String] = [], drawsText: Bool = false, to output: String,
    preset: String?, burn: [String] = [],
    _ open: (Preset, PluginRegistry) throws(MediaError) -> Work
  ) throws {
    let report = OutputReport(inputs: inputs, output: output, json: json)
    try report.reporting { () throws(MediaError) in
      try OutputFile(path: output, replaces: replace).check(reading: inputs + images)
      for image in images where PathName.withSystemPath(image, { access($0, R_OK) }) != 0 {
        throw MediaError(
          .io, "the overlay cannot be read", file: image, cause: String(cString: strerror(errno)))
      }
      let registry = PluginRegistry()
      var chosen = try OutputContainer(output, registry.availablePlugins).preset(preset)
      try Self.draw(burn, &chosen)
      PendingFile.removeAbandoned(in: PathName.folder(output))
      let sidecars =
        inputs.count == 1 && chosen.attachesSidecars ? SubtitleFile.files(beside: inputs[0]) : []
      // Several files have no attributes in common that the output could get.
      if inputs.count > 1 { CommandSandbox.keepPrivate(inputs) }
      try CommandSandbox.enter(
        registry, reading: inputs + sidecars.map(\.path), opening: images,
        drawsText: drawsText || chosen.drawsSubtitles,
        writing: OutputBroker.Outputs(output, replacing: replace),
        needsScratch: chosen.makesTwoPasses, memory: limitMemory?.bytes,
        reporting: report.reportingFatal())
      let work = try open(chosen, registry)
      work.session.subtitleFiles = sidecars
      return try convert(work, to: output)
    }
  }

  /// Makes a preset draw the subtitles that rules select.
  private static func draw(_ rules: [String], _ preset: inout Preset) throws(MediaError) {
    guard !rules.isEmpty else { return }
    guard let video = preset.video, video.passThrough != .only else {
      throw MediaError(
        .invalidArgument,
        "--burn needs video that is encoded, and the preset \(preset.name) "
          + (preset.video == nil ? "makes none" : "copies it"))
    }
    var parsed: [Preset.TrackRule] = []
    for rule in rules { parsed.append(try Preset.burnRule(rule)) }
    preset.change { $0.burn = parsed }
  }

  /// An export, and the losses of its inputs before it begins.
  struct Work {
    var session: ExportSession
    /// Losses, one sentence each.
    var losses: [String] = []
    /// Sentences about the request that are not losses.
    var notes: [String] = []
  }

  private func convert(_ work: Work, to output: String) throws(MediaError) -> OutputReport.Facts {
    let session = work.session
    session.verification = verify
    // A composition has no path of its own, so the output's is shown.
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
    let pending = PendingFile(for: output)
    try StopSignal.watch {
      session.cancel()
    } discarding: {
      pending.discard()
    }
    let display =
      !quiet && TerminalReporter.isPossible
      ? JobDisplay(TerminalReporter(), input: input, duration: session.media?.duration) : nil
    let report = try pending.naming { () throws(MediaError) in
      try session.exportAndWait(to: pending.path) { display?.show($0) }
    }
    display?.end()
    let losses = work.losses + report.losses
    let incomplete = report.incomplete?.description
    if strict,
      let reason = BatchOptions.strictReason(losses: losses, incomplete: incomplete)
    {
      pending.discard()
      throw MediaError(incomplete == nil ? .unsupported : .malformed, reason, file: input)
    }
    // The session holds the lock of the file until here.
    try withExtendedLifetime(session) { () throws(MediaError) in
      try pending.complete(replacing: replace)
    }
    if verbose { for plugin in report.plugins { CommandError.note("  \(plugin)") } }
    if !quiet, let incomplete { CommandError.note("  note: \(incomplete)") }
    let notes = work.notes + report.notes
    if !quiet { for words in losses + notes { CommandError.note("  note: \(words)") } }
    return [
      "status": .string(report.isCopy ? "copied" : "converted"),
      "preset": .string(settings.preset), "container": .string(settings.container),
      "duration": .number(FileReport.rounded(report.duration)),
      "incomplete": incomplete.map { .string($0) },
      "losses": losses.isEmpty ? nil : .strings(losses),
      "notes": notes.isEmpty ? nil : .strings(notes),
      "plugins": .strings(report.plugins),
    ]
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
      progress.isSingle = true
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

/// A watcher for Ctrl-C, SIGTERM and the closing of the terminal, on a thread of its own.
enum StopSignal {
  /// Time in which further signals count as the first one.
  ///
  /// Seconds.
  ///
  /// timeout(1) sends its signal to the process and then to its group, to which the process belongs.
  private static let oneRequest = 1.0
  /// Seconds in which the work must end after the first signal.
  private static let timeout = 15.0

  /// Descriptor of the signals, which cannot be made in the sandbox.
  private static let descriptor: Int32 = {
    var signals = sigset_t()
    linux_termination_signals(&signals)
    return linux_signal_descriptor(&signals)
  }()

  /// Makes ready for ``watch(_:discarding:)`` in the sandbox; signals end the process until then.
  static func prepare() { _ = descriptor }

  /// Calls `body` at the first signal.
  ///
  /// At a later one, or if the work does not end in time, calls `discard` and ends the process.
  static func watch(
    _ body: @escaping @Sendable () -> Void, discarding discard: @escaping @Sendable () -> Void = {}
  ) throws(MediaError) {
    var signals = sigset_t()
    linux_termination_signals(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    _ = try PlainThread(name: "signals") { [descriptor] in
      while linux_await_signal(descriptor, -1) == 0 {}
      let first = monotonicSeconds()
      body()
      // A second request does not wait for a codec that hangs, and the first one not for long.
      var number: Int32 = 0
      while monotonicSeconds() - first < timeout {
        number = linux_await_signal(descriptor, 1000)
        if number > 0, monotonicSeconds() - first >= oneRequest { break }
      }
      discard()
      if number == 0 {
        CommandError.note("respool: stopped by force, because the work did not end within 15 s")
      }
      _exit(130)
    }
  }
}
