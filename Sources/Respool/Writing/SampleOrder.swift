import RespoolMedia

/// Order of an input's samples within a pass.
struct SampleOrder {
  let mediaType: MediaType
  /// Time of the last sample; `nil` before the first.
  private(set) var last: MediaTime?

  /// Throws `invalidArgument` if a frame is not later than the previous one, or if audio begins earlier than the
  /// previous.
  ///
  /// Such samples would be lost.
  mutating func checkPresentation(at time: MediaTime) throws(MediaError) {
    if let last, time < last || time == last && mediaType == .video {
      throw Self.disorder(time, last)
    }
    last = time
  }

  /// Throws `invalidArgument` if a coded frame is not a sync sample and is decoded before the previous one.
  ///
  /// It would be moved, and other frames would be decoded wrongly. A sync sample may have an earlier time: it may
  /// begin another segment of a composition, with frames that are not shown.
  mutating func checkDecoding(at time: MediaTime, isSync: Bool) throws(MediaError) {
    if let last, time < last, mediaType == .video, !isSync { throw Self.disorder(time, last) }
    last = time
  }

  private static func disorder(_ time: MediaTime, _ last: MediaTime) -> MediaError {
    MediaError(
      .invalidArgument,
      "a sample at \(time.seconds) s came after one at \(last.seconds) s: the times of an "
        + "input must increase")
  }
}
