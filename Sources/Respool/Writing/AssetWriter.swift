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
// Sendable: the lock protects the state; only the thread of an input's queue calls its stage.
public final class AssetWriter: @unchecked Sendable {
  /// State of a writer; raw values are AVFoundation's.
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
    /// Time of the source that is 0 in the movie; set when the session starts.
    var origin = MediaTime.zero
    var sessionEnd: MediaTime?
    /// Lead that an input may have over another before it has to wait, in seconds.
    var lead = AssetWriter.shortestLead
    var configuration = Configuration()
  }

  /// Path of the file; empty if the writer produces segments.
  public let path: String
  public let container: String
  let registry: PluginRegistry
  /// Builder of the inputs' chains, without threads of its own: each input has one.
  var builder: ChainBuilder { ChainBuilder(registry: registry) }
  let muxer: PluginFactory
  let lock = Monitor()
  var state = State()

  /// Creates a writer.
  ///
  /// `container` is a muxer's name, alias or file extension. Throws `unsupported` if no plugin writes it.
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

  /// Creates a writer for a file type; throws `unsupported` if no plugin writes it.
  public convenience init(path: String, fileType: FileType, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    try self.init(path: path, container: fileType.rawValue, registry: registry)
  }

  deinit {
    // A block that appends samples usually retains its input, which retains the block.
    for input in state.inputs {
      input.queue?.abandon()
      input.endRequest()
      input.endPasses()
    }
  }

  public var status: Status { lock.locked { state.status } }
  /// Reason of the failure; `nil` unless the status is `failed`.
  public var error: MediaError? { lock.locked { state.failure } }
  public var inputs: [AssetWriterInput] { lock.locked { state.inputs } }
  public var inputGroups: [AssetWriterInputGroup] { lock.locked { state.groups } }

  /// `true` if the status is `completed`, `failed` or `cancelled`.
  var hasEnded: Bool {
    switch status {
    case .unknown, .writing: false
    case .completed, .failed, .cancelled: true
    }
  }

  /// Fails the writer with an error and removes the file; does nothing if the writer has already ended.
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
