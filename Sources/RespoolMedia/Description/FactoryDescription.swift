/// A plugin's description of one of its factories, which suffices to choose, list and check it without opening it.
public struct FactoryDescription: Hashable, Sendable {
  /// Kind of object that a factory creates.
  public enum Kind: UInt32, Hashable, Sendable, CaseIterable {
    case demuxer = 1, decoder, encoder, muxer, filter
  }

  /// Order of preference if several factories can do a job.
  ///
  /// Factories of equal tiers are ordered by name.
  public enum Tier: UInt32, Hashable, Sendable, Comparable, CaseIterable {
    /// Chosen by the user or a preset, before all others; plugins cannot state it.
    case chosen = 0xFFFF_FFFF
    case preferred = 0
    case standard, fallback

    private var rank: UInt32 { rawValue &+ 1 }
    public static func < (a: Tier, b: Tier) -> Bool { a.rank < b.rank }

    /// Creates the tier that a plugin states; other values are ``fallback``.
    package init(stated value: UInt32) {
      let tier = Tier(rawValue: value)
      self = tier == .chosen ? .fallback : tier ?? .fallback
    }
  }

  /// Abilities and needs of a factory besides its formats and codecs.
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Encoder and filter: the number of threads changes the output.
    public static let threadsChangeOutput = Flags(rawValue: 1)
    /// `codecs` is not exhaustive.
    public static let anyCodec = Flags(rawValue: 2)
    /// Audio encoder: takes frames of any number of samples.
    public static let variableFrameSize = Flags(rawValue: 4)
    /// Muxer: writes the display matrix.
    public static let keepsRotation = Flags(rawValue: 8)
    /// Muxer: writes chapters.
    public static let keepsChapters = Flags(rawValue: 16)
    /// Muxer: allows any time between two frames.
    public static let variableFrameRate = Flags(rawValue: 32)
    /// Muxer: needs every packet as bytes; the host reads ranges of the source for it.
    public static let needsBytes = Flags(rawValue: 64)
    /// Muxer: players do not show the frames of packets with the flag `discard`.
    public static let hidesPictures = Flags(rawValue: 128)
    /// Muxer: writes native tags of the key space `mdta` unchanged, each with its data type.
    public static let keepsTypedTags = Flags(rawValue: 256)
    /// Muxer: takes tracks that consist of several clips, each with an edit: see ``Packet/Flags/startsPiece``.
    public static let joinsPieces = Flags(rawValue: 512)
    /// Muxer: takes packets whose media is stored in another file.
    public static let writesReferences = Flags(rawValue: 1024)
    /// Muxer: takes tracks with several sample descriptions.
    public static let keepsFormats = Flags(rawValue: 2048)
    /// Video encoder: writes the closed captions of frames.
    public static let keepsCaptions = Flags(rawValue: 4096)
    /// Demuxer: supports ``PacketTiming/exactEnd``.
    public static let exactEnd = Flags(rawValue: 8192)
    /// Demuxer: supports ``PacketTiming/shownStart``.
    public static let shownStart = Flags(rawValue: 16384)
    /// Demuxer: supports ``PacketTiming/shownTimes``.
    public static let shownTimes = Flags(rawValue: 32768)
    /// Encoder: holds back few frames if the input is live.
    public static let lowDelay = Flags(rawValue: 65536)
    /// Encoder: can analyze the frames in a first pass.
    public static let twoPasses = Flags(rawValue: 131072)
    /// Muxer: delivers the file in segments.
    public static let writesSegments = Flags(rawValue: 262144)
    /// Encoder: options make it leave out frames.
    public static let dropsFrames = Flags(rawValue: 524288)
    /// Muxer: writes the rate of the edit of a track that has one.
    public static let keepsEditRates = Flags(rawValue: 1_048_576)
    /// Muxer: a file is one picture, of a track that is a still image.
    public static let writesStills = Flags(rawValue: 2_097_152)
    /// Muxer: the file cannot state the delay of an audio encoder and the padding at the end, so that players present
    /// them.
    public static let presentsDelay = Flags(rawValue: 4_194_304)
    /// Video encoder: writes the data of Dolby Vision of frames (``SideData/dolbyVisionUnit``), if the track has a
    /// Dolby Vision configuration.
    public static let keepsDolbyVision = Flags(rawValue: 8_388_608)
    /// Filter: changes the number or the times of frames.
    public static let changesTimes = Flags(rawValue: 16_777_216)
    /// Filter: only its results matter; the frames stay unchanged.
    public static let measuresOnly = Flags(rawValue: 33_554_432)
    /// Muxer: the file has the time of each packet of PCM, so that there may be gaps between them.
    public static let keepsGaps = Flags(rawValue: 67_108_864)
  }

  /// A signature: bytes at an offset that identify a file format.
  public struct Magic: Hashable, Sendable {
    public var offset: Int
    public var bytes: [UInt8]
    /// Bits to compare, as many bytes as `bytes`.
    ///
    /// `nil`: all bits.
    public var mask: [UInt8]?

    public init(_ bytes: [UInt8], at offset: Int = 0, mask: [UInt8]? = nil) {
      self.offset = offset
      self.bytes = bytes
      self.mask = mask
    }
  }

  public var kind: Kind
  /// Demuxers and muxers: the name of the container.
  ///
  /// Codecs: the name of the implementation, such as `x264`. Filters: the name in presets.
  public var name: String
  /// Description for users, one line.
  public var longName: String
  public var tier: Tier = .standard
  public var flags: Flags = []
  public var aliases: [String] = []
  /// File name extensions without the dot.
  ///
  /// The first is the usual one.
  public var extensions: [String] = []
  public var mimeTypes: [String] = []
  /// Codecs that the factory decodes, encodes or carries.
  public var codecs: [String] = []
  public var magics: [Magic] = []
  public var options: [OptionSchema] = []
  /// Options that the user has chosen instead of the plugin's defaults (``PluginChoices``).
  public var chosenOptions: [PluginOption] = []
  /// Media of a filter's frames.
  ///
  /// `nil` for factories of other kinds.
  public var filteredMedia: Frame.Kind?
  /// Encoders and filters: accepted pixel formats, in order of preference.
  ///
  /// Empty: any.
  public var pixelFormats: [PixelFormat] = []
  public var sampleFormats: [SampleFormat] = []
  public var sampleRates: [Int] = []
  public var channelLayouts: [ChannelLayout] = []
  /// Range of channel counts.
  ///
  /// `nil`: no bound stated.
  public var channelCounts: ClosedRange<Int>?
  /// Encoders: media type, quality scale and bit rates.
  ///
  /// `nil` for a plugin that does not state them; see ``isVideoEncoder``.
  public var rateControl: RateControl?

  /// `true` if an encoder takes video, `false` if it takes audio.
  ///
  /// An encoder without ``rateControl`` takes video if it names pixel formats.
  public var isVideoEncoder: Bool {
    rateControl.map { $0.kind == .video } ?? !pixelFormats.isEmpty
  }

  public init(kind: Kind, name: String, longName: String) {
    self.kind = kind
    self.name = name
    self.longName = longName
  }
}
