import RespoolMedia

/// The values of one property of a layer over time.
///
/// Before the first ramp the property has its default, and in a ramp it changes linearly. After a ramp it holds
/// the end value until the next one.
struct LayerTimeline<Value: LayerValue>: Hashable, Sendable {
  /// Ramps ordered by time, without overlap.
  private(set) var ramps: [LayerRamp<Value>] = []
  let initial: Value

  init(initial: Value) { self.initial = initial }

  /// Adds a ramp, or replaces the one with the same time range.
  ///
  /// Throws `invalidArgument` for times that are not numeric, for unusable values, and for a ramp that overlaps
  /// another.
  mutating func insert(_ ramp: LayerRamp<Value>) throws(MediaError) {
    let range = ramp.timeRange
    guard range.isValid, range.start.isComputable, range.duration.isComputable else {
      throw MediaError(
        .invalidArgument,
        "a layer's value was set for \(range.start) and \(range.duration), which are not "
          + "numeric times")
    }
    guard ramp.start.isUsable, ramp.end.isUsable else {
      throw MediaError(
        .invalidArgument, "a layer's value from \(ramp.start) to \(ramp.end) is not finite")
    }
    if let same = ramps.firstIndex(where: { $0.timeRange == range }) {
      ramps[same] = ramp
      return
    }
    let index = ramps.firstIndex { $0.timeRange.start > range.start } ?? ramps.count
    if index > 0 {
      let before = ramps[index - 1].timeRange
      // A value may be set at the start or end of a ramp, not within it.
      let overlaps = before.end > range.start || (before.start == range.start && !before.isEmpty)
      guard !overlaps || (range.isEmpty && before.start == range.start) else {
        throw Self.overlap(range, before)
      }
      if overlaps {
        ramps.insert(ramp, at: index - 1)
        return
      }
    }
    if index < ramps.count, range.end > ramps[index].timeRange.start {
      throw Self.overlap(range, ramps[index].timeRange)
    }
    ramps.insert(ramp, at: index)
  }

  private static func overlap(_ new: TimeRange, _ old: TimeRange) -> MediaError {
    MediaError(
      .invalidArgument,
      "a layer's value from \(new.start) to \(new.end) overlaps one from \(old.start) to \(old.end)"
    )
  }

  /// Returns the value at a time.
  func value(at time: MediaTime) -> Value {
    guard let ramp = ramps.last(where: { $0.timeRange.start <= time }) else { return initial }
    let range = ramp.timeRange
    guard time < range.end, !range.isEmpty else { return ramp.end }
    let part = (time - range.start).seconds / range.duration.seconds
    return .interpolate(ramp.start, ramp.end, min(max(part, 0), 1))
  }

  /// Returns `true` if `time` lies in a ramp between different values.
  func isChanging(at time: MediaTime) -> Bool {
    ramps.contains { $0.timeRange.containsTime(time) && $0.start != $0.end }
  }

  /// Returns `true` if the value changes after `time` and before `end`.
  func changes(after time: MediaTime, before end: MediaTime) -> Bool {
    ramps.contains { ramp in
      let range = ramp.timeRange
      if range.isEmpty { return range.start > time && range.start < end }
      return ramp.start != ramp.end && range.end > time && range.start < end
    }
  }

  /// Returns the ramp at `time`, or else the next one.
  ///
  /// `nil` after the last. A value that is set at a time is a flat ramp until the next one.
  func ramp(for time: MediaTime) -> LayerRamp<Value>? {
    RampSearch.find(time, in: ramps.map(\.timeRange)).map { index, range in
      LayerRamp(from: ramps[index].start, to: ramps[index].end, timeRange: range)
    }
  }

  /// `true` if the value differs from `initial` at some time.
  var isSet: Bool { ramps.contains { $0.start != initial || $0.end != initial } }
}
