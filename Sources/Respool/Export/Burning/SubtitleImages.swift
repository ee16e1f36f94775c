import RespoolMedia

/// The images of subtitles for the frames of a video track, in the order of their times.
protocol SubtitleImages: AnyObject {
  /// Returns what is shown at a time, as a frame of the size of the video in `rgba`; `nil`: nothing.
  ///
  /// Frames that share their memory are equal. Times only increase.
  func image(at time: MediaTime) throws(MediaError) -> Frame?

  /// Ends the drawing, and returns sentences about what was not drawn as it is.
  func finish() throws(MediaError) -> [String]
}

/// Images of text, which a filter draws over an empty frame.
final class TextImages: SubtitleImages {
  private let filter: FilterInstance
  private var canvas: Frame
  private var losses: [String]
  private var last: Int64?

  /// Time base of the frames that the filter gets.
  private static let base = Rational(1, 1_000_000)

  init(
    _ content: SubtitleContent, _ subtitles: BurntSubtitles, fonts: [TrackDescription],
    for format: VideoFormat, sampleAspect: Rational, builder: ChainBuilder
  ) throws(MediaError) {
    guard let factory = builder.registry.factory(for: subtitles.factory),
      var canvas = Frame(pixelFormat: .rgba, width: format.width, height: format.height)
    else {
      throw MediaError(
        .unsupported, "the filter \(subtitles.factory.description.name) is not available")
    }
    canvas.buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    canvas.sampleAspect = sampleAspect
    self.canvas = canvas
    let shape = sampleAspect.isPositive ? sampleAspect.doubleValue : 1
    let script = try SubtitleScript(
      content, aspect: Double(format.width) * shape / Double(max(1, format.height)), fonts: fonts)
    losses = script.losses
    var track = TrackDescription(kind: .video, codec: "rawvideo", timeBase: Self.base)
    (track.width, track.height) = (format.width, format.height)
    (track.pixelFormat, track.sampleAspect) = (.rgba, sampleAspect)
    var options = [
      PluginOption("header", script.header), PluginOption("events", script.events),
      PluginOption("storage-width", "\(subtitles.width)"),
      PluginOption("storage-height", "\(subtitles.height)"),
    ]
    // Scripts have positions on the whole video; other text is laid out in the frames of the output.
    let isPlaced = script.hasPositions
    let kept = (
      max(1, subtitles.width - subtitles.left - subtitles.right),
      max(1, subtitles.height - subtitles.top - subtitles.bottom)
    )
    for (name, removed, whole, size) in [
      ("left", subtitles.left, kept.0, format.width),
      ("right", subtitles.right, kept.0, format.width),
      ("top", subtitles.top, kept.1, format.height),
      ("bottom", subtitles.bottom, kept.1, format.height),
    ] where removed > 0 && isPlaced {
      options.append(PluginOption("cropped-\(name)", "\(removed * size / whole)"))
    }
    var settings = FilterSettings(track: track, threads: 1, options: options)
    settings.job = builder.monitor.job(for: factory.description.name)
    filter = try builder.registry.openFilter(factory, settings)
  }

  func image(at time: MediaTime) throws(MediaError) -> Frame? {
    guard let ticks = time.ticks(Self.base) else { return nil }
    // Two frames within a microsecond show the same.
    canvas.pts = max(ticks, last.map { $0 &+ 1 } ?? ticks)
    last = canvas.pts
    var image: Frame?
    try filter.filter(canvas) { image = $0 }
    guard let image, image.planes[0].base != canvas.planes[0].base else { return nil }
    return image
  }

  func finish() throws(MediaError) -> [String] {
    try filter.filter(nil) { _ in }
    for result in filter.results {
      switch result.name {
      case "missing-glyphs":
        losses.append("characters are boxes, because no font has them: \(Self.letters(result))")
      case "missing-fonts":
        losses.append("other fonts are used for those that are not there: \(result.value)")
      default: continue
      }
    }
    return losses
  }

  /// Returns the characters of a list of code points, with their numbers.
  private static func letters(_ result: FilterResult) -> String {
    result.value.split(separator: ", ").prefix(8).map { digits in
      let letter = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
      return "U+\(digits)" + (letter.map { " \($0)" } ?? "")
    }.joined(separator: ", ")
  }
}
