/// Settings with which a muxer is opened.
///
/// A muxer follows those that its container has a place for.
public struct MuxerSettings: Hashable, Sendable {
  /// Form of the segments in which a file is delivered while it is written.
  public enum Segments: UInt32, Hashable, Sendable {
    case none
    /// A segment starts with each packet with the flag `startsSegment`; nothing is overwritten.
    case plain
    /// As `plain`, without edits: times are stored as they are.
    case hls
    /// As `plain`, with one track (ISO/IEC 23000-19).
    case cmaf
  }

  /// A reference from one track to another (ISO/IEC 14496-12 8.3.3).
  public struct Reference: Hashable, Sendable {
    public var type: FourCC
    /// Index of the other track.
    public var track: Int

    public init(type: FourCC, track: Int) {
      self.type = type
      self.track = track
    }
  }

  /// A size in pixels.
  public struct Size: Hashable, Sendable {
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// Settings of one track.
  public struct Track: Hashable, Sendable {
    /// Units per second in which times are stored; `nil`: chosen by the muxer.
    public var timeScale: Int32?
    /// Preferred volume; 1 is full volume.
    ///
    /// `nil`: that of the track's description.
    public var volume: Double?
    /// `false` if the track is played only if a viewer selects it.
    public var isEnabled = true
    /// Number of a group of alternatives; `nil`: chosen by the muxer.
    public var alternateGroup: Int16?
    /// Size to show in pixels, up to 65,535; `nil`: that of the track's description.
    public var shownSize: Size?
    /// Seconds of media that are stored together; `nil`: chosen by the muxer.
    public var chunkDuration: Double?
    /// Chunks begin at multiples of this number of bytes.
    public var chunkAlignment: Int64 = 1
    /// `true` to store the media before that of other tracks, not interleaved with it.
    public var isStoredFirst = false
    /// References to other tracks.
    public var references: [Reference] = []

    public init() {}
  }

  /// `true` if playback can start before the file is loaded.
  ///
  /// `nil`: the muxer's option decides.
  public var isOptimizedForNetwork: Bool?
  /// `true` if all tracks end at the duration that is given at the end.
  public var endsAtDuration = false
  public var segments = Segments.none
  /// `true` if segments can be joined with those of other files of the same tracks.
  public var isCombinable = false
  /// Seconds of media in a fragment; `nil`: the muxer's option decides.
  public var fragmentInterval: Double?
  /// Seconds of media in the first fragment.
  public var firstFragmentInterval: Double?
  /// Number of the first fragment, for fragments that are joined with others.
  public var firstFragmentNumber: UInt32 = 1
  /// Expected duration in seconds, for headers that are written before the media.
  public var durationHint: Double?
  /// Units per second of the file's own times; `nil`: the muxer's option decides.
  public var timeScale: Int32?
  /// Settings of all tracks in their order, or none.
  public var tracks: [Track] = []
  /// Options, checked against the muxer's schema.
  public var options: [PluginOption]

  public init(options: [PluginOption] = []) { self.options = options }
}
