/// That one track of a file refers to another (ISO/IEC 14496-12 8.3.3).
public struct TrackReference: Hashable, Sendable {
  /// The index of the track that refers.
  public var track: Int
  /// How, such as `chap`.
  public var type: FourCC
  /// The file's own number for the other track, which need not be there.
  public var trackID: Int64

  public init(track: Int, type: FourCC, trackID: Int64) {
    self.track = track
    self.type = type
    self.trackID = trackID
  }
}
