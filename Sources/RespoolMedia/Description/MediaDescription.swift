/// What a file holds: the demuxer's account of it, or the plan of what a muxer shall write.
public struct MediaDescription: Hashable, Sendable {
  public struct Chapter: Hashable, Sendable {
    public var id: Int64
    /// Nanoseconds.
    public var start: Int64
    /// Nanoseconds.
    public var end: Int64
    public var title: String
    public var language: String?

    public init(id: Int64, start: Int64, end: Int64, title: String, language: String? = nil) {
      self.id = id
      self.start = start
      self.end = end
      self.title = title
      self.language = language
    }
  }

  /// What is known of movie fragments (ISO/IEC 14496-12 8.8).
  public enum Fragments: Hashable, Sendable {
    /// None, and none may follow.
    case none
    /// None yet.
    case possible
    case present
  }

  /// The container as FFmpeg spells it.
  public var format: String
  public var tracks: [TrackDescription]
  public var metadata: [MetadataEntry]
  /// Where the tags stand in the container; empty where the demuxer does not tell.
  ///
  /// `metadata` has what they say by FFmpeg's names; muxers go by that.
  public var nativeTags: [NativeTag] = []
  /// Which tracks refer to which others, in the order of the file; muxers do not go by it.
  public var references: [TrackReference] = []
  public var fragments = Fragments.none
  /// How fast it is meant to be played, 1 is normal; nil: not told.
  public var preferredRate: Double?
  /// How loud it is meant to be played, 1 is full; nil: not told.
  public var preferredVolume: Double?
  public var chapters: [Chapter]
  /// Data of the file as a whole for which there is no property.
  public var sideData: [SideData] = []
  /// Nanoseconds.
  public var duration: Int64?
  /// Bits a second.
  public var bitRate: Int64
  /// What is odd about the file and was worked round.
  public var warning: String?
  /// `true` if the file is shorter than its header declares; ``warning`` names both lengths.
  ///
  /// A file that was cut off, or that is still being copied.
  public var endsEarly = false
  /// `true` if ``duration`` stands in the header; `false` if it was estimated or measured.
  public var declaresDuration = false

  public init(
    format: String, tracks: [TrackDescription] = [], metadata: [MetadataEntry] = [],
    chapters: [Chapter] = [], duration: Int64? = nil, bitRate: Int64 = 0, warning: String? = nil
  ) {
    self.format = format
    self.tracks = tracks
    self.metadata = metadata
    self.chapters = chapters
    self.duration = duration
    self.bitRate = bitRate
    self.warning = warning
  }
}
