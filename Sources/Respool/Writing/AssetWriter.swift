public import RespoolMedia

/// Writes a file of media from samples.
///
/// Add inputs, start writing, start a session, append samples, finish. A file is written once, and only
/// if none exists; on failure or cancelling nothing is left. Inputs may be fed from threads of their
/// own, one each, and status and error may be asked from any; the rest is for one thread at a time. Each
/// input encodes on a thread of its own, so that no call but `finishWriting` and `cancelWriting` waits for an
/// encoder. The configuration can be changed until writing begins; later changes have no effect. A call in
/// the wrong state fails the writer: `error` says what was expected.
// Sendable: state is behind the lock; an input's stage is called by the thread of its queue.
public final class AssetWriter: @unchecked Sendable {
  /// Raw values are AVFoundation's.
  public enum Status: Int, Sendable {
    case unknown = 0, writing, completed, failed, cancelled
  }

  struct State {
    var inputs: [AssetWriterInput] = []
    var groups: [AssetWriterInputGroup] = []
    var status = Status.unknown
    var isFinishing = false
    var failure: MediaError?
    var interleaver: Interleaver?
    var sink: FileSink?
    var schedule: SegmentSchedule?
    var delivery: SegmentDelivery?
    var sessionStart: MediaTime?
    /// The time of the source that is 0 in the movie; set with the session's start.
    var origin = MediaTime.zero
    var sessionEnd: MediaTime?
    /// Seconds by which an input may be ahead of another before it has to wait for that.
    var lead = AssetWriter.shortestLead
    var configuration = Configuration()
  }

  /// Empty where there is no file, but segments.
  public let path: String
  public let container: String
  let registry: PluginRegistry
  let muxer: PluginFactory
  let lock = Monitor()
  var state = State()

  /// `container` is a muxer's name, alias or file extension.
  ///
  /// Throws `unsupported` where no plugin writes it.
  public init(path: String, container: String, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    guard let muxer = registry.muxer(named: container) else {
      throw MediaError(.unsupported, "no plugin writes \(container)")
    }
    self.path = path
    self.container = container
    self.registry = registry
    self.muxer = muxer
  }

  /// Throws `unsupported` if no plugin writes the file type.
  public convenience init(path: String, fileType: FileType, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    try self.init(path: path, container: fileType.rawValue, registry: registry)
  }

  deinit {
    // A block that brings samples usually holds its input, which holds the block.
    for input in state.inputs {
      input.queue?.abandon()
      input.endRequest()
      input.endPasses()
    }
  }

  public var status: Status { lock.locked { state.status } }
  /// Why it failed; nil unless the status is `failed`.
  public var error: MediaError? { lock.locked { state.failure } }
  public var inputs: [AssetWriterInput] { lock.locked { state.inputs } }
  public var inputGroups: [AssetWriterInputGroup] { lock.locked { state.groups } }

  /// Completed, failed or cancelled.
  var hasEnded: Bool {
    switch status {
    case .unknown, .writing: false
    case .completed, .failed, .cancelled: true
    }
  }

  /// Ends with an error and removes the file; nothing where it has ended already.
  func fail(_ error: MediaError) {
    let hasFailed = lock.locked {
      guard state.status == .unknown || state.status == .writing else { return false }
      state.status = .failed
      state.failure = error.inFile(path)
      lock.wakeAll()
      return true
    }
    whileNobodyWrites { $0?.abandon() }
    if hasFailed { endRequests() }
  }

  func whileNobodyWrites(_ body: (FileSink?) -> Void) {
    let (interleaver, sink) = lock.locked { (state.interleaver, state.sink) }
    if let interleaver { interleaver.stop { body(sink) } } else { body(sink) }
  }

  func endRequests() {
    for input in inputs {
      input.queue?.abandon()
      input.endRequest()
      input.endPasses()
    }
  }
}
