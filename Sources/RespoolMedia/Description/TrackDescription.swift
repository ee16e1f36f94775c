/// What a track carries: the description a demuxer gives of it, a decoder or encoder is opened with and
/// a muxer writes down.
///
/// Zero, an empty string or `unknown` mean that the file does not say.
public struct TrackDescription: Hashable, Sendable {
  public enum Kind: UInt32, Hashable, Sendable {
    case unknown = 0, video, audio, subtitle, data, attachment
  }

  public struct Disposition: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let `default` = Disposition(rawValue: 1)
    public static let forced = Disposition(rawValue: 2)
    /// A cover: one packet, shown beside the media and not in it.
    public static let attachedPicture = Disposition(rawValue: 4)
    public static let commentary = Disposition(rawValue: 8)
    public static let hearingImpaired = Disposition(rawValue: 16)
    public static let visualImpaired = Disposition(rawValue: 32)
    public static let original = Disposition(rawValue: 64)
    /// A still picture, not a moving one.
    public static let stillImage = Disposition(rawValue: 128)
    /// The file says: do not present unless asked.
    public static let disabled = Disposition(rawValue: 256)
  }

  public enum FieldOrder: UInt32, Hashable, Sendable {
    case unknown = 0, progressive, topFirst, bottomFirst
  }

  /// One entry of the edit list (ISO/IEC 14496-12 8.6.6).
  ///
  /// Packets come with edits applied.
  public struct Edit: Hashable, Sendable {
    /// In the time base of the track.
    public var presentationStart: Int64
    /// In the time base of the track.
    public var duration: Int64
    /// Media time in the time base of the track; nil for an empty edit.
    public var mediaStart: Int64?
    public var rate: Double

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
  /// As FFmpeg spells it: `h264`, `aac`, `pcm_s16le`; empty where not known.
  public var codec: String
  /// The container's code, first character in the lowest byte; 0 none.
  public var codecTag: UInt32 = 0
  public var disposition: Disposition = []
  /// The configuration record in the form that FFmpeg calls extradata: avcC, hvcC, av1C, vpcC body,
  /// AudioSpecificConfig, OpusHead, FLAC STREAMINFO, Vorbis headers with Xiph lacing.
  public var extradata: [UInt8] = []
  /// Unit of every time of the track, in seconds.
  public var timeBase: Rational
  /// Presentation time of the first shown sample.
  public var start: Int64?
  /// Shown duration.
  public var duration: Int64?
  public var packetCount: Int64?
  /// Bits a second.
  public var bitRate: Int64 = 0
  /// BCP 47 or ISO 639-2, as the file has it.
  public var language: String?
  public var metadata: [MetadataEntry] = []
  public var edits: [Edit] = []

  // Video

  /// Of the coded picture, after the codec's own cropping and before the display matrix.
  public var width = 0
  public var height = 0
  /// Shape of a pixel.
  public var sampleAspect: Rational = .unknown
  /// Average frame rate.
  public var frameRate: Rational = .unknown
  /// The lowest rate at which every time can be told exactly.
  public var baseFrameRate: Rational = .unknown
  public var pixelFormat: PixelFormat = .none
  public var fieldOrder: FieldOrder = .unknown
  public var color: ColorDescription = .unspecified
  public var displayMatrix: DisplayMatrix = .identity
  /// How many pictures the codec may hold back to reorder.
  public var reorderDepth = 0
  /// As the codec numbers it.
  public var profile: Int32?
  public var level: Int32?

  // Audio

  /// Samples a second of each channel.
  public var sampleRate = 0
  public var channelLayout = ChannelLayout(channelCount: 0)
  public var sampleFormat: SampleFormat = .none
  /// As coded; 0 where it has no meaning.
  public var bitsPerSample = 0
  /// Samples in a packet where all have the same number, else 0.
  public var frameSize = 0
  public var blockAlign = 0
  /// Encoder delay in samples: the first packets start that much below 0.
  ///
  /// Of pictures: how many are hidden before the first that is shown.
  public var initialPadding = 0
  /// How loud it is meant to be played, 1 full, in steps of 1/256; nil: the file does not say.
  public var preferredVolume: Double?
  /// Samples to decode before a position to be exact there.
  public var seekPreroll = 0
  /// Data of the whole track for which there is no property, such as a mastering display.
  public var sideData: [SideData] = []

  /// What samples are that are coded in another way than what is told here, in the order of the file.
  ///
  /// Their codec, configuration record and what follows from them count; times, edits and tags are those of the
  /// track. A packet says by its `format` how it is coded.
  public var furtherFormats: [TrackDescription] = []

  public init(kind: Kind, codec: String, timeBase: Rational) {
    self.kind = kind
    self.codec = codec
    self.timeBase = timeBase
  }

  /// All ways in which samples are coded, by the `format` of packets: the track's own is the first.
  public var formats: [TrackDescription] {
    var own = self
    own.furtherFormats = []
    return [own] + furtherFormats
  }

  /// Whether the track is moving pictures: video that is neither a cover nor a still.
  public var isMovingPicture: Bool {
    kind == .video && disposition.isDisjoint(with: [.attachedPicture, .stillImage])
  }

  /// Whether the track is metadata in time, with a table of its keys as extradata: see
  /// ``MetadataKeyTable``.
  public var isTimedMetadata: Bool { kind == .data && codec == "mebx" }
}

/// A named text, such as `title`; names as FFmpeg spells them.
public struct MetadataEntry: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether it describes the file that it was read from, and would be wrong in another.
  public var isOfFile: Bool {
    let name = name.lowercased()
    return Self.namesOfFiles.contains(name) || name.hasPrefix("_statistics")
  }

  /// `true` for the tag that names the program that wrote a file, which another program's file must not have.
  package var isOfWriter: Bool { ["encoder", "encoding_tool"].contains(name.lowercased()) }

  private static let namesOfFiles: Set<String> = [
    "major_brand", "minor_version", "compatible_brands", "handler_name", "vendor_id", "duration",
    "clean_aperture", "itunsmpb", "tlen", "tsiz",
  ]
}
