import RespoolMedia

/// Captions on their way to become the packets of a track.
final class CaptionTrackWriter {
  private let format: CaptionFormat
  /// What is shown before is left out.
  private let start: MediaTime
  /// For formats that show one packet at a time.
  private var grouper: CaptionGrouper?
  /// What lasts until the next comes.
  private var waiting: CaptionGroup?
  private var previous: CaptionGroup?
  private var lastStart: MediaTime
  /// End of the last group or caption.
  private var lastEnd: MediaTime
  private let give: (CodedCaption) throws(MediaError) -> Void

  init(
    _ format: CaptionFormat, startingAt start: MediaTime,
    to give: @escaping (CodedCaption) throws(MediaError) -> Void
  ) {
    self.format = format
    self.start = start
    self.give = give
    grouper = format.isContinuous ? CaptionGrouper(startingAt: start) : nil
    (lastStart, lastEnd) = (.negativeInfinity, .negativeInfinity)
  }

  /// Throws `invalidArgument` where times are no numbers or the start is before the last caption's.
  func append(_ caption: Caption) throws(MediaError) {
    try settle(until: caption.timeRange.start)
    try take(caption)
  }

  /// Throws `invalidArgument` where the group's time range begins before the end of what came last.
  ///
  /// Captions that the last group had as well are there already.
  func append(_ group: CaptionGroup) throws(MediaError) {
    let range = group.timeRange
    guard range.start.isNumeric else {
      throw MediaError(.invalidArgument, "a group of captions has no start")
    }
    try settle(until: range.start)
    guard range.start >= lastEnd else {
      throw MediaError(
        .invalidArgument,
        "a group of captions at \(range.start.seconds) s comes after what lasts until "
          + "\(lastEnd.seconds) s: groups follow each other")
    }
    guard range.duration.isNumeric else {
      waiting = group
      return
    }
    try take(group)
  }

  /// Nothing comes any more that begins before `time`: the track goes on until then.
  func skip(to time: MediaTime) throws(MediaError) {
    try flush(upTo: time)
    if let group = grouper?.flushEmptyGroup(upTo: time) {
      try give(format.coded([], over: group.timeRange))
    }
  }

  private func flush(upTo time: MediaTime) throws(MediaError) {
    for group in grouper?.flushAddedCaptions(upTo: time) ?? [] {
      try give(format.coded(group.captions, over: group.timeRange))
    }
  }

  /// A group that waits for the next one is shown for a second.
  func finish() throws(MediaError) {
    if let waiting {
      try settle(until: waiting.timeRange.start + MediaTime(value: 1, timescale: 1))
    }
    try flush(upTo: .positiveInfinity)
  }

  /// Ends the group that waits.
  private func settle(until time: MediaTime) throws(MediaError) {
    guard let group = waiting, time.isNumeric else { return }
    guard time >= group.timeRange.start else {
      throw MediaError(
        .invalidArgument,
        "captions at \(time.seconds) s come after a group at \(group.timeRange.start.seconds) s")
    }
    waiting = nil
    let range = TimeRange(start: group.timeRange.start, end: time)
    let captions = group.captions.map { caption in
      var caption = caption
      if !caption.timeRange.duration.isNumeric { caption.timeRange = range }
      return caption
    }
    try take(CaptionGroup(captions: captions, timeRange: range))
  }

  private func take(_ group: CaptionGroup) throws(MediaError) {
    for caption in group.captions where previous?.captions.contains(caption) != true {
      var caption = caption
      // Of one that began before, what is left.
      if caption.timeRange.start.isNumeric, caption.timeRange.start < group.timeRange.start {
        caption.timeRange = TimeRange(start: group.timeRange.start, end: caption.timeRange.end)
      }
      try take(caption)
    }
    previous = group
    lastEnd = group.timeRange.end
  }

  private func take(_ caption: Caption) throws(MediaError) {
    let range = caption.timeRange
    guard range.start.isNumeric, range.duration.isNumeric, range.duration >= .zero else {
      throw MediaError(.invalidArgument, "a caption's time range has no numbers")
    }
    guard range.start >= lastStart else {
      throw MediaError(
        .invalidArgument,
        "a caption at \(range.start.seconds) s comes after one at \(lastStart.seconds) s: they come in the "
          + "order of their starts")
    }
    lastStart = range.start
    lastEnd = max(lastEnd, range.end)
    var caption = caption
    if range.start < start { caption.timeRange = TimeRange(start: start, end: range.end) }
    guard caption.timeRange.duration > .zero else { return }
    if grouper != nil {
      grouper?.add(caption)
      try flush(upTo: range.start)
    } else if !caption.styled.isEmpty {
      try give(format.coded([caption], over: caption.timeRange))
    }
  }
}
