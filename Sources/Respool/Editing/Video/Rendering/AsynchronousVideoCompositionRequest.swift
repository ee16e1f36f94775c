public import RespoolMedia

/// A request to a compositor for one frame.
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
          .internal,
          "a custom compositor released the request at \(compositionTime) without finishing it")))
  }

  /// The tracks that have a frame at this time, in rising order.
  public var sourceTrackIDs: [Int64] { frames.keys.sorted() }

  /// Returns the frame of a track at this time, which must not be written to.
  ///
  /// `nil` if the track has no frame.
  public func sourceFrame(byTrackID trackID: Int64) -> PixelBuffer? { frames[trackID] }

  /// The tracks of timed metadata that have a sample at this time, in rising order.
  ///
  /// Only tracks that both the composition and its instruction name, see
  /// ``VideoComposition/sourceSampleDataTrackIDs``.
  public var sourceSampleDataTrackIDs: [Int64] { samples.keys.sorted() }

  /// Returns the sample of timed metadata that is valid at this time.
  ///
  /// Its times are on the composition's time line. `nil` if the track has no sample.
  public func sourceSampleBuffer(byTrackID trackID: Int64) -> SampleBuffer? { samples[trackID] }

  /// Returns the items of the sample that is valid at this time.
  ///
  /// A group without items if the track states that nothing is valid. `nil` if the track has no sample.
  public func sourceTimedMetadata(byTrackID trackID: Int64) -> TimedMetadataGroup? {
    samples[trackID].flatMap { TimedMetadataGroup(sampleBuffer: $0) }
  }

  /// Finishes with the composed frame, which may be a source frame.
  public func finish(withComposedVideoFrame frame: PixelBuffer) { outcome.finish(.composed(frame)) }

  /// Ends the whole rendering with an error.
  public func finish(with error: MediaError) { outcome.finish(.failed(error)) }

  /// Finishes without a frame because requests were cancelled.
  public func finishCancelledRequest() { outcome.finish(.cancelled) }
}
