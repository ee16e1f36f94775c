public import RespoolMedia

/// What a writer's input encodes pictures to.
public struct VideoOutputSettings: Hashable, Sendable {
  /// What becomes of pictures that are not of the output's size.
  ///
  /// What counts of a picture is its clean aperture, in the shape of its pixels.
  public enum ScalingMode: Hashable, Sendable, CaseIterable {
    /// No larger than the size asked for, whose sides shrink to the picture's shape; writers do not take
    /// it, as their tracks have one size.
    case fit
    /// Stretched to the size, its shape be what it may.
    case resize
    /// As large as it fits in its shape, in the middle, with black around it.
    case resizeAspect
    /// As small as it fills the size in its shape; what lies outside is cut off evenly.
    case resizeAspectFill
  }

  public var codec: String
  /// Of the coded picture; nil, together with the height: that of the first picture.
  public var width: Int?
  /// Of the coded picture; nil, together with the width: that of the first picture.
  public var height: Int?
  /// The encoder's name; nil: the registry's first for the codec.
  public var encoder: String?
  /// Bits a second; nil: as the encoder likes.
  public var bitRate: Int64?
  /// On the codec's own scale, such as the rate factor of x264; nil: as the encoder likes.
  public var quality: Double?
  /// Of the encoder, by its own names.
  public var options: [MetadataEntry]
  public var scalingMode: ScalingMode
  /// What pictures are to be seen of; nil: what they say of themselves, where their size stays.
  public var cleanAperture: CleanAperture?
  /// The shape of a pixel; nil: what the pictures say of themselves, square where they are fitted to a
  /// size in their shape.
  public var pixelAspectRatio: Rational?
  /// The colour to be written; nil: that of the first picture.
  ///
  /// Pictures that say they have another one are converted. What is unspecified stays as it is.
  public var color: ColorDescription?

  public init(
    codec: String, width: Int? = nil, height: Int? = nil, encoder: String? = nil,
    bitRate: Int64? = nil, quality: Double? = nil, options: [MetadataEntry] = [],
    scalingMode: ScalingMode = .resize, cleanAperture: CleanAperture? = nil,
    pixelAspectRatio: Rational? = nil, color: ColorDescription? = nil
  ) {
    self.codec = codec
    (self.width, self.height) = (width, height)
    self.encoder = encoder
    (self.bitRate, self.quality, self.options) = (bitRate, quality, options)
    self.scalingMode = scalingMode
    (self.cleanAperture, self.pixelAspectRatio) = (cleanAperture, pixelAspectRatio)
    self.color = color
  }

  /// Whether the numbers make sense; without sides the clean aperture is measured with the first picture.
  var isUsable: Bool {
    guard scalingMode != .fit, (width == nil) == (height == nil) else { return false }
    if let pixelAspectRatio, !pixelAspectRatio.isPositive { return false }
    guard let width, let height else { return true }
    return width > 0 && height > 0 && cleanAperture?.fits(width: width, height: height) ?? true
  }
}

/// What a writer's input encodes sound to.
public struct AudioOutputSettings: Hashable, Sendable {
  public var codec: String
  /// Samples a second of each channel.
  public var sampleRate: Int
  public var channelLayout: ChannelLayout
  /// The encoder's name; nil: the registry's first for the codec.
  public var encoder: String?
  /// Bits a second; nil: as the encoder likes.
  public var bitRate: Int64?
  /// Of the encoder, by its own names.
  public var options: [MetadataEntry]

  public init(
    codec: String, sampleRate: Int, channelLayout: ChannelLayout, encoder: String? = nil,
    bitRate: Int64? = nil, options: [MetadataEntry] = []
  ) {
    self.codec = codec
    (self.sampleRate, self.channelLayout) = (sampleRate, channelLayout)
    self.encoder = encoder
    (self.bitRate, self.options) = (bitRate, options)
  }
}

extension AssetWriterInput {
  /// What to encode to.
  public enum Settings: Hashable, Sendable {
    case video(VideoOutputSettings)
    case audio(AudioOutputSettings)

    /// See ``VideoOutputSettings``.
    public static func video(
      codec: String, width: Int? = nil, height: Int? = nil, encoder: String? = nil,
      bitRate: Int64? = nil, quality: Double? = nil, options: [MetadataEntry] = [],
      scalingMode: VideoOutputSettings.ScalingMode = .resize,
      cleanAperture: CleanAperture? = nil, pixelAspectRatio: Rational? = nil,
      color: ColorDescription? = nil
    ) -> Settings {
      .video(
        VideoOutputSettings(
          codec: codec, width: width, height: height, encoder: encoder, bitRate: bitRate,
          quality: quality, options: options, scalingMode: scalingMode,
          cleanAperture: cleanAperture, pixelAspectRatio: pixelAspectRatio, color: color))
    }

    /// See ``AudioOutputSettings``.
    public static func audio(
      codec: String, sampleRate: Int, channelLayout: ChannelLayout, encoder: String? = nil,
      bitRate: Int64? = nil, options: [MetadataEntry] = []
    ) -> Settings {
      .audio(
        AudioOutputSettings(
          codec: codec, sampleRate: sampleRate, channelLayout: channelLayout, encoder: encoder,
          bitRate: bitRate, options: options))
    }

    /// For pictures; nil for sound.
    public var video: VideoOutputSettings? { if case .video(let it) = self { it } else { nil } }
    /// For sound; nil for pictures.
    public var audio: AudioOutputSettings? { if case .audio(let it) = self { it } else { nil } }
  }
}
