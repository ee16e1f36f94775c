public import RespoolMedia

/// The properties of a track that a composition needs to show its frames.
public struct VideoCompositionSource: Hashable, Sendable {
  public var trackID: Int64
  /// Width to which layer instructions refer, in square pixels before the preferred transform.
  ///
  /// 0 if unknown: the size of each frame applies then.
  public var naturalWidth: Double
  /// Height in square pixels, as `naturalWidth`.
  public var naturalHeight: Double
  public var preferredTransform: DisplayMatrix
  /// Frames per second; unknown if the file does not state them.
  public var nominalFrameRate: Rational
  /// Pixel format; `none` if unknown before the first frame.
  public var pixelFormat: PixelFormat
  public var color: ColorDescription
  /// The range of the composition's time line in which the track has frames.
  public var timeRange: TimeRange
  /// The clips of a track with clips of several sizes, ordered by time.
  var clips: [Clip] = []
  /// Width of the pixel buffers, from which an unstated matrix is guessed.
  ///
  /// `nil` for `naturalWidth`.
  var codedWidth: Int?

  /// The matrix of frames that do not state one.
  var assumedMatrix: UInt8 {
    func side(_ length: Double) -> Int { Int(min(max(length, 0), 32768)) }
    return ColorDescription.assumed(
      width: codedWidth ?? side(naturalWidth), height: side(naturalHeight)
    ).matrix
  }

  /// The frame size from a time on, in square pixels.
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

  /// Creates a source from a track as its file describes it, shown over `timeRange`.
  public init(trackID: Int64, track: TrackDescription, timeRange: TimeRange) {
    let stretch = track.sampleAspect.isPositive ? track.sampleAspect.doubleValue : 1
    self.init(
      trackID: trackID, naturalWidth: Double(track.width) * stretch,
      naturalHeight: Double(track.height), preferredTransform: track.displayMatrix,
      nominalFrameRate: track.frameRate, pixelFormat: track.pixelFormat, color: track.color,
      timeRange: timeRange)
    codedWidth = track.width
  }

  /// The transform that shows the track as its file specifies, at the origin.
  public var uprightTransform: Transform {
    Transform(upright: preferredTransform, width: naturalWidth, height: naturalHeight)
  }

  /// Returns the frame size at a time, in square pixels, to which a transform applies.
  func naturalSize(at time: MediaTime) -> (width: Double, height: Double) {
    let clip = clips.last { $0.start <= time }
    return clip.map { ($0.width, $0.height) } ?? (naturalWidth, naturalHeight)
  }

  /// The frame size after the upright transform.
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
    // If only rounding to even sides differs, no edge of the background may show.
    if abs(width - wantedWidth) <= 1 && abs(height - wantedHeight) <= 1 {
      transform = transform.concatenating(
        Transform(scaleX: wantedWidth / width, y: wantedHeight / height))
    }
    // A matrix of fixed-point numbers and a finite size always make a usable transform.
    if !transform.isIdentity { try? layer.setTransform(transform, at: .zero) }
    // Clips of other sizes fill the area of the first one.
    for clip in source.clips where clip.width > 0 && clip.height > 0 {
      let fitted = Transform(
        scaleX: source.naturalWidth / clip.width, y: source.naturalHeight / clip.height
      ).concatenating(transform)
      try? layer.setTransform(fitted, at: clip.start)
    }
    return layer
  }
}
