public import RespoolMedia

/// What a composition has to know of a track whose pictures it shows.
public struct VideoCompositionSource: Hashable, Sendable {
  public var trackID: Int64
  /// In square pixels, before the preferred transform: what layer instructions speak of.
  ///
  /// Zero where not known: the size of each picture counts then.
  public var naturalWidth: Double
  /// In square pixels, as `naturalWidth`.
  public var naturalHeight: Double
  public var preferredTransform: DisplayMatrix
  /// Pictures a second; unknown where the file does not say.
  public var nominalFrameRate: Rational
  /// `none` where not known before the first picture.
  public var pixelFormat: PixelFormat
  public var color: ColorDescription
  /// Where on the time line of the composition it has pictures.
  public var timeRange: TimeRange
  /// What a track is made of that has clips of several sizes, by time.
  var clips: [Clip] = []
  /// Width of the pixel buffers, by which an unstated matrix is guessed; nil: `naturalWidth`.
  var codedWidth: Int?

  /// The matrix of pictures that do not state one.
  var usualMatrix: UInt8 {
    func side(_ length: Double) -> Int { Int(min(max(length, 0), 32768)) }
    return ColorDescription.usual(
      width: codedWidth ?? side(naturalWidth), height: side(naturalHeight)
    ).matrix
  }

  /// How large pictures are from a time on, in square pixels.
  struct Clip: Hashable, Sendable {
    var start: MediaTime
    var width: Double
    var height: Double
  }

  public init(
    trackID: Int64, naturalWidth: Double, naturalHeight: Double,
    preferredTransform: DisplayMatrix = .identity, nominalFrameRate: Rational = .unknown,
    pixelFormat: PixelFormat = .none, color: ColorDescription = .unspecified, timeRange: TimeRange
  ) {
    self.trackID = trackID
    self.naturalWidth = naturalWidth
    self.naturalHeight = naturalHeight
    self.preferredTransform = preferredTransform
    self.nominalFrameRate = nominalFrameRate
    self.pixelFormat = pixelFormat
    self.color = color
    self.timeRange = timeRange
  }

  /// A track as its file describes it, shown over `timeRange`.
  public init(trackID: Int64, track: TrackDescription, timeRange: TimeRange) {
    let stretch = track.sampleAspect.isPositive ? track.sampleAspect.doubleValue : 1
    self.init(
      trackID: trackID, naturalWidth: Double(track.width) * stretch,
      naturalHeight: Double(track.height), preferredTransform: track.displayMatrix,
      nominalFrameRate: track.frameRate, pixelFormat: track.pixelFormat, color: track.color,
      timeRange: timeRange)
    codedWidth = track.width
  }

  /// The map that shows the track as its file says, at the origin.
  public var uprightTransform: Transform {
    Transform(upright: preferredTransform, width: naturalWidth, height: naturalHeight)
  }

  /// How large the pictures are that are shown at a time, in square pixels: what a transform moves then.
  func naturalSize(at time: MediaTime) -> (width: Double, height: Double) {
    let clip = clips.last { $0.start <= time }
    return clip.map { ($0.width, $0.height) } ?? (naturalWidth, naturalHeight)
  }

  /// The size of what is seen upright.
  var uprightSize: (width: Double, height: Double) {
    let bounds = uprightTransform.bounds(
      of: Rectangle(x: 0, y: 0, width: naturalWidth, height: naturalHeight))
    return (bounds.width, bounds.height)
  }
}

extension VideoComposition.Configuration {
  /// See `VideoComposition(propertiesOf:)`.
  init(
    propertiesOf sources: [VideoCompositionSource], prototype: VideoCompositionInstruction? = nil
  ) {
    self.init()
    let sources = sources.filter {
      $0.naturalWidth > 0 && $0.naturalHeight > 0 && $0.timeRange.isValid
        && $0.timeRange.start.isComputable && $0.timeRange.duration.isComputable
        && !$0.timeRange.isEmpty
    }
    func even(_ side: Double?) -> Int {
      guard let side, side.isFinite else { return 0 }
      // The nearest even number; an odd side loses its last line, by scaling.
      return min(max(2, Int((min(side / 2, 16384) - 0.5).rounded(.up)) * 2), 32768)
    }
    renderSize = VideoDimensions(
      width: even(sources.map(\.uprightSize.width).max()),
      height: even(sources.map(\.uprightSize.height).max()))
    let rate = sources.map(\.nominalFrameRate).filter(\.isPositive).max {
      $0.doubleValue < $1.doubleValue
    }
    frameDuration =
      rate.map { MediaTime(value: Int64($0.denominator), timescale: $0.numerator) }
      ?? MediaTime(value: 1, timescale: 30)

    // Whatever there is before the first track is shown as background.
    var edges = Set(sources.flatMap { [$0.timeRange.start, $0.timeRange.end] })
    if !edges.isEmpty { edges.insert(.zero) }
    let times = edges.filter { $0 >= .zero }.sorted()
    instructions = zip(times, times.dropFirst()).map { start, end in
      let shown = sources.filter { $0.timeRange.containsTime(start) }
      var instruction =
        prototype?.configuration ?? VideoCompositionInstruction.Configuration()
      instruction.timeRange = TimeRange(start: start, end: end)
      instruction.layerInstructions = shown.map(layer)
      return MutableVideoCompositionInstruction(configuration: instruction)
    }
  }

  private func layer(_ source: VideoCompositionSource) -> VideoCompositionLayerInstruction {
    let layer = MutableVideoCompositionLayerInstruction(trackID: source.trackID)
    var transform = source.uprightTransform
    let (width, height) = source.uprightSize
    let (wantedWidth, wantedHeight) = (Double(renderSize.width), Double(renderSize.height))
    // Where rounding to even sides is all that differs, no edge of the background may show.
    if abs(width - wantedWidth) <= 1 && abs(height - wantedHeight) <= 1 {
      transform = transform.concatenating(
        Transform(scaleX: wantedWidth / width, y: wantedHeight / height))
    }
    // A matrix of fixed-point numbers and a finite size always make a usable transform.
    if !transform.isIdentity { try? layer.setTransform(transform, at: .zero) }
    // Clips of other sizes fill what the first one does.
    for clip in source.clips where clip.width > 0 && clip.height > 0 {
      let fitted = Transform(
        scaleX: source.naturalWidth / clip.width, y: source.naturalHeight / clip.height
      ).concatenating(transform)
      try? layer.setTransform(fitted, at: clip.start)
    }
    return layer
  }
}
