import RespoolMedia

/// One track of a file that is written.
///
/// The configuration can be changed until writing begins; later changes have no effect. One thread
/// at a time appends; everything else may be called from any thread.
// Sendable: only the thread that holds `admission` touches the first marked group, and only the thread of the
// queue touches the second. `lock` protects the rest.
public final class AssetWriterInput: @unchecked Sendable {
  public let mediaType: MediaType
  /// Encoder settings; `nil`: samples are passed through, and `sourceFormatHint` describes them.
  public let settings: Settings?
  public let sourceFormatHint: FormatDescription?

  private let lock = Monitor()
  private var configuration = Configuration()
  private var isFrozen = false
  private weak var ownWriter: AssetWriter?
  private var ownPort: TrackOutput?
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
  /// Time base of the samples in the queue; `unknown` until a sample determines it.
  var timeBase = Rational.unknown
  /// First sample of a pass, held while its times do not determine the time base.
  var undated: AcceptedSample?
  /// `true` if a sample has been added to the queue.
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
  /// when the writer has ended. A client then stops appending until the value is `true` again;
  /// `requestMediaDataWhenReady` calls back. A live source drops the sample instead.
  public var isReadyForMoreMediaData: Bool { writer?.isReady(self) ?? false }

  /// Appends a sample, or each of several in order.
  ///
  /// A thread of the input encodes and writes the sample later. Do not write to the sample or its pixel buffer
  /// afterwards. Call this while `isReadyForMoreMediaData` is `true`. Otherwise it waits while 32 samples or
  /// more, or 32 MiB or more, wait to be encoded.
  ///
  /// A frame without a duration is shown until the next one; the last is shown as long as the one before it.
  ///
  /// Returns `false` if the sample cannot be accepted, such as one whose time goes back: the writer has failed,
  /// and its `error` gives the reason. Also returns `false`, without an error, if the input has no writer,
  /// writing has not begun or has ended, or the input is finished. A failure of the encoder or the file shows in
  /// the writer's `status`, and in the next call.
  @discardableResult public func append(_ sample: SampleBuffer) -> Bool {
    writer?.append(sample, to: self) ?? false
  }

  /// Marks the input as finished: no more samples will come, and other inputs do not wait for this one.
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

  var port: TrackOutput? { lock.locked { ownPort } }
  /// Appended samples; `nil` before writing begins.
  var queue: AppendQueue? { lock.locked { ownQueue } }
  var pace: Pace { lock.locked { ownPace } }
  var isFinished: Bool { lock.locked { hasEnded } }

  /// Sets the port to the muxer; the configuration cannot be changed afterwards.
  func begin(_ port: TrackOutput) {
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

  /// Notes that a sample has been appended or processed.
  ///
  /// `end` is the end of an appended sample, in seconds of the movie.
  func noteNews(until end: Double = 0) {
    let now = monotonicSeconds()
    lock.locked { ownPace = Pace(end: max(ownPace.end, end), lastNews: now) }
  }

  /// Marks the input as finished; returns `false` if it was finished before.
  func end() -> Bool {
    lock.locked {
      defer { hasEnded = true }
      return !hasEnded
    }
  }

  /// Registers the request to call when more samples can be taken; returns `false` if there is one already.
  func take(_ request: MediaDataRequest) -> Bool {
    lock.locked {
      guard self.request == nil else { return false }
      self.request = request
      return true
    }
  }

  /// Checks whether the input has become ready, and wakes its request if so.
  func noteReadiness() {
    let isReady = isReadyForMoreMediaData
    let woken = lock.locked {
      defer { wasReady = isReady }
      return isReady && !wasReady ? request : nil
    }
    woken?.wake()
  }

  /// Notes that the input was not ready, so that the next change to ready wakes the request.
  func expectReadiness() {
    lock.locked { wasReady = false }
    noteReadiness()
  }

  func noteProgress() { lock.locked { request }?.noteProgress() }

  /// Releases the block that appends samples.
  func endRequest() { lock.locked { request }?.end() }

  /// Releases the block and removes the request, so that the next pass can make a new one.
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
