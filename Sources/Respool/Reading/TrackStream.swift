import RespoolMedia

/// The samples of one track, read ahead on a thread of its own.
final class TrackStream: SampleStream {
  /// Format of decoded samples; a value that is `nil` is taken from the track.
  typealias Settings = AssetReaderTrackOutput.Settings

  private let queue: SampleQueue

  /// Starts to read `ranges` of `track`, which are ascending and do not overlap.
  ///
  /// Stored samples of the file `rangesOf` stay ranges of it. With `givesReferences`, samples of any file
  /// stay ranges and refer to their file. With `leadsAudio`, stored audio begins early enough to be decoded
  /// exactly. Throws if the first file cannot be opened or has no decoder.
  init(
    _ track: AssetTrack, ranges: [TimeRange], settings: Settings?, threads: Int, copies: Bool,
    pitch: AudioTimePitchAlgorithm = .spectral, rangesOf: FileSource? = nil,
    givesReferences: Bool = false, leadsAudio: Bool = false
  ) throws(MediaError) {
    let queue = SampleQueue(
      limit: track.mediaType == .video && settings != nil ? 24 << 20 : 2 << 20)
    self.queue = queue
    let clips = ranges.flatMap { track.clips(in: $0) }
    guard let first = clips.first else {
      queue.end()
      return
    }
    let chain = TrackChain(
      track: track, settings: settings, threads: threads, copies: copies, pitch: pitch,
      rangesOf: rangesOf, givesReferences: givesReferences, leadsAudio: leadsAudio, queue: queue)
    // Opened here so that errors of the first segment are reported before reading begins.
    let head = try chain.open(first)
    try PlainThread(name: "read") {
      do throws(MediaError) {
        try chain.run(head)
        for clip in clips.dropFirst() { try chain.run(try chain.open(clip)) }
        queue.end()
      } catch { queue.end(error) }
    }.detach()
  }

  /// Returns the next sample, or `nil` at the end; blocks until there is one.
  func next() throws(MediaError) -> SampleBuffer? { try queue.next() }

  var faults: [SourceFault] { queue.faults }

  /// Releases the thread.
  func abandon() { queue.abandon() }

  deinit { queue.abandon() }
}

/// Builds the stages for the segments of one track.
struct TrackChain: Sendable {
  let track: AssetTrack
  let settings: AssetReaderTrackOutput.Settings?
  let threads: Int
  let copies: Bool
  let pitch: AudioTimePitchAlgorithm
  let rangesOf: FileSource?
  let givesReferences: Bool
  let leadsAudio: Bool
  let queue: SampleQueue

  struct Open {
    let feed: TrackFeed
    let stage: any Stage<Packet>
    let lead: MediaTime
    let readLimit: ReadLimit
    /// The stage that decodes.
    ///
    /// `nil` for stored samples.
    var decode: DecodeStage?
  }

  func run(_ open: Open) throws(MediaError) {
    let path = open.feed.source.path
    try open.feed.run(to: open.stage, lead: open.lead, until: open.readLimit) { error in
      let isCut = error.detail == .endsEarly
      var error = error
      error.file = nil
      queue.note(
        SourceFault(
          path: path, message: isCut ? error.message : error.description, cut: isCut ? error : nil))
    }
    if let message = open.decode?.damage { queue.note(SourceFault(path: path, message: message)) }
  }

  func open(_ clip: TrackRange) throws(MediaError) -> Open {
    let feed = try TrackFeed(clip, of: rangesOf, copies: settings == nil)
    let readLimit = ReadLimit(queue)
    let track = feed.track
    let end = SampleEnd(queue, clip: clip, copies: copies)
    end.givesReferences = givesReferences
    switch settings {
    case nil:
      let lead =
        leadsAudio && track.kind == .audio && !track.isLosslessAudio
        ? ChainBuilder.audioLead : .zero
      let stored = StoredSampleStage(
        feed, keepsRanges: rangesOf != nil || givesReferences, lead: lead, readLimit: readLimit,
        to: end)
      return Open(feed: feed, stage: stored, lead: lead, readLimit: readLimit)
    case .video(let pixelFormat, let width, let height):
      guard track.kind == .video else {
        throw MediaError(
          .invalidArgument, "video settings cannot be used for a track of type \(track.kind)")
      }
      end.timeBase = track.timeBase
      var next: any Stage<Frame> = end
      if pixelFormat != nil || width != nil || height != nil {
        let format = pixelFormat ?? track.pixelFormat
        var color = track.color
        if format.layout?.family == .rgb {
          // RGB is usually full range, whatever range the source has.
          color.range = .full
        } else if color.range == .unspecified {
          color.range = .limited
        }
        end.copies = false
        next = VideoConversionStage(
          output: VideoFormat(
            pixelFormat: format, width: width ?? track.width, height: height ?? track.height,
            color: color),
          orientation: .init(), sampleAspect: nil, maximumRate: nil, timeBase: track.timeBase,
          to: end)
      }
      // Only an empty edit ends a frame before the next one.
      let hasHole = track.edits.dropFirst().contains { $0.mediaStart == nil }
      let cut = RangeStage(
        clip.source, timeBase: track.timeBase,
        videoEnd: hasHole ? nil : clip.track.timeRange.end, readLimit: readLimit, to: next)
      let decode = try feed.decoded(threads: threads, to: cut)
      return Open(feed: feed, stage: decode, lead: .zero, readLimit: readLimit, decode: decode)
    case .audio(let format, let rate, let layout):
      guard track.kind == .audio else {
        throw MediaError(
          .invalidArgument, "audio settings cannot be used for a track of type \(track.kind)")
      }
      let audioFormat = AudioFormat(
        sampleFormat: format ?? (track.sampleFormat == .none ? .flt : track.sampleFormat),
        sampleRate: rate ?? track.sampleRate, channelLayout: layout ?? track.channelLayout)
      return try audio(feed, audioFormat, readLimit, end)
    }
  }

  private func audio(
    _ feed: TrackFeed, _ audioFormat: AudioFormat, _ readLimit: ReadLimit, _ end: SampleEnd
  )
    throws(MediaError) -> Open
  {
    end.timeBase = Rational(1, Int32(clamping: audioFormat.sampleRate))
    end.copies = false
    var next: any Stage<Frame> = end
    var source = feed.clip.source
    if let target = feed.clip.target {
      next = try PlacedAudioStage(
        audioFormat: audioFormat, source: source, target: target, algorithm: pitch, to: end)
      // Both ends are rounded, so the target may begin one sample earlier or end one sample later.
      let sample = MediaTime(1, end.timeBase)
      source = TimeRange(start: source.start - sample, end: source.end + sample)
    }
    let cut = RangeStage(source, timeBase: end.timeBase, readLimit: readLimit, to: next)
    let audio = AudioConversionStage(output: audioFormat, timeBase: feed.track.timeBase, to: cut)
    let decode = try feed.decoded(threads: threads, to: audio)
    return Open(
      feed: feed, stage: decode, lead: ChainBuilder.audioLead, readLimit: readLimit, decode: decode)
  }
}
