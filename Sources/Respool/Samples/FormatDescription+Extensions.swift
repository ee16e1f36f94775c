public import RespoolMedia

extension FormatDescription {
  /// Properties of a format other than codec, dimensions and rates.
  public struct Extensions: Hashable, Sendable {
    /// Code points of ITU-T H.273, range and chroma location.
    public var color = ColorDescription.unspecified
    /// The part of a frame that is meant to be seen.
    ///
    /// `nil` if that is the whole frame.
    public var cleanAperture: CleanAperture?
    /// Width of a pixel to its height.
    ///
    /// `unknown` if the file does not store it.
    public var pixelAspectRatio = Rational.unknown
    public var fieldOrder = TrackDescription.FieldOrder.unknown
    /// The configuration record: avcC, hvcC, AudioSpecificConfig and so on.
    ///
    /// Empty if there is none.
    public var configurationRecord: [UInt8] = []
    /// Profile as the codec numbers it.
    ///
    /// `nil` if unknown.
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

  /// Creates the format of a video codec; times of its samples are in `timeBase`.
  public convenience init(
    videoCodec codec: String, width: Int, height: Int, extensions: Extensions = Extensions(),
    timeBase: Rational = Rational(1, 90_000)
  ) {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: timeBase)
    (track.width, track.height) = (width, height)
    track.take(extensions)
    self.init(track)
  }

  /// Creates the format of an audio codec; times of its samples are in units of the sample rate.
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

  /// Returns this format with other extensions.
  public func withExtensions(_ extensions: Extensions) -> FormatDescription {
    var track = track
    track.take(extensions)
    return FormatDescription(track)
  }

  /// Width and height of the coded frame, in pixels.
  ///
  /// Zero for audio.
  public var dimensions: (width: Int, height: Int) { (track.width, track.height) }

  /// Returns the size at which a frame is shown with square pixels, before any rotation.
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

  /// The clean aperture as a rectangle of the coded frame, in pixels from the top left.
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

  /// Audio samples per second of each channel.
  ///
  /// 0 for video.
  public var sampleRate: Int { track.sampleRate }
  public var channelLayout: ChannelLayout { track.channelLayout }
  /// Audio samples per channel in each packet.
  ///
  /// 0 if that is unknown or varies.
  public var framesPerPacket: Int { track.frameSize }
  /// Bits of a coded audio sample or pixel component.
  ///
  /// 0 if that has no meaning.
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
