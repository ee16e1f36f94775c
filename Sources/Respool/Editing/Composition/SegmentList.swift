import RespoolMedia

/// The segments of a composition's track, without gaps from zero to the end.
///
/// The last segment is never empty.
struct SegmentList {
  private(set) var segments: [CompositionTrackSegment] = []

  init() {}

  /// Creates a list from segments that follow each other from zero.
  ///
  /// `nil` if they do not.
  init?(_ segments: [CompositionTrackSegment]) {
    guard Self.problem(of: segments) == nil else { return nil }
    self.segments = segments
    dropEmptyEnd()
  }

  var duration: MediaTime { segments.last?.target.end ?? .zero }

  /// Returns the first error in `segments` as a time line.
  ///
  /// `nil` if there is no error.
  static func problem(of segments: [CompositionTrackSegment]) -> String? {
    var end = MediaTime.zero
    for (number, segment) in segments.enumerated() {
      let (source, target) = (segment.timeMapping.source, segment.target)
      guard target.isEditable else {
        return "segment \(number) has no duration"
      }
      guard target.start == end else {
        return "segment \(number) starts at \(target.start), but the one before ends at \(end)"
      }
      if !segment.isEmpty {
        guard source.isEditable else { return "segment \(number) has no valid source range" }
      }
      end = target.end
    }
    return nil
  }

  /// Inserts `fresh` at `time`; segments after `time` move later by their durations.
  ///
  /// Only the durations of their targets count; this function sets their start times. A time that is not numeric
  /// means the end. An empty segment fills the gap up to a time after the end.
  mutating func insert(_ fresh: [CompositionTrackSegment], at time: MediaTime) {
    let time = time.isNumeric ? time : duration
    if time > duration {
      segments.append(
        CompositionTrackSegment(timeRange: TimeRange(start: duration, end: time)))
    }
    let position = split(at: time)
    segments.insert(contentsOf: fresh, at: position)
    settle()
  }

  /// Removes a range; later segments move earlier.
  mutating func remove(_ range: TimeRange) {
    let first = split(at: range.start)
    let last = split(at: range.end)
    if first < last { segments.removeSubrange(first..<last) }
    settle()
  }

  /// Changes the speed of a range, so that it lasts `duration`; later segments move.
  mutating func scale(_ range: TimeRange, to duration: MediaTime) {
    let first = split(at: range.start)
    let last = split(at: min(range.end, self.duration))
    // Each end is mapped on its own, so that rounding errors do not add up.
    let target = TimeRange(start: range.start, duration: duration)
    for index in first..<max(first, last) {
      let old = segments[index].target
      let start = old.start.mapped(from: range, to: target)
      let end = old.end.mapped(from: range, to: target)
      segments[index] = segments[index].placed(at: TimeRange(start: start, end: end))
    }
    settle()
  }

  /// Splits the segment at `time` and returns the index of the segment that starts there.
  private mutating func split(at time: MediaTime) -> Int {
    guard let index = segments.firstIndex(where: { $0.target.end > time }) else {
      return segments.count
    }
    let segment = segments[index]
    guard segment.target.start < time else { return index }
    segments[index] = segment.cut(to: TimeRange(start: segment.target.start, end: time))
    segments.insert(
      segment.cut(to: TimeRange(start: time, end: segment.target.end)), at: index + 1)
    return index + 1
  }

  /// Places the segments end to end and removes those whose duration is rounded to zero.
  private mutating func settle() {
    segments.removeAll { $0.target.duration <= .zero }
    var end = MediaTime.zero
    for index in segments.indices {
      let target = segments[index].target
      if target.start != end {
        segments[index] = segments[index].placed(
          at: TimeRange(start: end, duration: target.duration))
      }
      end = segments[index].target.end
    }
    dropEmptyEnd()
  }

  /// Removes empty segments at the end, which are not part of a track.
  private mutating func dropEmptyEnd() {
    while let last = segments.last, last.isEmpty { segments.removeLast() }
  }
}
