/// The description of a file, as read by a demuxer or to be written by a muxer.
public struct MediaDescription: Hashable, Sendable {
  /// A chapter of a file: a time range with a title.
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

  /// The presence of movie fragments (ISO/IEC 14496-12 8.8).
  public enum Fragments: Hashable, Sendable {
    /// The file has no fragments, and none can follow.
    case none
    /// The file has no fragments yet.
    case possible
    case present
  }

  /// Name of the container, as FFmpeg spells it.
  public var format: String
  public var tracks: [TrackDescription]
  public var metadata: [MetadataEntry]
  /// Tags with their keys in the container.
  ///
  /// Empty if the demuxer does not report them.
  ///
  /// `metadata` has their values under FFmpeg's names, and muxers use that.
  public var nativeTags: [NativeTag] = []
  /// References between tracks, in file order.
  ///
  /// Muxers do not use them.
  public var references: [TrackReference] = []
  public var fragments = Fragments.none
  /// Preferred playback rate.
  ///
  /// 1 is normal speed. `nil` if not stored.
  public var preferredRate: Double?
  /// Preferred volume.
  ///
  /// 1 is full volume. `nil` if not stored.
  public var preferredVolume: Double?
  public var chapters: [Chapter]
  /// Data of the whole file for which there is no property.
  public var sideData: [SideData] = []
  /// Nanoseconds.
  public var duration: Int64?
  /// Bits per second.
  public var bitRate: Int64
  /// Description of an irregularity of the file that the demuxer worked around.
  public var warning: String?
  /// `true` if the file is shorter than its header declares; ``warning`` names both lengths.
  ///
  /// This happens if the file was cut off or is still being copied.
  public var endsEarly = false
  /// `true` if ``duration`` is stored in the header; `false` if it was estimated or measured.
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
