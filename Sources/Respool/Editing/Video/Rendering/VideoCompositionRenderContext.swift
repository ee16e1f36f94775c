public import RespoolMedia

/// Pixels at the four sides of a frame.
public struct EdgeWidths: Hashable, Sendable {
  public var left = 0.0
  public var top = 0.0
  public var right = 0.0
  public var bottom = 0.0

  public init(left: Double = 0, top: Double = 0, right: Double = 0, bottom: Double = 0) {
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
  }
}

/// The context into which a compositor renders.
public final class VideoCompositionRenderContext: Sendable {
  /// The composition that is rendered, as it was when rendering began.
  public let videoComposition: VideoComposition
  /// The size of rendered frames: the render size times the scale.
  public let size: VideoDimensions
  /// The scale of the composition.
  public let renderScale: Double
  /// The format of new pixel buffers.
  public let pixelFormat: PixelFormat
  /// The color of new pixel buffers.
  public let color: ColorDescription

  /// The pixel aspect ratio of rendered frames: square.
  public let pixelAspectRatio = Rational(1, 1)
  /// The padding of frames beyond the render size: always zero.
  public let edgeWidths = EdgeWidths()
  /// `true` if quality takes precedence over speed: always, as nothing is rendered in real time.
  public let highQualityRendering = true

  let target: CompositionTarget
  let sources: [Int64: VideoCompositionSource]
  private let pool: FramePool

  init(
    _ composition: VideoComposition, target: CompositionTarget, pixelFormat: PixelFormat,
    sources: [VideoCompositionSource], pool: FramePool
  ) {
    videoComposition = composition
    size = VideoDimensions(width: target.width, height: target.height)
    renderScale = composition.renderScale
    self.pixelFormat = pixelFormat
    color = target.tag
    self.target = target
    self.sources = Dictionary(
      sources.map { ($0.trackID, $0) }, uniquingKeysWith: { first, _ in first })
    self.pool = pool
  }

  /// The transform from the render size to rendered frames.
  public var renderTransform: Transform {
    let size = videoComposition.renderSize
    return Transform(
      scaleX: Double(self.size.width) / Double(max(size.width, 1)),
      y: Double(self.size.height) / Double(max(size.height, 1)))
  }

  /// Returns a frame to render into, with uninitialized memory from a pool and square pixels.
  ///
  /// Can be called from any thread. `nil` if there is no memory.
  public func newPixelBuffer() -> PixelBuffer? {
    guard
      var frame = pool.video(pixelFormat: pixelFormat, width: size.width, height: size.height)
    else { return nil }
    frame.color = color
    frame.sampleAspect = Rational(1, 1)
    return PixelBuffer(frame)
  }
}
