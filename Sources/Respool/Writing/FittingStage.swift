import RespoolMedia

/// Scales the clean aperture of frames to a size: stretched, with bars, or cropped.
///
/// Frames that have the size pass unchanged. So do uncropped frames in `resize` mode, which the next stage
/// scales. The fields of other interlaced frames are joined.
final class FittingStage: Stage {
  private let mode: VideoOutputSettings.ScalingMode
  private let size: VideoDimensions
  private let aperture: CleanAperture?
  /// Pixel aspect ratio of the output.
  ///
  /// `nil`: square; in `resize` mode, the ratio that keeps the display aspect ratio.
  private let pixelAspect: Rational?
  private let pixelFormat: PixelFormat
  private let next: any Stage<Frame>
  private var renderer: (videoFormat: VideoFormat, aspect: Rational, VideoCompositionRenderer)?

  /// Creates a stage.
  ///
  /// `aperture` is the clean aperture of the input frames. `pixelFormat` is the preferred output format, used if
  /// it can be rendered.
  init(
    _ settings: VideoOutputSettings, size: VideoDimensions, aperture: CleanAperture?,
    pixelFormat: PixelFormat, to next: any Stage<Frame>
  ) {
    mode = settings.scalingMode
    pixelAspect = settings.pixelAspectRatio
    (self.size, self.aperture, self.pixelFormat, self.next) = (size, aperture, pixelFormat, next)
  }

  func consume(_ frame: Frame) throws(MediaError) {
    let part = seen(of: frame)
    let isWhole = part.width == Double(frame.width) && part.height == Double(frame.height)
    if (frame.width, frame.height) == (size.width, size.height) || (mode == .resize && isWhole) {
      return try next.consume(frame)
    }
    let videoFormat = VideoFormat(frame)
    if renderer?.videoFormat != videoFormat || renderer?.aspect != frame.sampleAspect {
      renderer = (videoFormat, frame.sampleAspect, try makeRenderer(for: frame, showing: part))
    }
    guard let picture = PixelBuffer(frame),
      var fitted = try renderer?.2.render(at: .zero, frames: [1: picture])?.frame
    else { throw MediaError(.internal, "a frame of \(videoFormat) could not be scaled") }
    (fitted.pts, fitted.duration, fitted.flags) = (frame.pts, frame.duration, frame.flags)
    fitted.flags.remove([.interlaced, .topFieldFirst])
    fitted.sampleAspect = aspect(of: frame, showing: part)
    try next.consume(fitted)
  }

  func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  func finish() throws(MediaError) { try next.finish() }

  /// Returns the visible part of a frame, in the frame's pixels.
  private func seen(of frame: Frame) -> Rectangle {
    guard let aperture, aperture.width.doubleValue >= 1, aperture.height.doubleValue >= 1 else {
      return Rectangle(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height))
    }
    let part = aperture.rectangle(width: frame.width, height: frame.height)
    return Rectangle(x: part.x, y: part.y, width: part.width, height: part.height)
  }

  private func aspect(of frame: Frame, showing part: Rectangle) -> Rational {
    if let pixelAspect { return pixelAspect }
    guard mode == .resize, frame.sampleAspect.isPositive else { return Rational(1, 1) }
    let scale =
      frame.sampleAspect.doubleValue * part.width / Double(size.width)
      * Double(size.height) / part.height
    // Limits the ratio, because a file may state any pixel aspect ratio.
    return Rational(reducing: Int64(min(max(1, (scale * 65536).rounded()), 1e12)), 65536)
  }

  private func makeRenderer(for frame: Frame, showing part: Rectangle) throws(MediaError)
    -> VideoCompositionRenderer
  {
    // Layer coordinates assume square pixels. Output pixels may not be square, so the width is divided by their
    // ratio.
    let stretch = frame.sampleAspect.isPositive ? frame.sampleAspect.doubleValue : 1
    let place = place(
      width: part.width * stretch / (pixelAspect?.doubleValue ?? 1), height: part.height)
    let layer = MutableVideoCompositionLayerInstruction(trackID: 1)
    let crop = Rectangle(
      x: part.x * stretch, y: part.y, width: part.width * stretch, height: part.height)
    try layer.setCropRectangle(crop, at: .zero)
    try layer.setTransform(
      Transform(translationX: -crop.x, y: -crop.y).concatenating(
        Transform(scaleX: place.width / crop.width, y: place.height / crop.height)
      ).concatenating(Transform(translationX: place.x, y: place.y)), at: .zero)
    var composition = VideoComposition.Configuration()
    composition.renderSize = size
    let moment = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    composition.instructions = [
      MutableVideoCompositionInstruction(timeRange: moment, layerInstructions: [layer])
    ]
    let source = VideoCompositionSource(
      trackID: 1, naturalWidth: Double(frame.width) * stretch, naturalHeight: Double(frame.height),
      pixelFormat: frame.pixelFormat, color: frame.color, timeRange: moment)
    return try VideoCompositionRenderer(
      VideoComposition(configuration: composition), sources: [source],
      pixelFormat: CompositionTarget.canRender(pixelFormat) ? pixelFormat : nil)
  }

  /// Returns the rectangle in which a frame of this size is placed.
  ///
  /// It lies on even pixels, so that its edges are sharp in subsampled chroma too.
  private func place(width: Double, height: Double) -> Rectangle {
    let (wide, high) = (Double(size.width), Double(size.height))
    guard mode != .resize else { return Rectangle(x: 0, y: 0, width: wide, height: high) }
    let fills = mode == .resizeAspectFill
    let scale = fills ? max(wide / width, high / height) : min(wide / width, high / height)
    func even(_ length: Double) -> Double { (length / 2).rounded() * 2 }
    func side(_ length: Double, _ whole: Double) -> Double {
      fills ? max(whole, even(length)) : min(whole, max(2, even(length)))
    }
    let (placedWidth, placedHeight) = (side(width * scale, wide), side(height * scale, high))
    return Rectangle(
      x: even((wide - placedWidth) / 2), y: even((high - placedHeight) / 2), width: placedWidth,
      height: placedHeight)
  }
}
