import RespoolPlugin

/// Samples that follow each other in the file and are shown by one edit.
struct TimelineSegment: Hashable {
  /// Indices of samples, in decoding order.
  var samples: Range<Int>
  /// What is added to decoding times, so that 0 is the start of the movie.
  var decodeShift: Int64
  /// What is added to composition times.
  var presentationShift: Int64
  /// Composition times that are shown; others are only needed for decoding.
  var shown: Range<Int64>
  /// Sound: units to drop from the front of the sample that `shown` cuts.
  var trimsStart = false
  /// Composition times of a picture that the start of `shown` cuts and of the one that follows it, where the
  /// rest of it is shown.
  var cutPicture: Range<Int64>?
  /// Sound: whether the sample that the end of `shown` cuts is shortened.
  var trimsEnd = false
}

/// The edit list applied to the samples of a track (ISO/IEC 14496-12 8.6.5 and 8.6.6).
///
/// What survives is what FFmpeg keeps, so that both name the same packets: from the key sample that an
/// edit needs up to the first key sample behind it, sound from a second before the edit.
///
/// A picture that the first edit cuts is not shown and the next one moves to the start of the edit, as in
/// FFmpeg, though the standard shows the rest of it: less than one picture. What later edits show comes at the
/// time that the standard says; FFmpeg puts it there only where a later edit begins with a key picture.
struct EditedTimeline {
  var segments: [TimelineSegment] = []
  /// Presentation time of the first shown sample: what empty edits leave free.
  var start: Int64 = 0
  /// How long what the edits show lasts, from `start` on; nil: no edits.
  var duration: Int64?
  /// Units of the time base that are decoded before the first shown one: encoder delay.
  var priming: Int64 = 0

  /// The whole track, shown from its own 0 on.
  init(unedited index: SampleIndex) {
    guard !index.isEmpty else { return }
    segments = [
      TimelineSegment(
        samples: 0..<index.samples.count, decodeShift: -index.decodeShift, presentationShift: 0,
        shown: .min..<(.max))
    ]
    start = (0..<min(index.samples.count, 64)).map { index.compositionTime($0) }.min() ?? 0
  }

  /// Nothing is heard before a time of the media; everything keeps its time.
  mutating func hide(before time: Int64) {
    for number in segments.indices {
      segments[number].shown = time..<(.max)
      segments[number].trimsStart = true
    }
    start = max(start, time)
  }

  /// `edits` are in units of the media's time scale.
  init(_ index: SampleIndex, edits: [MediaEdit], kind: TrackDescription.Kind, oneSecond: Int64) {
    self.init(unedited: index)
    guard !index.isEmpty, !edits.isEmpty else { return }
    segments = []
    let isSound = kind == .audio
    var begin: Int64 = -index.decodeShift
    var empty: Int64 = 0
    var hasMedia = false
    var shownEnd: Int64 = 0
    let mediaEnd = index.presentationEnd
    for (number, edit) in edits.enumerated() {
      let editBegin = begin
      begin = min(begin + edit.duration, MediaEdit.latest)
      guard let mediaStart = edit.mediaStart else {
        if !hasMedia { empty = min(empty + edit.duration, MediaEdit.latest) }
        continue
      }
      let isFirst = !hasMedia
      hasMedia = true
      let length = min(edit.duration, max(0, mediaEnd - mediaStart))
      shownEnd = max(shownEnd, editBegin + index.decodeShift + length)
      let walk = Walk(
        index: index, start: mediaStart, duration: edit.duration, isSound: isSound,
        oneSecond: oneSecond, mayTrim: kind != .video)
      guard let found = walk.segment(from: editBegin) else { continue }
      var segment = found.segment
      if kind == .video {
        // The first shown picture comes at the start of its edit, however far it was reordered. FFmpeg leaves
        // it in front of that where a decoding time lies behind it.
        segment.presentationShift =
          isFirst
          ? segment.presentationShift - (found.earliest - empty)
          : (editBegin + index.decodeShift).subtractingClamped(mediaStart)
        segment.decodeShift = segment.presentationShift.subtractingClamped(index.decodeShift)
        // Times that were told in milliseconds leave rests that are no pictures.
        if let cut = segment.cutPicture, isFirst || cut.upperBound - mediaStart <= oneSecond / 1000
        {
          segment.cutPicture = nil
        }
      }
      segment.trimsEnd = isSound && number + 1 < edits.count
      if isFirst, isSound { priming = walk.priming(of: segment) }
      segments.append(segment)
    }
    start = empty
    duration = shownEnd - empty
  }
}

/// An edit in units of the track's time scale.
struct MediaEdit: Hashable {
  var duration: Int64
  /// Nil: empty.
  var mediaStart: Int64?

  /// Times beyond are clamped, so that sums of a few stay within 64 bits.
  static let latest: Int64 = 1 << 60

  init(duration: Int64, mediaStart: Int64?) {
    self.duration = min(max(0, duration), Self.latest)
    self.mediaStart = mediaStart.map { min(max(-Self.latest, $0), Self.latest) }
  }
}

/// Finds the samples of one edit.
private struct Walk {
  let index: SampleIndex
  let start: Int64
  let duration: Int64
  let isSound: Bool
  let oneSecond: Int64
  let mayTrim: Bool

  private var shown: Range<Int64> { start..<start + duration }

  /// The sample to start decoding at.
  private var first: Int {
    let samples = index.samples
    let wanted = isSound ? max(start - oneSecond, samples[0].decodeTime) : start
    // The last one decoded at or before the time.
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

  /// The samples, and when the first of them is shown; `begin` is where the edit starts, counted in decoding
  /// times.
  func segment(from begin: Int64) -> (segment: TimelineSegment, earliest: Int64)? {
    let shown = shown
    let first = first
    var last = first
    var shift: Int64?
    var earliest: Int64?
    var before: Int64?
    var behind: Int64?
    var trims = false
    var sawKeyBehind = false
    for number in first..<index.samples.count {
      let sample = index.samples[number]
      let time = index.compositionTime(number)
      let length =
        number + 1 < index.samples.count
        ? index.samples[number + 1].decodeTime - sample.decodeTime : duration
      if time < shown.lowerBound {
        before = max(before ?? time, time)
      } else {
        behind = min(behind ?? time, time)
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
      let isBehind = time.addingClamped(length) >= shown.upperBound
      if isBehind, sample.isKey || isSound {
        if index.hasCompositionOffsets, !isSound, !sawKeyBehind {
          sawKeyBehind = true
          continue
        }
        break
      }
    }
    guard let shift else { return nil }
    var segment = TimelineSegment(
      samples: first..<last, decodeShift: shift, presentationShift: shift + index.decodeShift,
      shown: shown, trimsStart: trims && isSound)
    if let before, let behind { segment.cutPicture = before..<behind }
    return (segment, earliest ?? 0)
  }

  /// What is decoded before `start`.
  func priming(of segment: TimelineSegment) -> Int64 {
    max(0, start - index.compositionTime(segment.samples.lowerBound))
  }
}
