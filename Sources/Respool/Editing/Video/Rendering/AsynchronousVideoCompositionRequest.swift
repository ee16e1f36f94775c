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
  private let outcome: RequestOutcome

  init(
    _ context: VideoCompositionRenderContext, time: MediaTime,
    instruction: any VideoCompositionInstructionProtocol, frames: [Int64: PixelBuffer],
    outcome: RequestOutcome
  ) {
    renderContext = context
    compositionTime = time
    videoCompositionInstruction = instruction
    self.frames = frames
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

  /// Hands the composed picture over, which may be a source frame.
  public func finish(withComposedVideoFrame frame: PixelBuffer) { outcome.finish(.composed(frame)) }

  /// Ends the whole rendering with an error.
  public func finish(with error: MediaError) { outcome.finish(.failed(error)) }

  /// Says that the picture was not made because requests were cancelled.
  public func finishCancelledRequest() { outcome.finish(.cancelled) }
}
