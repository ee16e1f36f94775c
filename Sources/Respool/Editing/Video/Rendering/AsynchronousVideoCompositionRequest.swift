public import RespoolMedia

/// One picture that a compositor is asked for.
///
/// Usable from any thread. The first of the three ways to finish it counts; later calls do nothing.
public final class AsynchronousVideoCompositionRequest: Sendable {
  public let renderContext: VideoCompositionRenderContext
  /// The time on the composition's time line.
  public let compositionTime: MediaTime
  public let videoCompositionInstruction: any VideoCompositionInstructionProtocol
  private let frames: [Int64: PixelBuffer]
  private let samples: [Int64: SampleBuffer]
  private let outcome: RequestOutcome

  init(
    _ context: VideoCompositionRenderContext, time: MediaTime,
    instruction: any VideoCompositionInstructionProtocol, frames: [Int64: PixelBuffer],
    samples: [Int64: SampleBuffer], outcome: RequestOutcome
  ) {
    renderContext = context
    compositionTime = time
    videoCompositionInstruction = instruction
    self.frames = frames
    self.samples = samples
    self.outcome = outcome
  }

  deinit {
    outcome.finish(
      .failed(
        MediaError(
          .internal, "a custom compositor let go of the picture at \(compositionTime) unfinished")))
  }

  /// The tracks that have a picture at this time, in rising order.
  public var sourceTrackIDs: [Int64] { frames.keys.sorted() }

  /// The picture that a track shows at this time; nil where it has none.
  ///
  /// Not to be written to.
  public func sourceFrame(byTrackID trackID: Int64) -> PixelBuffer? { frames[trackID] }

  /// The tracks of timed metadata that have a sample at this time, in rising order.
  ///
  /// None but those that the composition and its instruction name, see
  /// ``VideoComposition/sourceSampleDataTrackIDs``.
  public var sourceSampleDataTrackIDs: [Int64] { samples.keys.sorted() }

  /// The sample of timed metadata that holds at this time; nil where a track has none.
  ///
  /// Its times are on the composition's time line.
  public func sourceSampleBuffer(byTrackID trackID: Int64) -> SampleBuffer? { samples[trackID] }

  /// What is in the sample that holds at this time; nil where a track has none.
  ///
  /// Where the track says that nothing holds it is a group without items.
  public func sourceTimedMetadata(byTrackID trackID: Int64) -> TimedMetadataGroup? {
    samples[trackID].flatMap { TimedMetadataGroup(sampleBuffer: $0) }
  }

  /// Hands the composed picture over, which may be a source frame.
  public func finish(withComposedVideoFrame frame: PixelBuffer) { outcome.finish(.composed(frame)) }

  /// Ends the whole rendering with an error.
  public func finish(with error: MediaError) { outcome.finish(.failed(error)) }

  /// Says that the picture was not made because requests were cancelled.
  public func finishCancelledRequest() { outcome.finish(.cancelled) }
}
