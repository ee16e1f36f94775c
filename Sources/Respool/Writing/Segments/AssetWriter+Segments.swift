public import RespoolMedia

extension AssetWriter {
  /// A writer of no file: a movie goes to the delegate, in segments.
  ///
  /// `container` is as for a file. Throws `unsupported` where no plugin writes it or where it has no
  /// segments.
  public convenience init(container: String, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    try self.init(path: "", container: container, registry: registry)
    guard muxer.description.options.contains(where: { $0.name == "segments" }) else {
      throw MediaError(
        .unsupported, "\(muxer.description.name) is not written in segments; mp4 is")
    }
    lock.locked { state.configuration.isSegmented = true }
  }

  /// Gets the segments of a writer of no file; kept weakly.
  public weak var delegate: (any AssetWriterDelegate)? {
    get { configured(\.delegate) }
    set { configure(\.delegate, newValue) }
  }

  /// What segments are made for; nil, the default: nothing in particular.
  public var outputFileTypeProfile: FileTypeProfile? {
    get { configured(\.profile) }
    set { configure(\.profile, newValue) }
  }

  /// Whether segments can be joined with those of other writers, behind the header of one; false is the
  /// default.
  ///
  /// For writers of the same inputs in the same order with the same settings, whose sessions start at the same
  /// time; each next one has an `initialMovieFragmentSequenceNumber` that the one before has not reached. Every
  /// input has a track then, also without a sample, and nothing in the header depends on what comes first:
  /// pictures have times in units of `mediaTimeScale` or 1/90,000 s, and the media begins ten seconds before the
  /// movie, which an edit list says, but not with the profile for live streaming. Sound that is trimmed within a
  /// sample comes whole. Without effect on a file; fails the writer where a sample is decoded earlier than that.
  public var producesCombinableFragments: Bool {
    get { configured(\.isCombinable) }
    set { configure(\.isCombinable, newValue) }
  }

  /// How long segments are; indefinite: they end where `flushSegment` says, invalid, the default: not set.
  ///
  /// A segment starts with the first picture from a multiple of the interval on with which decoding can
  /// begin. Pictures that are encoded can always be begun with there; where they pass through, segments
  /// become longer than this if their key pictures are further apart.
  public var preferredOutputSegmentInterval: MediaTime {
    get { configured(\.segmentInterval) }
    set { configure(\.segmentInterval, newValue) }
  }

  /// The time, of those that samples are appended with, from which the interval counts; needed with it.
  public var initialSegmentStartTime: MediaTime {
    get { configured(\.segmentStart) }
    set { configure(\.segmentStart, newValue) }
  }

  /// Ends the segment behind the samples that have been appended.
  ///
  /// Only where the interval is indefinite, within a session. Where samples pass through the next picture has to
  /// be one with which decoding can begin, else the segment ends before the next such.
  public func flushSegment() {
    let schedule = lock.locked { state.status == .writing ? state.schedule : nil }
    guard let schedule, preferredOutputSegmentInterval.isIndefinite else {
      return fail(
        MediaError(
          .invalidArgument,
          "flushSegment is for a session in segments whose interval is indefinite"))
    }
    schedule.flush()
  }

  /// What hands segments to the delegate; nil where a file is written.
  ///
  /// Throws `invalidArgument` where segments cannot be written with what is set.
  func openSegments(_ configuration: Configuration, _ sink: FileSink) throws(MediaError)
    -> SegmentOutput?
  {
    guard configuration.isSegmented else { return nil }
    let interval = configuration.segmentInterval
    guard configuration.delegate != nil else {
      throw MediaError(.invalidArgument, "a writer of no file needs a delegate for its segments")
    }
    guard interval.isIndefinite || interval.isNumeric && interval > .zero else {
      throw MediaError(
        .invalidArgument, "preferredOutputSegmentInterval is to be positive or indefinite")
    }
    guard interval.isIndefinite || configuration.segmentStart.isNumeric else {
      throw MediaError(.invalidArgument, "an interval of segments needs initialSegmentStartTime")
    }
    let schedule = SegmentSchedule(interval: interval, start: configuration.segmentStart)
    let delivery = SegmentDelivery()
    lock.locked { (state.schedule, state.delivery) = (schedule, delivery) }
    return SegmentOutput(schedule, sink: sink) { [weak self] data, report in
      guard let self, let delegate = self.delegate else { return }
      delivery.deliver(data, report, of: self, to: delegate)
    }
  }

  /// Has a picture be one with which decoding can begin where a segment starts with it.
  ///
  /// On the thread of the input's queue.
  func markSegment(_ frame: inout Frame, in timeBase: Rational, for input: AssetWriterInput) {
    guard frame.kind == .video, let schedule = lock.locked({ state.schedule }) else { return }
    let segment = schedule.segment(at: MediaTime(frame.pts, timeBase))
    if segment > input.segment { frame.flags.insert(.mustBeKey) }
    // A second pass begins anew.
    input.segment = segment
  }

  /// A sample comes for an input, at a time of the movie.
  func noteForSegments(_ time: MediaTime, _ input: AssetWriterInput) {
    guard let schedule = lock.locked({ state.schedule }) else { return }
    let inputs = inputs
    let lead = inputs.first { $0.mediaType == .video } ?? inputs.first
    if lead === input { schedule.note(time) }
  }
}
