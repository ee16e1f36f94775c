/// The distances of frames in the order in which they are shown.
///
/// `stts` and `trun` have the time until the next sample is decoded (ISO/IEC 14496-12 8.6.1.2). With reordered frames, it
/// need not be the time until the next one is shown: some writers decode four frames at once.
enum FrameSpacing {
  /// Maximum distance in decoding order of two frames that are shown one after the other.
  ///
  /// No decoder holds back more than 16 frames (ITU-T H.264 A.3.1).
  private static let reach = 17

  /// Returns the time from when a frame is shown until the next one is, or until the end of the last frames.
  ///
  /// The closures return the decoding time, the composition time and the stored duration of a frame below `count`. The
  /// stored duration is also returned for a distance that decoding times do not cover, as of wrong offsets.
  static func duration(
    of frame: Int, count: Int, decodeTime: (Int) -> Int64, compositionTime: (Int) -> Int64,
    storedDuration: (Int) -> Int64
  ) -> Int64 {
    let (first, last) = (max(0, frame - reach), min(count - 1, frame + reach))
    let time = compositionTime(frame)
    var next: Int64?
    var end = time
    for other in first...last {
      let start = compositionTime(other)
      if start > time, start < next ?? .max { next = start }
      end = max(end, start.addingClamped(storedDuration(other)))
    }
    // Writers extend the frame that is decoded last until the end of the media.
    if next == nil, last == count - 1 { return end.subtractingClamped(time) }
    let covered = decodeTime(last).addingClamped(storedDuration(last))
    guard let distance = next?.subtractingClamped(time),
      distance <= covered.subtractingClamped(decodeTime(first))
    else { return storedDuration(frame) }
    return distance
  }
}
