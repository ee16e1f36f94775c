import RespoolMedia

/// Converts captions to packets of a track.
final class CaptionTrackWriter {
  private let format: CaptionFormat
  /// Start of the output; captions are cut or left out before it.
  private let start: MediaTime
  /// Grouper for formats that show one packet at a time.
  private var grouper: CaptionGrouper?
  /// The group that lasts until the next caption or group.
  private var waiting: CaptionGroup?
  private var previous: CaptionGroup?
  private var lastStart: MediaTime
  /// End of the last group, or the latest end of a caption.
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

  /// Throws `invalidArgument` if times are not numeric or the start is before that of the last caption.
  func append(_ caption: Caption) throws(MediaError) {
    try settle(until: caption.timeRange.start)
    try take(caption)
  }

  /// Throws `invalidArgument` if the group's start is not numeric or is before the end of the last group or caption.
  ///
  /// Captions that were in the last group too are not added again.
  func append(_ group: CaptionGroup) throws(MediaError) {
    let range = group.timeRange
    guard range.start.isNumeric else {
      throw MediaError(.invalidArgument, "the caption group has no start time")
    }
    try settle(until: range.start)
    guard range.start >= lastEnd else {
      throw MediaError(
        .invalidArgument,
        "the caption group at \(range.start.seconds) s overlaps captions that end at "
          + "\(lastEnd.seconds) s: each group must start after the one before")
    }
    guard range.duration.isNumeric else {
      waiting = group
      return
    }
    try take(group)
  }

  /// Writes the captions before `time`: the caller promises that no later caption begins before it.
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

  /// Writes the rest; a group that waits for the next one is shown for one second.
  func finish() throws(MediaError) {
    if let waiting {
      try settle(until: waiting.timeRange.start + MediaTime(value: 1, timescale: 1))
    }
    try flush(upTo: .positiveInfinity)
  }

  /// Ends the group that waits for the next one.
  private func settle(until time: MediaTime) throws(MediaError) {
    guard let group = waiting, time.isNumeric else { return }
    guard time >= group.timeRange.start else {
      throw MediaError(
        .invalidArgument,
        "captions at \(time.seconds) s follow a group at \(group.timeRange.start.seconds) s")
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
      // A caption that began before the group is cut to its rest.
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
      throw MediaError(.invalidArgument, "the time range of a caption is not numeric")
    }
    guard range.start >= lastStart else {
      throw MediaError(
        .invalidArgument,
        "a caption at \(range.start.seconds) s follows one at \(lastStart.seconds) s: "
          + "captions must be in order of their start times")
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
