import RespoolPlugin

/// Consecutive samples in the file that one edit presents.
struct TimelineSegment: Hashable {
  /// Sample indices, in decoding order.
  var samples: Range<Int>
  /// Offset added to decoding times, so that 0 is the start of the movie.
  var decodeShift: Int64
  /// Offset added to composition times.
  var presentationShift: Int64
  /// Range of composition times that are shown.
  ///
  /// Other samples are needed only for decoding.
  var shown: Range<Int64>
  /// `true` to trim the start of the sample that `shown` cuts.
  ///
  /// Audio only.
  var trimsStart = false
  /// Composition times of a frame that the start of `shown` cuts and of the frame after it, if the rest of
  /// the cut frame is shown.
  var cutPicture: Range<Int64>?
  /// `true` to trim the end of the sample that `shown` cuts.
  ///
  /// Audio only.
  var trimsEnd = false
  /// Mapping of the shifted times to the presentation.
  var pace = EditPace()
  /// Duration for which an edit with rate 0 shows its frame.
  ///
  /// `nil` for other edits.
  var held: Int64?
}

/// The edit list applied to the samples of a track (ISO/IEC 14496-12 8.6.5 and 8.6.6).
///
/// The same samples are kept as in FFmpeg, so that both return the same packets: from the sync sample that an
/// edit needs up to the first sync sample after it. Audio starts one second before the edit.
///
/// If the first edit cuts a frame, the frame is not shown and the next one moves to the start of the edit, as
/// in FFmpeg. The standard shows the rest of it: less than one frame. Later edits begin at the time that the
/// standard defines. In FFmpeg they do so only if the edit begins with a sync sample.
struct EditedTimeline {
  var segments: [TimelineSegment] = []
  /// Presentation time of the first shown sample, after the leading empty edits.
  var start: Int64 = 0
  /// Duration of the edited presentation from `start`.
  ///
  /// `nil` if there are no edits.
  var duration: Int64?
  /// Encoder delay: decoded time before the first shown sample, in units of the media.
  var priming: Int64 = 0
  /// Number of units of the presentation's times in a unit of the media.
  var multiple: Int64 = 1

  /// Creates the time line of a track without edits.
  init(unedited index: SampleIndex) {
    guard !index.isEmpty else { return }
    segments = [
      TimelineSegment(
        samples: 0..<index.samples.count, decodeShift: -index.decodeShift, presentationShift: 0,
        shown: .min..<(.max))
    ]
    start = (0..<min(index.samples.count, 64)).map { index.compositionTime($0) }.min() ?? 0
  }

  /// Hides all media before a media time without shifting the rest.
  mutating func hide(before time: Int64) {
    for number in segments.indices {
      segments[number].shown = time..<(.max)
      segments[number].trimsStart = true
    }
    start = max(start, time)
  }

  /// Applies `edits`, which are in units of the media's time scale.
  init(_ index: SampleIndex, edits: [MediaEdit], kind: TrackDescription.Kind, oneSecond: Int64) {
    self.init(unedited: index)
    guard !index.isEmpty, !edits.isEmpty else { return }
    segments = []
    let isAudio = kind == .audio
    var begin: Int64 = -index.decodeShift
    var empty: Int64 = 0
    var hasMedia = false
    var shownEnd: Int64 = 0
    let mediaEnd = index.presentationEnd
    let frameStarts = edits.contains(where: \.isHeld) ? index.frameStarts : []
    multiple = EditPace.multiple(for: edits.map(\.rate), timeScale: oneSecond)
    for (number, edit) in edits.enumerated() {
      let editBegin = begin
      begin = min(begin + edit.duration, MediaEdit.latest)
      guard let mediaStart = edit.mediaStart else {
        if !hasMedia { empty = min(empty + edit.duration, MediaEdit.latest) }
        continue
      }
      let isFirst = !hasMedia
      hasMedia = true
      let length = edit.length(untilMediaEnd: mediaEnd)
      shownEnd = max(shownEnd, editBegin + index.decodeShift + length)
      let start = edit.isHeld ? Self.last(of: frameStarts, at: mediaStart) : mediaStart
      let walk = Walk(
        index: index, start: start, duration: edit.mediaDuration, isAudio: isAudio,
        oneSecond: oneSecond, mayTrim: kind != .video)
      guard let found = walk.segment(from: editBegin) else { continue }
      var segment = found.segment
      segment.pace = EditPace(
        origin: editBegin + index.decodeShift, rate: edit.isHeld ? EditPace.normal : edit.rate,
        multiple: multiple)
      if edit.isHeld { segment.held = length }
      if kind == .video {
        // The first shown frame is presented at the start of its edit, regardless of reordering. FFmpeg
        // presents it earlier if a decoding time is later.
        segment.presentationShift =
          isFirst
          ? segment.presentationShift - (found.earliest - empty)
          : (editBegin + index.decodeShift).subtractingClamped(start)
        segment.decodeShift = segment.presentationShift.subtractingClamped(index.decodeShift)
        // Times that were stored in milliseconds leave remainders that are not frames.
        if let cut = segment.cutPicture,
          isFirst || edit.isHeld || cut.upperBound - mediaStart <= oneSecond / 1000
        {
          segment.cutPicture = nil
        }
      }
      segment.trimsEnd = isAudio && number + 1 < edits.count
      if isFirst, isAudio { priming = walk.priming(of: segment) }
      segments.append(segment)
    }
    start = empty
    duration = shownEnd - empty
  }

  /// Returns the last of ascending times at or before `time`, or else the first.
  private static func last(of times: [Int64], at time: Int64) -> Int64 {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return times[max(0, low - 1)]
  }
}

/// An edit in units of the track's time scale.
struct MediaEdit: Hashable {
  var duration: Int64
  /// Start in the media.
  ///
  /// `nil` for an empty edit.
  var mediaStart: Int64?
  /// Speed of the media.
  ///
  /// 0 shows one frame for the whole duration. Never negative.
  var rate: Rational

  /// Maximum time.
  ///
  /// Times are clamped to it, so that sums of a few stay within 64 bits.
  static let latest: Int64 = 1 << 60

  init(duration: Int64, mediaStart: Int64?, rate: Rational = EditPace.normal) {
    self.duration = min(max(0, duration), Self.latest)
    self.mediaStart = mediaStart.map { min(max(-Self.latest, $0), Self.latest) }
    self.rate = rate
  }

  /// `true` if one frame is shown for the whole duration.
  var isHeld: Bool { rate.numerator == 0 }

  /// Duration of the media that is shown; 1 for the start of a held frame.
  var mediaDuration: Int64 {
    if isHeld { return 1 }
    let scaled = Int128(duration) * Int128(rate.numerator) / Int128(rate.denominator)
    return Int64(min(scaled, Int128(Self.latest)))
  }

  /// Returns the presented duration if the media ends at `end`.
  func length(untilMediaEnd end: Int64) -> Int64 {
    guard let mediaStart else { return duration }
    let rest = max(0, end.subtractingClamped(mediaStart))
    if isHeld { return duration < Self.latest ? duration : rest }
    return min(duration, EditPace(rate: rate).length(rest))
  }
}

/// The search for the samples of one edit.
private struct Walk {
  let index: SampleIndex
  let start: Int64
  let duration: Int64
  let isAudio: Bool
  let oneSecond: Int64
  let mayTrim: Bool

  private var shown: Range<Int64> { start..<start + duration }

  /// The sample at which decoding starts.
  private var first: Int {
    let samples = index.samples
    let wanted = isAudio ? max(start - oneSecond, samples[0].decodeTime) : start
    // Finds the last sample decoded at or before the time.
    var low = -1
    var high = samples.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if samples[middle].decodeTime <= wanted { low = middle } else { high = middle }
    }
    var found = low
    while found >= 0, !samples[found].isKey { found -= 1 }
    while found > 0, samples[found - 1].decodeTime == samples[found].decodeTime,
      samples[found - 1].isKey
    { found -= 1 }
    if index.hasCompositionOffsets {
      while found >= 0, !(samples[found].isKey && index.compositionTime(found) <= wanted) {
        found -= 1
      }
    } else if found < 0 {
      found = low
    }
    return max(0, found)
  }

  /// Returns the samples and the presentation time of the first.
  ///
  /// `begin` is the start of the edit in decoding times.
  func segment(from begin: Int64) -> (segment: TimelineSegment, earliest: Int64)? {
    let shown = shown
    let first = first
    var last = first
    var shift: Int64?
    var earliest: Int64?
    var before: Int64?
    var after: Int64?
    var trims = false
    var sawKeyAfterEnd = false
    for number in first..<index.samples.count {
      let sample = index.samples[number]
      let time = index.compositionTime(number)
      // The last sample may be longer than the edit, which may begin after its start: one packet of Opus that has
      // mostly priming. FFmpeg takes the edit's duration.
      let length =
        number + 1 < index.samples.count
        ? index.samples[number + 1].decodeTime - sample.decodeTime
        : max(duration, index.duration(number))
      if time < shown.lowerBound {
        before = max(before ?? time, time)
      } else {
        after = min(after ?? time, time)
      }
      if shown.contains(time) {
        if shift == nil { shift = begin - sample.decodeTime }
        let shownAt =
          sample.decodeTime + (shift ?? 0) + Int64(sample.compositionOffset)
          + index.decodeShift
        earliest = min(earliest ?? shownAt, shownAt)
      } else if mayTrim, shift == nil, time < start, time.addingClamped(length) > start {
        trims = true
        shift = begin - (start - time) - sample.decodeTime
      }
      last = number + 1
      let endsAfterEdit = time.addingClamped(length) >= shown.upperBound
      if endsAfterEdit, sample.isKey || isAudio {
        if index.hasCompositionOffsets, !isAudio, !sawKeyAfterEnd {
          sawKeyAfterEnd = true
          continue
        }
        break
      }
    }
    guard let shift else { return nil }
    var segment = TimelineSegment(
      samples: first..<last, decodeShift: shift, presentationShift: shift + index.decodeShift,
      shown: shown, trimsStart: trims && isAudio)
    if let before, let after { segment.cutPicture = before..<after }
    return (segment, earliest ?? 0)
  }

  /// Returns the time that is decoded before `start`.
  func priming(of segment: TimelineSegment) -> Int64 {
    max(0, start - index.compositionTime(segment.samples.lowerBound))
  }
}
