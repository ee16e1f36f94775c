/// The description of a track, which demuxers return, muxers write, and decoders and encoders are opened with.
///
/// Zero, an empty string or `unknown` mean that the file does not store the value.
public struct TrackDescription: Hashable, Sendable {
  /// Kind of media in a track.
  public enum Kind: UInt32, Hashable, Sendable {
    case unknown = 0, video, audio, subtitle, data, attachment
  }

  /// Flags of a track, such as default and forced.
  public struct Disposition: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let `default` = Disposition(rawValue: 1)
    public static let forced = Disposition(rawValue: 2)
    /// A cover: one packet that is shown beside the media, not as part of it.
    public static let attachedPicture = Disposition(rawValue: 4)
    public static let commentary = Disposition(rawValue: 8)
    public static let hearingImpaired = Disposition(rawValue: 16)
    public static let visualImpaired = Disposition(rawValue: 32)
    public static let original = Disposition(rawValue: 64)
    /// A still image, not video.
    public static let stillImage = Disposition(rawValue: 128)
    /// The track is presented only on request.
    public static let disabled = Disposition(rawValue: 256)
  }

  /// Order of the fields of interlaced video.
  public enum FieldOrder: UInt32, Hashable, Sendable {
    case unknown = 0, progressive, topFirst, bottomFirst

    /// `true` if frames have two fields in a known order.
    package var isInterlaced: Bool { self == .topFirst || self == .bottomFirst }
  }

  /// One entry of the edit list (ISO/IEC 14496-12 8.6.6).
  ///
  /// Times of packets already have edits applied.
  public struct Edit: Hashable, Sendable {
    /// In the time base of the track.
    public var presentationStart: Int64
    /// In the time base of the track.
    public var duration: Int64
    /// Media time in the time base of the track.
    ///
    /// `nil` for an empty edit.
    public var mediaStart: Int64?
    public var rate: Double

    /// Rates at which audio is played, as in compositions.
    public static let audibleRates = 0.01...100.0

    public init(presentationStart: Int64, duration: Int64, mediaStart: Int64?, rate: Double = 1) {
      self.presentationStart = presentationStart
      self.duration = duration
      self.mediaStart = mediaStart
      self.rate = rate
    }
  }

  public var kind: Kind
  /// The file's own number for the track.
  public var id: Int64 = 0
  /// Codec as FFmpeg spells it: `h264`, `aac`, `pcm_s16le`.
  ///
  /// Empty if unknown.
  public var codec: String
  /// The container's four-character code, with the first character in the lowest byte.
  ///
  /// 0 if it has no code.
  public var codecTag: UInt32 = 0
  public var disposition: Disposition = []
  /// The configuration record in the form that FFmpeg calls extradata: avcC, hvcC, av1C, vpcC body,
  /// AudioSpecificConfig, OpusHead, FLAC STREAMINFO, Vorbis headers with Xiph lacing.
  public var extradata: [UInt8] = []
  /// Unit of every time of the track, in seconds.
  public var timeBase: Rational
  /// Presentation time of the first shown sample, in the time base of the track.
  public var start: Int64?
  /// Duration that is shown, in the time base of the track.
  public var duration: Int64?
  public var packetCount: Int64?
  /// Bits per second.
  public var bitRate: Int64 = 0
  /// BCP 47 or ISO 639-2, as stored in the file.
  public var language: String?
  public var metadata: [MetadataEntry] = []
  public var edits: [Edit] = []

  // Video

  /// Width of a decoded frame in pixels, after cropping by the codec.
  ///
  /// Pixel aspect ratio and display matrix are not applied.
  public var width = 0
  public var height = 0
  /// Pixel aspect ratio.
  public var sampleAspect: Rational = .unknown
  /// Average frame rate.
  public var frameRate: Rational = .unknown
  /// Lowest frame rate with which every time can be represented exactly.
  public var baseFrameRate: Rational = .unknown
  public var pixelFormat: PixelFormat = .none
  public var fieldOrder: FieldOrder = .unknown
  public var color: ColorDescription = .unspecified
  public var displayMatrix: DisplayMatrix = .identity
  /// Number of frames that the codec may hold back for reordering.
  public var reorderDepth = 0
  /// Number of frames before the first one that is presented.
  ///
  /// An edit list hides them.
  public var hiddenFrameCount = 0
  /// Profile as the codec numbers it.
  public var profile: Int32?
  public var level: Int32?

  // Audio

  /// Audio samples per second of each channel.
  public var sampleRate = 0
  public var channelLayout = ChannelLayout(channelCount: 0)
  /// Format of decoded audio samples.
  ///
  /// `none` if it is unknown; Respool then decodes the first frame of lossless audio. For PCM, the name of the codec
  /// decides.
  public var sampleFormat: SampleFormat = .none
  /// Coded bits per audio sample.
  ///
  /// 0 if this has no meaning for the codec.
  public var bitsPerSample = 0
  /// Audio samples per packet if all packets have the same number, else 0.
  public var frameSize = 0
  public var blockAlign = 0
  /// Encoder delay in audio samples: the time of the first packet is negative by as much.
  public var initialPadding = 0
  /// Preferred volume.
  ///
  /// 1 is full volume. MP4 stores it as an 8.8 fixed-point number (ISO/IEC 14496-12 8.3.2). `nil` if not stored.
  public var preferredVolume: Double?
  /// Number of audio samples to decode before a position so that the output there is exact.
  public var seekPreroll = 0
  /// Data of the whole track for which there is no property, such as a mastering display.
  public var sideData: [SideData] = []

  /// Additional sample descriptions, in file order.
  ///
  /// Only the codec, the configuration record and the properties derived from them are used. Times, edits and tags
  /// are those of the track. A packet's `sampleDescriptionIndex` selects its sample description.
  public var furtherSampleDescriptions: [TrackDescription] = []

  public init(kind: Kind, codec: String, timeBase: Rational) {
    self.kind = kind
    self.codec = codec
    self.timeBase = timeBase
  }

  /// All sample descriptions, indexed by the `sampleDescriptionIndex` of packets.
  ///
  /// The first is the track's own.
  public var sampleDescriptions: [TrackDescription] {
    var own = self
    own.furtherSampleDescriptions = []
    return [own] + furtherSampleDescriptions
  }

  /// `true` if the track is video and neither a cover nor a still image.
  public var isMovingPicture: Bool {
    kind == .video && disposition.isDisjoint(with: [.attachedPicture, .stillImage])
  }

  /// Rate of the first edit that does not play its media at normal speed.
  ///
  /// `nil` if there is none.
  package var changedRate: Double? { edits.lazy.map(\.rate).first { $0 != 1 } }

  /// `true` if the track is timed metadata, with a table of its keys as extradata: see ``MetadataKeyTable``.
  public var isTimedMetadata: Bool { kind == .data && codec == "mebx" }
}
