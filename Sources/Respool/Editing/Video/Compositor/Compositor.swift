import RespoolMedia
import Synchronization

/// The built-in compositor.
///
/// It renders ``VideoCompositionInstruction``s: layers are blended on the pixel components of planar Y'CbCr
/// in the range and matrix of the composition. Layers that are moved by parts of a pixel, scaled or rotated are
/// sampled bilinearly, with exact coverage at the edges. An opaque, unmoved frame that fills the whole size
/// passes through unchanged, unless it is interlaced: fields are joined first. Requests are finished before
/// `startRequest` returns.
// Sendable: the core is only accessed with the mutex held.
public final class Compositor: VideoCompositing, DefaultInitializable {
  private let core = Mutex<CompositorCore?>(nil)

  public init() {}

  public func renderContextChanged(_ newRenderContext: VideoCompositionRenderContext) {
    core.withLock { $0 = CompositorCore(newRenderContext) }
  }

  public func startRequest(_ request: AsynchronousVideoCompositionRequest) {
    guard
      let instruction = request.videoCompositionInstruction as? VideoCompositionInstruction
    else {
      request.finish(
        with: MediaError(
          .unsupported,
          "the built-in compositor received a \(type(of: request.videoCompositionInstruction)), "
            + "not a VideoCompositionInstruction"))
      return
    }
    do throws(MediaError) {
      let buffer = try withCore(request.renderContext) { (core) throws(MediaError) in
        try core.compose(instruction, at: request.compositionTime) {
          request.sourceFrame(byTrackID: $0)
        }
      }
      request.finish(withComposedVideoFrame: buffer)
    } catch { request.finish(with: error) }
  }

  private func withCore(
    _ context: VideoCompositionRenderContext,
    _ body: (CompositorCore) throws(MediaError) -> PixelBuffer
  ) throws(MediaError) -> PixelBuffer {
    try core.withLock { (core) throws(MediaError) in
      if let core, core.context === context { return try body(core) }
      let made = CompositorCore(context)
      core = made
      return try body(made)
    }
  }

  // MARK: For the renderer

  func finish(
    _ buffer: PixelBuffer, at time: MediaTime, overlays: Bool,
    _ context: VideoCompositionRenderContext
  ) throws(MediaError) -> PixelBuffer {
    try withCore(context) { (core) throws(MediaError) in
      try core.finish(buffer, at: time, overlays: overlays)
    }
  }

  func background(
    _ color: VideoColor, at time: MediaTime, _ context: VideoCompositionRenderContext
  ) throws(MediaError) -> PixelBuffer {
    try withCore(context) { (core) throws(MediaError) in try core.background(color, at: time) }
  }

  func convert(
    _ buffer: PixelBuffer, to format: PixelFormat, color: ColorDescription,
    _ context: VideoCompositionRenderContext
  ) throws(MediaError) -> PixelBuffer {
    try withCore(context) { (core) throws(MediaError) in
      try core.convert(buffer, to: format, color: color)
    }
  }
}
