public import RespoolMedia

/// Video settings that an ``AssetWriterInput`` encodes to.
public struct VideoOutputSettings: Hashable, Sendable {
  /// Scaling of frames that do not have the output's size.
  ///
  /// The part of a frame that is scaled is its clean aperture. The frame's pixel aspect ratio is taken into
  /// account.
  public enum ScalingMode: Hashable, Sendable, CaseIterable {
    /// No larger than the size asked for, with the aspect ratio of the frame.
    ///
    /// Writers do not accept it, because their tracks have one size.
    case fit
    /// Stretched to the size; the aspect ratio is not kept.
    case resize
    /// As large as fits into the size with its aspect ratio, centered, with black bars.
    case resizeAspect
    /// As small as fills the size with its aspect ratio; the edges are cropped evenly.
    case resizeAspectFill
  }

  /// Codec, as FFmpeg spells it.
  public var codec: String
  /// Width of the coded frames, in pixels; `nil`, together with the height: that of the first frame.
  public var width: Int?
  /// Height of the coded frames, in pixels; `nil`, together with the width: that of the first frame.
  public var height: Int?
  /// Name of the encoder; `nil`: the registry's first encoder for the codec.
  public var encoder: String?
  /// Bits per second; `nil`: the encoder's default.
  public var bitRate: Int64?
  /// Quality on the encoder's own scale (``RateControl/quality``), such as the rate factor of x264; `nil`: the
  /// encoder's default.
  public var quality: Double?
  /// Maximum number of frames from one key frame to the next, at least 1; `nil`: the encoder decides.
  public var maxKeyFrameInterval: Int?
  /// Length in seconds of the intervals that begin with a key frame, above 0; `nil`: the encoder decides.
  ///
  /// Intervals are counted from time 0. The encoder may add more key frames.
  public var maxKeyFrameIntervalDuration: Double?
  /// Encoder options, by the encoder's own names.
  public var options: [PluginOption]
  /// Scaling of frames of another size.
  public var scalingMode: ScalingMode
  /// Clean aperture of the track; `nil`: that of the appended frames, if their size is kept.
  public var cleanAperture: CleanAperture?
  /// Pixel aspect ratio of the track.
  ///
  /// `nil`: that of the appended frames. If it is `nil` and frames are fitted to the size with their aspect
  /// ratio, pixels are square.
  public var pixelAspectRatio: Rational?
  /// Color of the coded frames.
  ///
  /// `nil`: that of the first frame. Frames that state another color are converted. Unspecified color properties
  /// stay as they are.
  public var color: ColorDescription?

  public init(
    codec: String, width: Int? = nil, height: Int? = nil, encoder: String? = nil,
    bitRate: Int64? = nil, quality: Double? = nil, options: [PluginOption] = [],
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

  /// `true` if the settings are consistent and in range.
  ///
  /// Without a size, the clean aperture is checked when the first frame arrives.
  var isUsable: Bool {
    guard scalingMode != .fit, (width == nil) == (height == nil) else { return false }
    if let pixelAspectRatio, !pixelAspectRatio.isPositive { return false }
    if let maxKeyFrameInterval, maxKeyFrameInterval < 1 { return false }
    if let maxKeyFrameIntervalDuration, !(maxKeyFrameIntervalDuration > 0) { return false }
    guard let width, let height else { return true }
    return width > 0 && height > 0 && cleanAperture?.fits(width: width, height: height) ?? true
  }
}

/// Audio settings that an ``AssetWriterInput`` encodes to.
public struct AudioOutputSettings: Hashable, Sendable {
  /// Codec, as FFmpeg spells it.
  public var codec: String
  /// Audio samples per second in each channel.
  public var sampleRate: Int
  public var channelLayout: ChannelLayout
  /// Name of the encoder; `nil`: the registry's first encoder for the codec.
  public var encoder: String?
  /// Bits per second; `nil`: the encoder's default.
  public var bitRate: Int64?
  /// Encoder options, by the encoder's own names.
  public var options: [PluginOption]

  public init(
    codec: String, sampleRate: Int, channelLayout: ChannelLayout, encoder: String? = nil,
    bitRate: Int64? = nil, options: [PluginOption] = []
  ) {
    self.codec = codec
    (self.sampleRate, self.channelLayout) = (sampleRate, channelLayout)
    self.encoder = encoder
    (self.bitRate, self.options) = (bitRate, options)
  }

  var isUsable: Bool { sampleRate > 0 && channelLayout.channelCount > 0 }
}

extension AssetWriterInput {
  /// Encoder settings of an input, by media type.
  public enum Settings: Hashable, Sendable {
    case video(VideoOutputSettings)
    case audio(AudioOutputSettings)

    /// See ``VideoOutputSettings``.
    public static func video(
      codec: String, width: Int? = nil, height: Int? = nil, encoder: String? = nil,
      bitRate: Int64? = nil, quality: Double? = nil, options: [PluginOption] = [],
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
      bitRate: Int64? = nil, options: [PluginOption] = []
    ) -> Settings {
      .audio(
        AudioOutputSettings(
          codec: codec, sampleRate: sampleRate, channelLayout: channelLayout, encoder: encoder,
          bitRate: bitRate, options: options))
    }

    /// Video settings; `nil` for audio.
    public var video: VideoOutputSettings? { if case .video(let it) = self { it } else { nil } }
    /// Audio settings; `nil` for video.
    public var audio: AudioOutputSettings? { if case .audio(let it) = self { it } else { nil } }

    var mediaType: MediaType { video == nil ? .audio : .video }
    var codec: String { video?.codec ?? audio?.codec ?? "" }
    /// Name of the encoder; `nil`: the registry's first encoder for the codec.
    var encoder: String? { video?.encoder ?? audio?.encoder }
    /// `true` if the settings are consistent and in range.
    var isUsable: Bool { video?.isUsable ?? audio?.isUsable ?? false }
  }
}
