public import RespoolMedia

/// A composition's track that can be changed.
// Sendable: adds no state to its superclass.
public final class MutableCompositionTrack: CompositionTrack, @unchecked Sendable {
  /// The rotation or other transform for display.
  ///
  /// Default: the value of the first segment's source track.
  public override var preferredTransform: DisplayMatrix {
    get { super.preferredTransform }
    set { state.withLock { $0.transform = newValue } }
  }

  public override var languageCode: String? {
    get { super.languageCode }
    set { state.withLock { $0.language = newValue } }
  }

  /// The language as a BCP 47 tag.
  ///
  /// Setting it replaces the language code, and setting the language code replaces it.
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

  /// The volume at which the track is to be played.
  ///
  /// 0 or more; 1 is full volume. Default: 1.
  public override var preferredVolume: Float {
    get { super.preferredVolume }
    set { state.withLock { $0.volume = max(0, newValue) } }
  }

  /// Replaces the segments, which have to follow each other from zero.
  ///
  /// Throws as `validateSegments` does; the segments are then unchanged.
  public func setSegments(_ segments: [CompositionTrackSegment]) throws(MediaError) {
    try validateSegments(segments)
    if let list = SegmentList(segments) { state.withLock { $0.list = list } }
  }

  /// Throws `invalidArgument` if the segments do not follow each other from zero, have no duration, or are of
  /// another media type.
  public func validateSegments(_ segments: [CompositionTrackSegment]) throws(MediaError) {
    if let problem = SegmentList.problem(of: segments) {
      throw MediaError(.invalidArgument, problem)
    }
    for segment in segments { if let track = segment.sourceTrack { try check(track) } }
  }

  /// Inserts a range of another asset's track at `time`, or at the end if `time` is not numeric.
  ///
  /// Segments after `time` move later. An empty segment stands for the part of the range beyond the track's media,
  /// so that tracks edited in parallel stay in step. Throws `invalidArgument` for a track of another media type
  /// and for a range that is empty or not numeric. Throws `invalidArgument` also for times with an epoch: a track
  /// has one time line.
  public func insertTimeRange(_ range: TimeRange, of track: AssetTrack, at time: MediaTime)
    throws(MediaError)
  {
    try insertTimeRanges([range], of: [track], at: time)
  }

  /// Inserts several ranges, one after the other.
  ///
  /// A `nil` track inserts an empty segment of the range's duration. If it throws, nothing is inserted.
  public func insertTimeRanges(
    _ ranges: [TimeRange], of tracks: [AssetTrack?], at time: MediaTime
  ) throws(MediaError) {
    guard ranges.count == tracks.count else {
      throw MediaError(
        .invalidArgument, "\(ranges.count) time ranges were given for \(tracks.count) tracks")
    }
    try Self.check(time)
    var all: [CompositionTrackSegment] = []
    for (range, track) in zip(ranges, tracks) {
      if let track { try check(track) }
      try Self.check(range)
      let empty = TimeRange(start: .zero, duration: range.duration)
      all += track?.segments(showing: range) ?? [CompositionTrackSegment(timeRange: empty)]
    }
    state.withLock { [all] in $0.list.insert(all, at: time) }
  }

  /// Inserts an empty segment; segments after its start move later.
  ///
  /// No effect at the end: a track does not end with an empty segment.
  public func insertEmptyTimeRange(_ range: TimeRange) {
    guard range.isEditable else { return }
    state.withLock {
      guard range.start < $0.list.duration else { return }
      let nothing = CompositionTrackSegment(timeRange: range)
      $0.list.insert([nothing], at: range.start)
    }
  }

  /// Removes a range; later segments move earlier.
  ///
  /// The track stays, even if it is empty.
  public func removeTimeRange(_ range: TimeRange) {
    state.withLock {
      let part = TimeRange(start: range.start, end: min(range.end, $0.list.duration))
      if range.isValid, part.isEditable { $0.list.remove(part) }
    }
  }

  /// Changes the speed of a range, so that it lasts `duration`; later segments move.
  public func scaleTimeRange(_ range: TimeRange, toDuration duration: MediaTime) {
    guard range.isEditable, duration.isOnTimeLine, duration > .zero else { return }
    state.withLock { $0.list.scale(range, to: duration) }
  }

  private func check(_ track: AssetTrack) throws(MediaError) {
    guard track.mediaType == mediaType else {
      throw MediaError(
        .invalidArgument,
        "a \(track.mediaType.rawValue) track cannot be inserted into a \(mediaType.rawValue) track")
    }
  }

  static func check(_ range: TimeRange) throws(MediaError) {
    guard range.isEditable else {
      throw MediaError(
        .invalidArgument, "a time range to insert is empty, is not numeric or has an epoch")
    }
  }

  /// Throws `invalidArgument` if a time to insert at has an epoch.
  ///
  /// A time that is not numeric means the end.
  static func check(_ time: MediaTime) throws(MediaError) {
    guard !time.isNumeric || time.isOnTimeLine else {
      throw MediaError(.invalidArgument, "the time at which to insert has an epoch")
    }
  }
}

extension MediaTime {
  /// `true` if the time is a number without an epoch.
  var isOnTimeLine: Bool { isComputable && epoch == 0 }
}

extension TimeRange {
  /// `true` if the range can lie on a composition's time line and is not empty.
  var isEditable: Bool { isValid && start.isOnTimeLine && duration.isOnTimeLine && !isEmpty }
}
