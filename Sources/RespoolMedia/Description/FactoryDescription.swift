/// What a plugin's factory states about itself: enough to choose, list and check without opening it.
public struct FactoryDescription: Hashable, Sendable {
  public enum Kind: UInt32, Hashable, Sendable, CaseIterable {
    case demuxer = 1, decoder, encoder, muxer
  }

  /// Who goes first when several can do a job; equal tiers: by name.
  public enum Tier: UInt32, Hashable, Sendable, Comparable {
    case preferred = 0, standard, fallback
    public static func < (a: Tier, b: Tier) -> Bool { a.rawValue < b.rawValue }
  }

  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Encoder: the number of threads changes the bytes it makes.
    public static let threadsChangeOutput = Flags(rawValue: 1)
    /// `codecs` is not exhaustive.
    public static let anyCodec = Flags(rawValue: 2)
    /// Audio encoder: takes any number of samples in a frame.
    public static let variableFrameSize = Flags(rawValue: 4)
    /// Muxer: writes the display matrix.
    public static let keepsRotation = Flags(rawValue: 8)
    /// Muxer: writes chapters.
    public static let keepsChapters = Flags(rawValue: 16)
    /// Muxer: any time between two pictures.
    public static let variableFrameRate = Flags(rawValue: 32)
    /// Muxer: wants every packet as bytes; the host reads ranges of the source for it.
    public static let needsBytes = Flags(rawValue: 64)
    /// Muxer: pictures of packets that are to be discarded are not shown.
    public static let hidesPictures = Flags(rawValue: 128)
    /// Muxer: writes native tags of the key space `mdta` as they are, each as a value of its type.
    public static let keepsTypedTags = Flags(rawValue: 256)
    /// Muxer: takes tracks in pieces, of each of which a part is shown: see ``Packet/Flags/startsPiece``.
    public static let joinsPieces = Flags(rawValue: 512)
    /// Muxer: takes packets whose media lies in another file.
    public static let writesReferences = Flags(rawValue: 1024)
    /// Muxer: takes tracks whose samples are coded in several ways.
    public static let keepsFormats = Flags(rawValue: 2048)
  }

  /// Bytes by which a file may be known.
  public struct Magic: Hashable, Sendable {
    public var offset: Int
    public var bytes: [UInt8]
    /// As long as `bytes`; nil: all bits count.
    public var mask: [UInt8]?

    public init(_ bytes: [UInt8], at offset: Int = 0, mask: [UInt8]? = nil) {
      self.offset = offset
      self.bytes = bytes
      self.mask = mask
    }
  }

  public var kind: Kind
  /// Demuxers and muxers: the container.
  ///
  /// Codecs: the implementation, such as `x264`.
  public var name: String
  /// One line for people.
  public var longName: String
  public var tier: Tier = .standard
  public var flags: Flags = []
  public var aliases: [String] = []
  /// Without the dot; the first is the usual one.
  public var extensions: [String] = []
  public var mimeTypes: [String] = []
  /// Which codecs it decodes, encodes or carries.
  public var codecs: [String] = []
  public var magics: [Magic] = []
  public var options: [OptionSchema] = []
  /// Encoders: what they take, in order of preference; empty: anything.
  public var pixelFormats: [PixelFormat] = []
  public var sampleFormats: [SampleFormat] = []
  public var sampleRates: [Int] = []
  public var channelLayouts: [ChannelLayout] = []
  /// Empty range: no bound stated.
  public var channelCounts: ClosedRange<Int>?

  public init(kind: Kind, name: String, longName: String) {
    self.kind = kind
    self.name = name
    self.longName = longName
  }
}
