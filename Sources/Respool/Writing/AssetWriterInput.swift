import RespoolMedia

/// One track of a file that is written.
///
/// What it is configured by can be changed until writing begins; later changes have no effect. One thread
/// at a time appends; everything else may be asked from any thread.
// Sendable: what is marked below is touched by the feeding thread alone, which holds `feeding`; the rest is
// behind `lock`.
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
  private var hasEnded = false
  private var wasReady = false
  private var request: MediaDataRequest?
  private var passState = PassState()

  // Touched only by who holds `feeding`.
  let feeding = Monitor()
  var stage: (any Stage<Frame>)?
  /// Where the chain ends in the first of two passes.
  var analysis: AnalysisStage?
  /// What captions go through before they are samples.
  var captions: CaptionTrackWriter?
  /// Of the frames that `stage` gets.
  var timeBase = Rational.unknown
  var hasBegun = false
  /// Of the samples that pass through.
  var formats: JoinedFormats?
  /// What samples without data are of.
  var referredTrack: TrackDescription?
  /// Of the last sample that was encoded, in this pass.
  var lastTime: MediaTime?
  /// Of the last picture that was encoded, where the movie is in segments.
  var segment: Int64 = 0

  public init(
    mediaType: MediaType, settings: Settings?, sourceFormatHint: FormatDescription? = nil
  ) {
    self.mediaType = mediaType
    self.settings = settings
    self.sourceFormatHint = sourceFormatHint
  }

  /// Whether the writer can take a sample without piling up what other inputs have not reached yet.
  ///
  /// False before the session starts and after it ends, once the input is finished, and once the writer
  /// has ended.
  public var isReadyForMoreMediaData: Bool { writer?.isReady(self) ?? false }

  /// Writes a sample, of several one after the other; blocks while it is encoded.
  ///
  /// A picture without a duration is encoded when the next one comes, until which it is shown; the last is shown as
  /// long as the one before it.
  ///
  /// False where that fails: the writer's `error` tells why. False without an error where the input is nobody's,
  /// writing has not begun or has ended, or the input is finished.
  @discardableResult public func append(_ sample: SampleBuffer) -> Bool {
    writer?.append(sample, to: self) ?? false
  }

  /// No more samples will come; other inputs do not wait for this one any more.
  ///
  /// Calling it again does nothing.
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
  var isFinished: Bool { lock.locked { hasEnded } }

  /// Takes the way into the muxer; from now on the configuration stays.
  func begin(_ port: MuxPort) {
    lock.locked {
      isFrozen = true
      ownPort = port
    }
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
