/// A reference of one track of a file to another (ISO/IEC 14496-12 8.3.3).
public struct TrackReference: Hashable, Sendable {
  /// Index of the referring track.
  public var track: Int
  /// Type of the reference, such as `chap`.
  public var type: FourCC
  /// The file's own number for the other track, which may be missing.
  public var trackID: Int64

  public init(track: Int, type: FourCC, trackID: Int64) {
    self.track = track
    self.type = type
    self.trackID = trackID
  }
}
