import Synchronization

/// Selection of samples for a generator.
///
/// Usable from any thread.
public final class SampleBufferRequest: Sendable {
  /// Direction from the start cursor to further samples, in decoding order.
  public enum Direction: Int, Sendable {
    case reverse = -1
    /// Only the sample at the start cursor; other properties are ignored.
    case none
    case forward
  }

  /// Urgency of a request.
  ///
  /// A generator has no time base to wait for, so requests of all modes are served at once.
  public enum Mode: Sendable { case immediate, scheduled, opportunistic }

  struct State: Sendable {
    var direction = Direction.none
    var limit: SampleCursor?
    var leastCount = 0
    var mostCount = 0
    var mode = Mode.immediate
  }

  let state = Mutex(State())

  /// Cursor at the first sample; its position is read when samples are made.
  public let startCursor: SampleCursor

  public init(start startCursor: SampleCursor) { self.startCursor = startCursor }

  /// Direction of further samples.
  ///
  /// Default `none`.
  public var direction: Direction {
    get { state.withLock { $0.direction } }
    set { state.withLock { $0.direction = newValue } }
  }

  /// Cursor at the last sample that may be made.
  ///
  /// `nil` if only the ends of the track limit the request.
  public var limitCursor: SampleCursor? {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = newValue } }
  }

  /// Number of samples to return at least, if there are as many.
  ///
  /// 0 for no minimum.
  public var preferredMinSampleCount: Int {
    get { state.withLock { $0.leastCount } }
    set { state.withLock { $0.leastCount = max(0, newValue) } }
  }

  /// Maximum number of samples.
  ///
  /// 0 if the generator may choose.
  public var maxSampleCount: Int {
    get { state.withLock { $0.mostCount } }
    set { state.withLock { $0.mostCount = max(0, newValue) } }
  }

  public var mode: Mode {
    get { state.withLock { $0.mode } }
    set { state.withLock { $0.mode = newValue } }
  }
}
