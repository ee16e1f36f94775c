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

  /// The container as FFmpeg spells it.
  public var format: String
  public var tracks: [TrackDescription]
  public var metadata: [MetadataEntry]
  /// Where the tags stand in the container; empty where the demuxer does not tell.
  ///
  /// `metadata` has what they say by FFmpeg's names; muxers go by that.
  public var nativeTags: [NativeTag] = []
  public var chapters: [Chapter]
  /// Nanoseconds.
  public var duration: Int64?
  /// Bits a second.
  public var bitRate: Int64
  /// What is odd about the file and was worked round.
  public var warning: String?

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
