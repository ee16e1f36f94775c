import RespoolMedia

/// Draws subtitles into frames, which have the size of the output and are upright.
///
/// Frames on which nothing is shown pass unchanged.
final class BurnStage: Stage {
  private let images: any SubtitleImages
  private let timeBase: Rational
  private let next: any Stage<Frame>
  private let pool = FramePool(limit: 64 << 20)
  /// Format in which images are drawn, for frames of ``format``.
  private var target: CompositionTarget?
  private var format: VideoFormat?
  /// Conversions of frames to the format of the target, and back; `nil` if they have it.
  private var converters: (to: FrameConverter, from: FrameConverter)?
  /// The last image, and what is drawn of it; `nil`: nothing.
  private var last: (image: Frame, sprite: OverlaySprite?)?
  /// `true` if subtitles have been drawn into a frame.
  private(set) var hasDrawn = false
  /// Sentences about text that is not drawn as it is, complete after `finish`.
  private(set) var losses: [String] = []

  init(_ images: any SubtitleImages, timeBase: Rational, to next: any Stage<Frame>) {
    (self.images, self.timeBase, self.next) = (images, timeBase, next)
  }

  func consume(_ frame: Frame) throws(MediaError) {
    guard let time = frame.pts, let image = try images.image(at: MediaTime(time, timeBase)) else {
      return try next.consume(frame)
    }
    try prepare(for: frame)
    guard let target, let sprite = try sprite(of: image, target) else {
      return try next.consume(frame)
    }
    guard let buffer = PixelBuffer(try converters?.to.convert(frame) ?? frame) else {
      throw MediaError(.internal, "subtitles cannot be drawn on \(frame.pixelFormat)")
    }
    let canvas = Canvas(target, background: .black, pool: pool)
    canvas.show(buffer)
    try canvas.draw(sprite.layer(weight: .opaque))
    hasDrawn = true
    var drawn = try canvas.finish().frame
    if let converters { drawn = try converters.from.convert(drawn) }
    (drawn.pts, drawn.duration, drawn.flags) = (frame.pts, frame.duration, frame.flags)
    (drawn.color, drawn.sampleAspect, drawn.sideData) = (
      frame.color, frame.sampleAspect, frame.sideData
    )
    try next.consume(drawn)
  }

  func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  func finish() throws(MediaError) {
    losses = try images.finish()
    try next.finish()
  }

  /// Finds the format to draw in, which is that of the frame if that can be drawn in.
  private func prepare(for frame: Frame) throws(MediaError) {
    let format = VideoFormat(frame)
    guard format != self.format else { return }
    (self.format, last, converters) = (format, nil, nil)
    var drawn = format
    if !CompositionTarget.canRender(format.pixelFormat) {
      let isDeep = (format.pixelFormat.layout?.depth ?? 8) > 8
      let hasAlpha = format.pixelFormat.layout?.hasAlpha == true
      drawn.pixelFormat =
        isDeep
        ? hasAlpha ? .yuva444p10le : .yuv444p10le : hasAlpha ? .yuva444p : .yuv444p
      if format.pixelFormat.layout?.family != .yuv {
        (drawn.color.matrix, drawn.color.range) = (H273.Matrix.bt709, .limited)
      }
      converters = (
        to: try FrameConverter(from: format, to: drawn),
        from: try FrameConverter(from: drawn, to: format)
      )
    }
    target = try CompositionTarget(
      width: drawn.width, height: drawn.height, pixelFormat: drawn.pixelFormat, tag: drawn.color,
      matrix: CompositionTarget.completeColor(of: drawn).matrix)
  }

  /// Returns what is drawn of an image; `nil` if it is empty.
  private func sprite(of image: Frame, _ target: CompositionTarget) throws(MediaError)
    -> OverlaySprite?
  {
    if let last, last.image.planes[0].base == image.planes[0].base { return last.sprite }
    let sprite = try OverlaySprite(image, target, pool: pool)
    last = (image, sprite)
    return sprite
  }
}
