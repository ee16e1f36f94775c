import RespoolMedia

/// One track of a file that is written.
///
/// The configuration can be changed until writing begins; later changes have no effect. One thread
/// at a time appends; everything else may be called from any thread.
// Sendable: the two groups marked below are touched only by the thread that holds `admission` and by the thread
// of the queue; the rest is behind `lock`.
public final class AssetWriterInput: @unchecked Sendable {
  public let mediaType: MediaType
  /// Nil: samples are written as they come, and `sourceFormatHint` says what they are.
  public let settings: Settings?
  public let sourceFormatHint: FormatDescription?

  private let lock = Monitor()
  private var configuration = Configuration()
  private var isFrozen = false
  private weak var ownWriter: AssetWriter?
  private var ownPort: MuxPort?
  private var ownQueue: AppendQueue?
  private var ownPace = Pace()
  private var hasEnded = false
  private var wasReady = false
  private var request: MediaDataRequest?
  private var passState = PassState()

  // Touched only by the thread that holds `admission`.
  let admission = Monitor()
  /// Converts captions to samples.
  var captions: CaptionTrackWriter?
  /// Time base of what is handed to the queue; `unknown` until a sample says it.
  var timeBase = Rational.unknown
  /// First sample of a pass, while its times do not say what the time base is.
  var undated: AcceptedSample?
  /// `true` once a sample has been handed to the queue.
  var hasBegun = false
  /// Sample descriptions of a track that is passed through.
  var formats: JoinedFormats?
  /// Description of the track that samples without data belong to.
  var referredTrack: TrackDescription?
  /// Time of the last sample of this pass.
  var lastTime: MediaTime?

  // Touched only by the thread of the queue.
  var stage: (any Stage<Frame>)?
  /// End of the chain in the first of two passes.
  var analysis: AnalysisStage?
  /// Number of the segment that the last frame belongs to.
  var segment: Int64 = 0

  public init(
    mediaType: MediaType, settings: Settings?, sourceFormatHint: FormatDescription? = nil
  ) {
    self.mediaType = mediaType
    self.settings = settings
    self.sourceFormatHint = sourceFormatHint
  }

  deinit { ownQueue?.abandon() }

  /// `true` if a sample can be appended without waiting.
  ///
  /// `false` while many appended samples wait to be encoded, and while this input is ahead of another one that is
  /// still being fed. Also `false` before the session starts and after it ends, when the input is finished, and
  /// when the writer has ended. A client stops appending then, and goes on when the value is `true` again:
  /// `requestMediaDataWhenReady` calls back. A live source drops the sample instead.
  public var isReadyForMoreMediaData: Bool { writer?.isReady(self) ?? false }

  /// Appends a sample, or each of several in order.
  ///
  /// The sample is encoded and written later, on a thread of the input's own. The sample and its picture may not be
  /// written to afterwards. Call it while `isReadyForMoreMediaData` is `true`: otherwise it waits while the
  /// samples that are not encoded yet take more than 32 MiB or are more than 32.
  ///
  /// A picture without a duration is shown until the next one; the last is shown as long as the one before it.
  ///
  /// Returns `false` if the sample cannot be accepted, such as one whose time goes back: the writer has failed, and its
  /// `error` says why. Also returns `false`, without an error, if the input has no writer, writing has not begun or
  /// has ended, or the input is finished. A failure of the encoder or the file shows in the writer's `status`, and
  /// in the next call.
  @discardableResult public func append(_ sample: SampleBuffer) -> Bool {
    writer?.append(sample, to: self) ?? false
  }

  /// Says that no more samples will come, so that other inputs do not wait for this one.
  ///
  /// Does not wait for samples that are not encoded yet. Calling it again does nothing.
  public func markAsFinished() { writer?.finish(self) }
}

extension AssetWriterInput {
  func configured<Value>(_ path: KeyPath<Configuration, Value>) -> Value {
    lock.locked { configuration[keyPath: path] }
  }

  func configure<Value>(_ path: WritableKeyPath<Configuration, Value>, _ value: Value) {
    lock.locked { if !isFrozen { configuration[keyPath: path] = value } }
  }

  var writer: AssetWriter? {
    get { lock.locked { ownWriter } }
    set { lock.locked { ownWriter = newValue } }
  }

  var port: MuxPort? { lock.locked { ownPort } }
  /// Appended samples; `nil` before writing begins.
  var queue: AppendQueue? { lock.locked { ownQueue } }
  var pace: Pace { lock.locked { ownPace } }
  var isFinished: Bool { lock.locked { hasEnded } }

  /// Takes the port of the muxer; from now on the configuration stays.
  func begin(_ port: MuxPort) {
    let queue = AppendQueue { [weak self] in
      self?.noteNews()
      self?.writer?.noteReadiness()
    }
    lock.locked {
      isFrozen = true
      (ownPort, ownQueue) = (port, queue)
      ownPace.lastNews = monotonicSeconds()
    }
  }

  /// A sample has come or been processed; `end` is the end of one that came, in seconds of the movie.
  func noteNews(until end: Double = 0) {
    let now = monotonicSeconds()
    lock.locked { ownPace = Pace(end: max(ownPace.end, end), lastNews: now) }
  }

  /// Whether it was not finished before.
  func end() -> Bool {
    lock.locked {
      defer { hasEnded = true }
      return !hasEnded
    }
  }

  /// Registers what is to be called when more can be taken; false where there is something already.
  func take(_ request: MediaDataRequest) -> Bool {
    lock.locked {
      guard self.request == nil else { return false }
      self.request = request
      return true
    }
  }

  /// Looks whether the input has become ready, and asks for samples where it has.
  func noteReadiness() {
    let isReady = isReadyForMoreMediaData
    let woken = lock.locked {
      defer { wasReady = isReady }
      return isReady && !wasReady ? request : nil
    }
    woken?.wake()
  }

  /// The input was found not to be ready: the next time that it is counts.
  func expectReadiness() {
    lock.locked { wasReady = false }
    noteReadiness()
  }

  func noteProgress() { lock.locked { request }?.noteProgress() }

  /// Releases the block that brings samples.
  func endRequest() { lock.locked { request }?.end() }

  /// The same, so that the next pass may ask anew.
  func dropRequest() {
    let last = lock.locked {
      defer { request = nil }
      return request
    }
    last?.end()
  }

  func passes<Result>(_ body: (inout PassState) -> Result) -> Result {
    lock.locked { body(&passState) }
  }
}
