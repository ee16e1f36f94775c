public import RespoolMedia

extension AssetWriter {
  /// Creates a writer that delivers a movie in segments to its delegate, without a file.
  ///
  /// `container` is a muxer's name, alias or file extension. Throws `unsupported` if no plugin writes it or it
  /// cannot be written in segments.
  public convenience init(container: String, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    try self.init(path: "", container: container, registry: registry)
    guard muxer.description.flags.contains(.writesSegments) else {
      throw MediaError(
        .unsupported, "\(muxer.description.name) cannot be written in segments; use mp4")
    }
    configuration.isSegmented = true
  }

  /// Receiver of the segments of a writer without a file; held weakly.
  public weak var delegate: (any AssetWriterDelegate)? {
    get { configuration.delegate }
    set { configuration.delegate = newValue }
  }

  /// Profile that the segments conform to; `nil`, the default: none.
  public var outputFileTypeProfile: FileTypeProfile? {
    get { configuration.profile }
    set { configuration.profile = newValue }
  }

  /// `true` if segments can be joined with those of other writers after one shared header.
  ///
  /// `false` by default. The writers must have the same inputs in the same order with the same settings, and
  /// sessions that start at the same time. Each next writer has an `initialMovieFragmentSequenceNumber` that the
  /// previous one has not reached.
  ///
  /// Every input then has a track, even without samples, and the header does not depend on the first samples.
  /// Frame times are in units of `mediaTimeScale` or 1/90,000 s. The media begins ten seconds before the movie,
  /// which an edit list states; this does not apply to the profile for live streaming. Audio that is trimmed
  /// within a sample is written whole.
  ///
  /// Has no effect on a file. A sample that is decoded earlier than those ten seconds fails the writer.
  public var producesCombinableFragments: Bool {
    get { configuration.isCombinable }
    set { configuration.isCombinable = newValue }
  }

  /// Duration of the segments.
  ///
  /// Indefinite: they end when `flushSegment` is called. Invalid, the default: not set. A segment starts with the
  /// first sync sample at or after a multiple of the interval. If frames are encoded, there is always one at that
  /// place. If frames are passed through, segments are longer than this if sync samples are further apart.
  public var preferredOutputSegmentInterval: MediaTime {
    get { configuration.segmentInterval }
    set { configuration.segmentInterval = newValue }
  }

  /// Time from which the interval counts, on the timeline of the appended samples; required with an interval.
  public var initialSegmentStartTime: MediaTime {
    get { configuration.segmentStart }
    set { configuration.segmentStart = newValue }
  }

  /// Ends the segment after the samples that have been appended.
  ///
  /// Call this only within a session and if the interval is indefinite. If samples are passed through, the next
  /// frame should be a sync sample; otherwise the segment ends before the next sync sample.
  public func flushSegment() {
    guard status == .writing, let schedule = output?.schedule,
      preferredOutputSegmentInterval.isIndefinite
    else {
      return fail(
        MediaError(.invalidArgument, "flushSegment needs segments with an indefinite interval"))
    }
    schedule.endSegment()
  }
}
