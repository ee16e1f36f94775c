import RespoolMedia

/// The segments of a composition's track: without holes from zero to the end, which is never empty.
struct SegmentList {
  private(set) var segments: [CompositionTrackSegment] = []

  init() {}

  /// Nil where the segments do not follow each other from zero.
  init?(_ segments: [CompositionTrackSegment]) {
    guard Self.problem(of: segments) == nil else { return nil }
    self.segments = segments
    dropEmptyEnd()
  }

  var duration: MediaTime { segments.last?.target.end ?? .zero }

  /// What is wrong with `segments` as a time line; nil where nothing is.
  static func problem(of segments: [CompositionTrackSegment]) -> String? {
    var end = MediaTime.zero
    for (number, segment) in segments.enumerated() {
      let (source, target) = (segment.timeMapping.source, segment.target)
      guard target.isEditable else {
        return "segment \(number) has no duration"
      }
      guard target.start == end else {
        return "segment \(number) starts at \(target.start), where the one before ends at \(end)"
      }
      if !segment.isEmpty {
        guard source.isEditable else { return "segment \(number) has no range of its source" }
      }
      end = target.end
    }
    return nil
  }

  /// Puts `fresh` in at `time`; what is there and later moves back by their durations.
  ///
  /// Their targets say how long they are; where they start is settled here. An invalid time means the
  /// end; up to a time behind the end there is nothing.
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

  /// Takes a range out; what is later moves forward.
  mutating func remove(_ range: TimeRange) {
    let first = split(at: range.start)
    let last = split(at: range.end)
    if first < last { segments.removeSubrange(first..<last) }
    settle()
  }

  /// Plays a range slower or faster, so that it takes `duration`; what is later moves.
  mutating func scale(_ range: TimeRange, to duration: MediaTime) {
    let first = split(at: range.start)
    let last = split(at: min(range.end, self.duration))
    // Each end on its own, so that roundings do not add up.
    let target = TimeRange(start: range.start, duration: duration)
    for index in first..<max(first, last) {
      let old = segments[index].target
      let start = old.start.mapped(from: range, to: target)
      let end = old.end.mapped(from: range, to: target)
      segments[index] = segments[index].placed(at: TimeRange(start: start, end: end))
    }
    settle()
  }

  /// Makes a segment end at `time`; the index of the one that starts there.
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

  /// Lays the segments end to end, without those that are shorter than times can tell.
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

  /// Nothing at the end is no part of a track.
  private mutating func dropEmptyEnd() {
    while let last = segments.last, last.isEmpty { segments.removeLast() }
  }
}
