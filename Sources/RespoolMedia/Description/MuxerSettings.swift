/// Settings with which a muxer is opened.
///
/// A muxer follows those that its container has a place for.
public struct MuxerSettings: Hashable, Sendable {
  /// Format of the segments in which a file is delivered while it is written (ISO/IEC 14496-12 8.16).
  public enum SegmentFormat: UInt32, Hashable, Sendable {
    /// The file is not delivered in segments.
    case none
    /// An initialization segment and media segments.
    ///
    /// A media segment starts with each packet with the flag `startsSegment`. Nothing is overwritten.
    case fragmentedMP4
    /// Segments for HTTP Live Streaming.
    ///
    /// As `fragmentedMP4`, but without edit lists: times are stored as they are.
    case appleHLS
    /// Segments of CMAF (ISO/IEC 23000-19).
    ///
    /// As `fragmentedMP4`, but with only one track.
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
    /// Width and height at which the track is presented (ISO/IEC 14496-12 8.3.2).
    ///
    /// In pixels, up to 65,535. `nil`: those of the track's description.
    public var naturalSize: Size?
    /// Seconds of media that are stored together; `nil`: chosen by the muxer.
    public var chunkDuration: Double?
    /// Chunks begin at multiples of this number of bytes.
    public var chunkAlignment: Int64 = 1
    /// `true` to store the samples before those of other tracks instead of interleaved with them.
    ///
    /// AVFoundation calls this `beforeMainMediaDataNotInterleaved`.
    public var precedesMainMediaData = false
    /// References to other tracks.
    public var references: [Reference] = []

    public init() {}
  }

  /// `true` if playback can start before the file is loaded.
  ///
  /// `nil`: the muxer's option decides.
  public var isOptimizedForNetwork: Bool?
  /// `true` if the duration of the finished file's description is exact.
  ///
  /// Tracks that last longer are cut there by their edit lists, and the last video frame is shown until then. If
  /// `false`, each track ends with its last sample.
  public var cutsAtDuration = false
  public var segmentFormat = SegmentFormat.none
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
