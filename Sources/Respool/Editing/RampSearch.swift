/// A search in the time ranges of successive ramps.
///
/// A ramp without a duration is a value that holds until the next ramp.
enum RampSearch {
  /// Returns the ramp at a time, or else the next one, and the range in which it holds.
  ///
  /// `nil` after the last. Setting a value at a time is the same as setting a flat ramp until the next value is set
  /// (AVMutableVideoCompositionLayerInstruction, setOpacity(_:at:)).
  static func find(_ time: MediaTime, in ranges: [TimeRange]) -> (index: Int, range: TimeRange)? {
    for (index, range) in ranges.enumerated() {
      let next = index + 1 < ranges.count ? ranges[index + 1].start : .positiveInfinity
      let held = range.isEmpty ? TimeRange(start: range.start, end: next) : range
      if held.end > time, !held.isEmpty { return (index, held) }
    }
    return nil
  }
}
