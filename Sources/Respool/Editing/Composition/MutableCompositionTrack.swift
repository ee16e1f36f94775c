public import RespoolMedia

/// A composition's track that can be changed.
public final class MutableCompositionTrack: CompositionTrack, @unchecked Sendable {
  /// How the picture is to be turned; the first piece's unless it is set.
  public override var preferredTransform: DisplayMatrix {
    get { super.preferredTransform }
    set { state.withLock { $0.transform = newValue } }
  }

  public override var languageCode: String? {
    get { super.languageCode }
    set { state.withLock { $0.language = newValue } }
  }

  /// BCP 47; it takes the place of the language code, and that its.
  public override var extendedLanguageTag: String? {
    get { super.extendedLanguageTag }
    set { state.withLock { $0.language = newValue } }
  }

  public override var naturalTimeScale: Int32 {
    get { super.naturalTimeScale }
    set { state.withLock { $0.timeScale = newValue > 0 ? newValue : nil } }
  }

  public override var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { state.withLock { $0.isEnabled = newValue } }
  }

  /// How loud it is meant to be played, 0 or more; 1, which is full, unless set.
  public override var preferredVolume: Float {
    get { super.preferredVolume }
    set { state.withLock { $0.volume = max(0, newValue) } }
  }

  /// The segments; set, they have to follow each other from zero.
  ///
  /// Setting others has no effect: ask `validateSegments` first.
  public func setSegments(_ segments: [CompositionTrackSegment]) throws(MediaError) {
    try validateSegments(segments)
    if let list = SegmentList(segments) { state.withLock { $0.list = list } }
  }

  /// Throws `invalidArgument` where the segments do not follow each other from zero, have no duration, or
  /// are of another kind of media.
  public func validateSegments(_ segments: [CompositionTrackSegment]) throws(MediaError) {
    if let problem = SegmentList.problem(of: segments) {
      throw MediaError(.invalidArgument, problem)
    }
    for segment in segments { if let track = segment.sourceTrack { try check(track) } }
  }

  /// Puts a range of another asset's track in at `time`, an invalid one meaning the end.
  ///
  /// What is there and later moves back. Where the range reaches beyond the track's media, there is
  /// nothing for that long, so that tracks which are put in side by side stay in step. Throws
  /// `invalidArgument` for a track of another kind of media, for a range that is not numeric or is empty, and for
  /// times of an epoch: a track has one time line.
  public func insertTimeRange(_ range: TimeRange, of track: AssetTrack, at time: MediaTime)
    throws(MediaError)
  {
    try Self.check(time)
    let pieces = try pieces(range, of: track)
    state.withLock { $0.list.insert(pieces, at: time) }
  }

  /// Puts several ranges in, one after the other; nil tracks mean nothing for the range's duration.
  ///
  /// All or none.
  public func insertTimeRanges(
    _ ranges: [TimeRange], of tracks: [AssetTrack?], at time: MediaTime
  ) throws(MediaError) {
    guard ranges.count == tracks.count else {
      throw MediaError(
        .invalidArgument, "\(ranges.count) ranges for \(tracks.count) tracks are to be put in")
    }
    try Self.check(time)
    var all: [CompositionTrackSegment] = []
    for (range, track) in zip(ranges, tracks) {
      if let track {
        all += try pieces(range, of: track)
      } else {
        try Self.check(range)
        all.append(
          CompositionTrackSegment(timeRange: TimeRange(start: .zero, duration: range.duration)))
      }
    }
    state.withLock { [all] in $0.list.insert(all, at: time) }
  }

  /// Puts nothing in for a while; what is there and later moves back.
  ///
  /// At the end it has no effect: a track does not end with nothing.
  public func insertEmptyTimeRange(_ range: TimeRange) {
    guard range.isEditable else { return }
    state.withLock {
      guard range.start < $0.list.duration else { return }
      let nothing = CompositionTrackSegment(timeRange: range)
      $0.list.insert([nothing], at: range.start)
    }
  }

  /// Takes a range out; what is later moves forward.
  ///
  /// The track stays, be it empty.
  public func removeTimeRange(_ range: TimeRange) {
    state.withLock {
      let part = TimeRange(start: range.start, end: min(range.end, $0.list.duration))
      if range.isValid, part.isEditable { $0.list.remove(part) }
    }
  }

  /// Plays a range slower or faster, so that it takes `duration`; what is later moves.
  public func scaleTimeRange(_ range: TimeRange, toDuration duration: MediaTime) {
    guard range.isEditable, duration.isOnTimeLine, duration > .zero else { return }
    state.withLock { $0.list.scale(range, to: duration) }
  }

  private func check(_ track: AssetTrack) throws(MediaError) {
    guard track.mediaType == mediaType else {
      throw MediaError(
        .invalidArgument,
        "a \(track.mediaType.rawValue) track cannot be put into one of \(mediaType.rawValue)")
    }
  }

  static func check(_ range: TimeRange) throws(MediaError) {
    guard range.isEditable else {
      throw MediaError(
        .invalidArgument, "a time range to be put in is empty, has no numbers or has an epoch")
    }
  }

  /// Where something is put in: a time that is not numeric means the end.
  static func check(_ time: MediaTime) throws(MediaError) {
    guard !time.isNumeric || time.isOnTimeLine else {
      throw MediaError(.invalidArgument, "the time at which a range is put in has an epoch")
    }
  }

  /// The segments for a range, the first of which starts at zero.
  private func pieces(_ range: TimeRange, of track: AssetTrack) throws(MediaError)
    -> [CompositionTrackSegment]
  {
    try check(track)
    try Self.check(range)
    if let track = track as? CompositionTrack { return track.pieces(range) }
    let whole = track.timeRange
    let there = whole.isValid && whole.duration.isNumeric ? range.intersection(whole) : range
    func empty(_ start: MediaTime, _ end: MediaTime) -> [CompositionTrackSegment] {
      guard start < end else { return [] }
      return [
        CompositionTrackSegment(
          timeRange: TimeRange(start: start - range.start, end: end - range.start))
      ]
    }
    guard !there.isEmpty else { return empty(range.start, range.end) }
    let piece = CompositionTrackSegment(
      track: track, sourceTimeRange: there,
      targetTimeRange: TimeRange(start: there.start - range.start, duration: there.duration))
    return empty(range.start, there.start) + [piece] + empty(there.end, range.end)
  }
}

extension MediaTime {
  /// A number without an epoch.
  var isOnTimeLine: Bool { isComputable && epoch == 0 }
}

extension TimeRange {
  /// Whether it is a stretch of a composition's time line.
  var isEditable: Bool { isValid && start.isOnTimeLine && duration.isOnTimeLine && !isEmpty }
}

extension CompositionTrack {
  /// A segment for another track, which does not know what takes the place of formats here.
  private func described(_ segment: CompositionTrackSegment) -> CompositionTrackSegment {
    guard let track = source(of: segment), track !== segment.sourceTrack else { return segment }
    return CompositionTrackSegment(
      track: track, sourceTimeRange: segment.timeMapping.source,
      targetTimeRange: segment.timeMapping.target)
  }

  /// The segments within a range, and nothing for what lies behind the end.
  fileprivate func pieces(_ range: TimeRange) -> [CompositionTrackSegment] {
    var pieces = compositionSegments.compactMap { segment -> CompositionTrackSegment? in
      let part = segment.target.intersection(range)
      return part.isEmpty ? nil : described(segment).cut(to: part)
    }
    let end = pieces.last?.target.end ?? range.start
    if end < range.end {
      pieces.append(CompositionTrackSegment(timeRange: TimeRange(start: end, end: range.end)))
    }
    return pieces
  }
}
