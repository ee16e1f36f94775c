import Dispatch
public import RespoolMedia

/// Writes a media file from samples.
///
/// Add inputs, start writing, start a session, append samples, finish. A writer writes one file, and only if none
/// exists at its path. After a failure or cancellation nothing is left.
///
/// Each input may be fed from its own thread, and `status` and `error` may be read from any thread. All other
/// calls must come from one thread at a time. Each input encodes on a thread of its own: only `finishWriting` and
/// `cancelWriting` wait for an encoder. The configuration can be changed until writing begins; later changes have
/// no effect. A call in the wrong state fails the writer: `error` states what was expected.
// Sendable: the lock protects the state; everything else is immutable.
public final class AssetWriter: @unchecked Sendable {
  /// State of a writer; raw values are AVFoundation's.
  public enum Status: Int, Sendable {
    case unknown = 0, writing, completed, failed, cancelled

    /// `true` if the status does not change any more.
    var isFinal: Bool { self != .unknown && self != .writing }
  }

  private struct State {
    var status = Status.unknown
    var isFinishing = false
    var failure: MediaError?
    /// Set when writing begins.
    var output: WriterOutput?
    /// File that the output writes, used only while nothing writes.
    var sink: FileSink?
    var session = SessionTimes()
  }

  /// Path of the file; empty if the writer produces segments.
  public let path: String
  public let container: String
  let registry: PluginRegistry
  let muxer: PluginFactory
  let configuration = Freezable(Configuration())
  private let lock = Monitor()
  private var state = State()

  /// Creates a writer.
  ///
  /// `container` is a muxer's name, alias or file extension. Throws `unsupported` if no plugin writes it, or
  /// `pluginFailure` if a plugin that does not work may write it.
  public init(path: String, container: String, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    guard let muxer = registry.muxer(named: container) else {
      throw MediaError(.unsupported, "no plugin writes \(container)")
        .explained(by: registry.unusablePlugins.explanation(for: .muxer, named: container))
    }
    self.path = path
    self.container = container
    self.registry = registry
    self.muxer = muxer
  }

  /// Creates a writer for a file type; throws `unsupported` if no plugin writes it.
  public convenience init(path: String, fileType: FileType, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    try self.init(path: path, container: fileType.rawValue, registry: registry)
  }

  // A block that appends samples usually retains its input, which retains the block.
  deinit { endInputs() }

  public var status: Status { lock.locked { state.status } }
  /// Reason of the failure; `nil` unless the status is `failed`.
  public var error: MediaError? { lock.locked { state.failure } }

  /// Output of the writer; `nil` before writing begins.
  var output: WriterOutput? { lock.locked { state.output } }
  /// `true` if samples can be appended.
  var isInSession: Bool { lock.locked { state.status == .writing && state.session.isOpen } }
  var session: SessionTimes { lock.locked { state.session } }

  /// Creates the file and starts writing.
  ///
  /// Returns `false` if the file exists or cannot be created, or if writing has already begun; `error` gives the
  /// reason.
  @discardableResult public func startWriting() -> Bool {
    guard status == .unknown else { return false }
    do throws(MediaError) {
      let configuration = configuration.freeze()
      let sink = try WriterOutput.sink(of: self, configuration)
      let output = try WriterOutput(of: self, configuration, sink: sink)
      lock.locked { (state.output, state.sink, state.status) = (output, sink, .writing) }
    } catch {
      fail(error)
      return false
    }
    for input in inputs { input.passes.begin(isFirstOfTwo: input.canPerformMultiplePasses) }
    return true
  }

  /// Starts the session: samples at `time` are shown at the start of the file.
  ///
  /// Call this once, after `startWriting` and before the first sample. Earlier samples are written but not shown.
  /// A track whose first sample comes later begins with an empty edit; in containers without edit lists it begins
  /// late.
  public func startSession(atSourceTime time: MediaTime) {
    let origin = outputFileTypeProfile == .mpeg4AppleHLS ? .zero : time
    change("startSession must be called after startWriting") { state in
      let problem = state.session.start(at: time, origin: origin)
      if problem == nil { state.output?.schedule?.begin(at: origin) }
      return problem
    }
    noteReadiness()
  }

  /// Ends the session: the file ends at `time`.
  ///
  /// Later samples that were appended are written but not shown. If `time` is after the end of the last frame,
  /// that frame is shown until then. Likewise, a last metadata group without a duration applies until then. Audio
  /// ends with its last sample. No sample may be appended afterwards. The call is not needed if the session ends
  /// with the last sample. In segments and in containers without edit lists, all samples are shown for their own
  /// durations.
  public func endSession(atSourceTime time: MediaTime) {
    change("endSession must be called after startSession") { $0.session.end(at: time) }
  }

  /// Changes the session of a writer that is writing; fails the writer with the problem that `body` returns.
  private func change(_ order: String, _ body: (inout State) -> String?) {
    let problem: String? = lock.locked {
      switch state.status {
      case .unknown: order
      case .writing: body(&state)
      case .completed, .failed, .cancelled: nil
      }
    }
    if let problem { fail(MediaError(.invalidArgument, problem)) }
  }

  /// Encodes all appended samples and completes the file; blocks until it is on disk.
  ///
  /// Marks all inputs as finished. The status is then `completed`, `failed` or `cancelled`. Code that must not
  /// block awaits ``finishWriting()``.
  public func finishWritingAndWait() {
    let isFirst = lock.locked {
      if state.status == .writing, !state.isFinishing {
        state.isFinishing = true
        return true
      }
      while state.status == .writing { lock.wait() }
      return false
    }
    if status == .unknown {
      fail(MediaError(.invalidArgument, "finishWriting must be called after startWriting"))
    }
    guard isFirst else { return }
    for input in inputs { input.markAsFinished() }
    for input in inputs { input.pipeline?.queue.waitUntilIdle() }
    let (written, sink) = lock.locked { (state.output, state.sink) }
    guard status == .writing, let output = written, let sink else { return }
    do throws(MediaError) {
      try output.interleaver.complete(duration: session.length) {
        () throws(MediaError) in
        try sink.finish()
        if output.delivery == nil { complete() }
      }
      if let delivery = output.delivery {
        delivery.waitForAll()
        complete()
      }
    } catch { fail(error) }
    endInputs()
  }

  private func complete() {
    lock.locked {
      if state.status == .writing { state.status = .completed }
      lock.wakeAll()
    }
  }

  /// Completes the file on a background thread and calls `completionHandler` there, whatever the outcome.
  public func finishWriting(completionHandler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async { [self] in
      finishWritingAndWait()
      completionHandler()
    }
  }

  /// Asynchronous version of ``finishWritingAndWait()``; does not block a thread of the cooperative pool.
  public func finishWriting() async {
    await withCheckedContinuation { continuation in
      finishWriting { continuation.resume() }
    }
  }

  /// Stops writing and removes the file; blocks until it is removed.
  ///
  /// May be called from any thread. A file that is complete stays.
  public func cancelWriting() {
    // While no thread writes, the file is either complete and stays, or incomplete and is removed.
    whileNothingWrites { sink in
      let cancelled = lock.locked {
        guard state.status == .writing || state.status == .unknown else { return false }
        state.status = .cancelled
        lock.wakeAll()
        return true
      }
      if cancelled { sink?.abandon() }
    }
    configuration.freeze()
    endInputs()
  }

  /// Fails the writer with an error and removes the file; does nothing if the writer has already ended.
  func fail(_ error: MediaError) {
    let hasFailed = lock.locked {
      guard !state.status.isFinal else { return false }
      (state.status, state.failure) = (.failed, error.inFile(path))
      lock.wakeAll()
      return true
    }
    whileNothingWrites { $0?.abandon() }
    guard hasFailed else { return }
    configuration.freeze()
    endInputs()
  }

  /// Notifies every input that has become ready.
  func noteReadiness() { for input in inputs { input.noteReadiness() } }

  private func whileNothingWrites(_ body: (FileSink?) -> Void) {
    let (output, sink) = lock.locked { (state.output, state.sink) }
    guard let output else { return body(nil) }
    output.interleaver.stop { body(sink) }
  }

  private func endInputs() { for input in inputs { input.end() } }
}
