import RespoolMedia

/// Images of subtitles that are images, which a decoder makes of packets as they are needed.
final class BitmapImages: SubtitleImages {
  private let decoder: DecoderInstance
  private let packets: [Packet]
  private let timeBase: Rational
  private let place: BitmapPlace
  private var nextPacket = 0
  private var isDrained = false
  /// The image of the last time with its end, and that of a later time; the end is `nil` up to the next one.
  private var shown: (image: Frame?, end: MediaTime?)?
  private var coming: Frame?
  private var damaged = 0
  private var firstDamage: MediaError?

  init(
    _ content: SubtitleContent, _ subtitles: BurntSubtitles, for format: VideoFormat,
    sampleAspect: Rational, registry: PluginRegistry
  ) throws(MediaError) {
    guard let factory = registry.factory(for: subtitles.factory) else {
      throw MediaError(
        .unsupported, "the decoder \(subtitles.factory.description.name) is not available")
    }
    decoder = try DecoderInstance(
      factory, DecoderSettings(track: content.track), reason: "it decodes the subtitles to draw")
    (packets, timeBase) = (content.packets, content.track.timeBase)
    place = BitmapPlace(
      subtitles, width: format.width, height: format.height, sampleAspect: sampleAspect,
      // Blu-ray's images have square pixels; those of DVD and DVB cover the video, whatever its shape.
      keepsShape: content.track.codec == "hdmv_pgs_subtitle")
  }

  func image(at time: MediaTime) throws(MediaError) -> Frame? {
    while let frame = try following(), MediaTime(frame.pts ?? 0, timeBase) <= time {
      coming = nil
      let start = MediaTime(frame.pts ?? 0, timeBase)
      shown = (
        place.placed(frame),
        frame.duration > 0 ? start + MediaTime(frame.duration, timeBase) : nil
      )
    }
    guard let shown, shown.end.map({ time < $0 }) ?? true else { return nil }
    return shown.image
  }

  func finish() throws(MediaError) -> [String] {
    guard damaged > 0 else { return [] }
    return [
      "\(damaged.counting("image", "is", "are")) damaged"
        + (firstDamage.map { ": \($0.description)" } ?? "")
    ]
  }

  /// Returns the next image, without taking it; `nil` at the end.
  private func following() throws(MediaError) -> Frame? {
    while coming == nil, !isDrained {
      switch try decoder.receive() {
      case .value(let frame): coming = frame
      case .end: isDrained = true
      case .needsInput:
        let packet = nextPacket < packets.count ? packets[nextPacket] : nil
        nextPacket += 1
        do throws(MediaError) { _ = try decoder.send(packet) } catch {
          guard packet != nil, error.code == .malformed else { throw error }
          damaged += 1
          firstDamage = firstDamage ?? error
        }
      }
    }
    return coming
  }
}

/// The place of images of subtitles on the frames of an output.
struct BitmapPlace {
  private let width, height: Int
  /// The whole frame for which the subtitles were made, in pixels of the output.
  private let whole: Rectangle
  /// Width of a pixel of the output divided by its height.
  private let pixelAspect: Double
  private let keepsShape: Bool

  init(
    _ subtitles: BurntSubtitles, width: Int, height: Int, sampleAspect: Rational, keepsShape: Bool
  ) {
    pixelAspect = sampleAspect.isPositive ? sampleAspect.doubleValue : 1
    (self.width, self.height, self.keepsShape) = (width, height, keepsShape)
    let columns = max(1, subtitles.width - subtitles.left - subtitles.right)
    let rows = max(1, subtitles.height - subtitles.top - subtitles.bottom)
    let (x, y) = (Double(width) / Double(columns), Double(height) / Double(rows))
    whole = Rectangle(
      x: -Double(subtitles.left) * x, y: -Double(subtitles.top) * y,
      width: Double(subtitles.width) * x, height: Double(subtitles.height) * y)
  }

  /// Returns an image of the size of the output with the one of a decoder; `nil` if that is empty.
  func placed(_ image: Frame) -> Frame? {
    guard let bounds = image.opaqueBounds,
      let result = Frame(pixelFormat: .rgba, width: width, height: height)
    else { return nil }
    result.buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    let columns = span(bounds.x, of: image.width, whole.x, whole.width)
    let rows = span(bounds.y, of: image.height, whole.y, whole.height)
    // Scale of widths as they are shown, in heights of a pixel.
    let shownScale = columns.scale * pixelAspect
    let isAlike = abs(shownScale / rows.scale - 1) < 0.02
    var (x, y) = (columns.place, rows.place)
    var size = (Double(bounds.x.count) * columns.scale, Double(bounds.y.count) * rows.scale)
    if keepsShape, !isAlike {
      // Made for a frame with borders that the video does not have: the larger scale is that of a side without borders.
      let scale = min(
        max(shownScale, rows.scale), Double(width) * pixelAspect / Double(bounds.x.count),
        Double(height) / Double(bounds.y.count))
      size = (Double(bounds.x.count) * scale / pixelAspect, Double(bounds.y.count) * scale)
      x = Self.share(bounds.x, of: image.width) * (Double(width) - size.0)
      y = Self.share(bounds.y, of: image.height) * (Double(height) - size.1)
    }
    let drawn = (
      min(width, max(1, Int(size.0.rounded()))), min(height, max(1, Int(size.1.rounded())))
    )
    // Images that would lie partly outside of the frame are moved into it.
    ImageScaler(from: image, bounds, width: drawn.0, height: drawn.1).draw(
      on: result, x: max(0, min(Int(x.rounded()), width - drawn.0)),
      y: max(0, min(Int(y.rounded()), height - drawn.1)))
    return result
  }

  /// Returns the scale of a side, and the place of pixels on the output.
  private func span(_ pixels: Range<Int>, of count: Int, _ start: Double, _ length: Double) -> (
    scale: Double, place: Double
  ) {
    let scale = length / Double(count)
    return (scale, start + Double(pixels.lowerBound) * scale)
  }

  /// Returns the part of the room beside pixels that is before them, from 0 to 1.
  private static func share(_ pixels: Range<Int>, of count: Int) -> Double {
    let room = count - pixels.count
    return room > 0 ? Double(pixels.lowerBound) / Double(room) : 0
  }
}
