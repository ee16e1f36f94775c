import Synchronization

/// Which samples a generator shall make.
///
/// Usable from any thread.
public final class SampleBufferRequest: Sendable {
  /// In which direction samples follow that of the start cursor, in the order of decoding.
  public enum Direction: Int, Sendable {
    case reverse = -1
    /// The one sample, whatever else is asked for.
    case none
    case forward
  }

  /// How urgent it is.
  ///
  /// A generator has no time base to wait for, so that requests of all modes are served at once.
  public enum Mode: Sendable { case immediate, scheduled, opportunistic }

  struct State: Sendable {
    var direction = Direction.none
    var limit: SampleCursor?
    var leastCount = 0
    var mostCount = 0
    var mode = Mode.immediate
  }

  let state = Mutex(State())

  /// Where to start; what counts is where the cursor stands when samples are made.
  public let startCursor: SampleCursor

  public init(start startCursor: SampleCursor) { self.startCursor = startCursor }

  /// None unless it is set.
  public var direction: Direction {
    get { state.withLock { $0.direction } }
    set { state.withLock { $0.direction = newValue } }
  }

  /// The last sample that may be made; nil: no other limit than the track's ends.
  public var limitCursor: SampleCursor? {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = newValue } }
  }

  /// How many samples are wanted at least; 0: no such wish.
  public var preferredMinSampleCount: Int {
    get { state.withLock { $0.leastCount } }
    set { state.withLock { $0.leastCount = max(0, newValue) } }
  }

  /// How many samples may be made; 0: as many as suit the generator.
  public var maxSampleCount: Int {
    get { state.withLock { $0.mostCount } }
    set { state.withLock { $0.mostCount = max(0, newValue) } }
  }

  public var mode: Mode {
    get { state.withLock { $0.mode } }
    set { state.withLock { $0.mode = newValue } }
  }
}
