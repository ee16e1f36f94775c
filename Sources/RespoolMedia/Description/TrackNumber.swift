/// A track's number as users read and type it: the position in the file, from 1.
///
/// Messages, notes, reports and options show this number. The file's own identifier
/// (``TrackDescription/id``) may have gaps, repeat, or be a PID such as 256.
public struct TrackNumber: Hashable, Sendable, CustomStringConvertible {
  /// At least 1.
  public let value: Int

  /// Creates the number of the track at `index`, which counts from 0.
  public init(index: Int) { value = index &+ 1 }

  /// Checks a number that a user typed against the count of tracks in the file.
  ///
  /// - Throws: ``MediaError`` with the code `invalidArgument` if no track has the number.
  public init(typed value: Int, trackCount: Int) throws(MediaError) {
    guard value >= 1, value <= trackCount else {
      let known = trackCount == 1 ? "only track 1" : "tracks 1 to \(trackCount)"
      throw MediaError(
        .invalidArgument,
        "there is no track \(value); the file has \(trackCount == 0 ? "no tracks" : known)")
    }
    self.value = value
  }

  /// The position in a list of the file's tracks, from 0.
  public var index: Int { value &- 1 }

  /// `track 1`.
  public var description: String { "track \(value)" }
}
