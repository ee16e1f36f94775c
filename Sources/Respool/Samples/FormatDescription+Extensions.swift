public import RespoolMedia

extension FormatDescription {
  /// What is known of a format beyond codec, size and rate.
  public struct Extensions: Hashable, Sendable {
    /// Code points of ITU-T H.273, range and chroma location.
    public var color = ColorDescription.unspecified
    /// The part of a picture that is meant to be seen; nil: all of it.
    public var cleanAperture: CleanAperture?
    /// The shape of a pixel, width to height; `unknown` where the file does not say.
    public var pixelAspectRatio = Rational.unknown
    public var fieldOrder = TrackDescription.FieldOrder.unknown
    /// The configuration record: avcC, hvcC, AudioSpecificConfig and so on; empty where there is none.
    public var configurationRecord: [UInt8] = []
    /// The codec's own numbers for profile and level; nil where not known.
    public var profile: Int32?
    public var level: Int32?

    public init() {}
  }

  public var extensions: Extensions {
    var extensions = Extensions()
    extensions.color = track.color
    extensions.cleanAperture = track.cleanAperture
    extensions.pixelAspectRatio = track.sampleAspect
    extensions.fieldOrder = track.fieldOrder
    extensions.configurationRecord = track.extradata
    extensions.profile = track.profile
    extensions.level = track.level
    return extensions
  }

  /// Pictures of a codec; times of their samples are in `timeBase`.
  public convenience init(
    videoCodec codec: String, width: Int, height: Int, extensions: Extensions = Extensions(),
    timeBase: Rational = Rational(1, 90_000)
  ) {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: timeBase)
    (track.width, track.height) = (width, height)
    track.take(extensions)
    self.init(track)
  }

  /// Sound of a codec; times of its samples are in units of its rate.
  public convenience init(
    audioCodec codec: String, sampleRate: Int, channelLayout: ChannelLayout,
    extensions: Extensions = Extensions()
  ) {
    var track = TrackDescription(
      kind: .audio, codec: codec, timeBase: Rational(1, Int32(clamping: max(1, sampleRate))))
    track.sampleRate = sampleRate
    track.channelLayout = channelLayout
    track.take(extensions)
    self.init(track)
  }

  /// The same format with other extensions.
  public func withExtensions(_ extensions: Extensions) -> FormatDescription {
    var track = track
    track.take(extensions)
    return FormatDescription(track)
  }

  /// Samples in a row and rows of the coded picture; zero for sound.
  public var dimensions: (width: Int, height: Int) { (track.width, track.height) }

  /// The size at which a picture is shown with square pixels, before any rotation.
  public func presentationDimensions(
    usesPixelAspectRatio: Bool = true, usesCleanAperture: Bool = true
  ) -> (width: Double, height: Double) {
    var (width, height) = (Double(track.width), Double(track.height))
    if usesCleanAperture, let aperture = track.cleanAperture {
      (width, height) = (aperture.width.doubleValue, aperture.height.doubleValue)
    }
    if usesPixelAspectRatio, track.sampleAspect.isPositive {
      width *= track.sampleAspect.doubleValue
    }
    return (width, height)
  }

  /// The clean aperture as a rectangle of the coded picture, its origin at the top left.
  public var cleanApertureRectangle: (x: Double, y: Double, width: Double, height: Double) {
    guard let aperture = track.cleanAperture else {
      return (0, 0, Double(track.width), Double(track.height))
    }
    let (width, height) = (aperture.width.doubleValue, aperture.height.doubleValue)
    return (
      (Double(track.width) - width) / 2 + aperture.horizontalOffset.doubleValue,
      (Double(track.height) - height) / 2 + aperture.verticalOffset.doubleValue, width, height
    )
  }

  /// Samples a second of each channel; 0 for pictures.
  public var sampleRate: Int { track.sampleRate }
  public var channelLayout: ChannelLayout { track.channelLayout }
  /// Samples in a packet of sound where all have the same number, else 0.
  public var framesPerPacket: Int { track.frameSize }
  /// As coded; 0 where it has no meaning.
  public var bitsPerChannel: Int { track.bitsPerSample }
}

extension TrackDescription {
  fileprivate mutating func take(_ extensions: FormatDescription.Extensions) {
    color = extensions.color
    cleanAperture = extensions.cleanAperture
    sampleAspect = extensions.pixelAspectRatio
    fieldOrder = extensions.fieldOrder
    extradata = extensions.configurationRecord
    profile = extensions.profile
    level = extensions.level
  }
}
