import Dispatch
import Glibc
import RespoolMedia

extension AssetWriter {
  /// Creates the file and starts writing.
  ///
  /// Returns `false` if the file exists or cannot be created, or if writing has already begun; `error` gives the
  /// reason.
  @discardableResult public func startWriting() -> Bool {
    guard status == .unknown else { return false }
    do throws(MediaError) {
      let configuration = lock.locked { state.configuration }
      try checkTemporaryDirectory(configuration.temporaryDirectory)
      let sink = configuration.isSegmented ? try FileSink() : try FileSink(path: path, source: nil)
      let segments = try openSegments(configuration, sink)
      var media = MediaDescription(format: container)
      let tags = tags(configuration)
      (media.metadata, media.nativeTags) = (tags.entries, tags.native)
      let inputs = inputs
      for (index, input) in inputs.enumerated() {
        media.nativeTags += NativeTag.tags(input.metadata, track: index)
      }
      let settings = MuxerSettings(configuration, inputs: inputs, groups: inputGroups)
      let interleaver = builder.interleaver(
        muxer, media: media, trackCount: inputs.count + tags.covers.count, sink: sink,
        settings: settings, limit: 32 << 20,
        isDurable: !configuration.isSegmented && configuration.isInFragments,
        keepsEmptyTracks: configuration.isSegmented && configuration.isCombinable,
        segments: segments)
      for (index, input) in inputs.enumerated() { begin(input, index, interleaver) }
      try tags.write(to: interleaver, behind: inputs.count)
      lock.locked {
        state.sink = sink
        state.interleaver = interleaver
        state.status = .writing
      }
    } catch {
      fail(error)
      return false
    }
    for input in inputs { input.beginPasses() }
    return true
  }

  private func tags(_ configuration: Configuration) -> FileTags {
    FileTags(configuration.metadata, for: muxer.description) { [registry, muxer] track in
      // The movie box of segments is written once and is small.
      if configuration.isSegmented { return "segments cannot have covers" }
      do throws(MediaError) {
        try registry.checkMuxer(muxer, track: track)
        return nil
      } catch { return error.message }
    }
  }

  private func checkTemporaryDirectory(_ directory: String?) throws(MediaError) {
    guard let directory else { return }
    var status = stat()
    let isThere = FileName.withSystemPath(directory) { stat($0, &status) } == 0
    guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
      throw MediaError(
        .io,
        "the directory for temporary files does not exist or is not a directory", file: directory)
    }
    guard FileName.withSystemPath(directory, { access($0, W_OK | X_OK) }) == 0 else {
      throw .system("cannot be written to", errno, file: directory)
    }
  }

  /// Starts the session: samples at `time` are shown at the start of the file.
  ///
  /// Call this once, after `startWriting` and before the first sample. Earlier samples are written but not shown.
  /// A track whose first sample comes later begins with an empty edit; in containers without edit lists it begins
  /// late.
  public func startSession(atSourceTime time: MediaTime) {
    let failure: String? = lock.locked {
      switch state.status {
      case .completed, .failed, .cancelled: return nil
      case .unknown: return "startSession must be called after startWriting"
      case .writing: break
      }
      guard state.sessionStart == nil else { return "a file has only one session" }
      guard time.isNumeric else { return "the start time of the session is not numeric" }
      state.sessionStart = time
      state.origin = state.configuration.profile == .mpeg4AppleHLS ? .zero : time
      state.schedule?.begin(at: state.origin)
      return nil
    }
    if let failure { fail(MediaError(.invalidArgument, failure)) } else { noteReadiness() }
  }

  /// Ends the session: the file ends at `time`.
  ///
  /// Later samples that were appended are written but not shown. If `time` is after the end of the last frame,
  /// that frame is shown until then. Likewise, a last metadata group without a duration applies until then. Audio
  /// ends with its last sample. No sample may be appended afterwards. The call is not needed if the session ends
  /// with the last sample. In segments and in containers without edit lists, all samples are shown for their own
  /// durations.
  public func endSession(atSourceTime time: MediaTime) {
    let failure: String? = lock.locked {
      switch state.status {
      case .completed, .failed, .cancelled: return nil
      case .unknown: return "endSession must be called after startSession"
      case .writing: break
      }
      guard let start = state.sessionStart, state.sessionEnd == nil else {
        return "there is no open session"
      }
      guard time.isNumeric, time >= start else {
        return "the end of the session is not numeric or is before its start"
      }
      state.sessionEnd = time
      return nil
    }
    if let failure { fail(MediaError(.invalidArgument, failure)) }
  }

  /// Encodes all appended samples and completes the file; blocks until it is on disk.
  ///
  /// Marks all inputs as finished. The status is then `completed`, `failed` or `cancelled`. Code that must not
  /// block awaits ``finishWriting()``.
  public func finishWritingAndWait() {
    let isFirst = lock.locked {
      if state.status == .writing, !state.isFinishing {
        state.isFinishing = true
        return true
      }
      while state.status == .writing { lock.wait() }
      return false
    }
    if status == .unknown {
      fail(MediaError(.invalidArgument, "finishWriting must be called after startWriting"))
    }
    guard isFirst else { return }
    for input in inputs { finish(input) }
    for input in inputs { input.queue?.waitUntilIdle() }
    let (interleaver, sink) = lock.locked { (state.interleaver, state.sink) }
    guard status == .writing, let interleaver, let sink else { return }
    do throws(MediaError) {
      try interleaver.complete(duration: sessionLength) { () throws(MediaError) in
        try sink.finish()
        if lock.locked({ state.delivery == nil }) { complete() }
      }
      if let delivery = lock.locked({ state.delivery }) {
        delivery.waitForAll()
        complete()
      }
    } catch { fail(error) }
    endRequests()
  }

  private func complete() {
    lock.locked {
      if state.status == .writing { state.status = .completed }
      lock.wakeAll()
    }
  }

  /// Completes the file on a background thread and calls `completionHandler` there, whatever the outcome.
  public func finishWriting(completionHandler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async { [self] in
      finishWritingAndWait()
      completionHandler()
    }
  }

  /// Asynchronous version of ``finishWritingAndWait()``; does not block a thread of the cooperative pool.
  public func finishWriting() async {
    await withCheckedContinuation { continuation in
      finishWriting { continuation.resume() }
    }
  }

  /// Stops writing and removes the file; blocks until it is removed.
  ///
  /// May be called from any thread. A file that is complete stays.
  public func cancelWriting() {
    // While no thread writes, the file is either complete and stays, or incomplete and is removed.
    whileNobodyWrites { sink in
      let cancelled = lock.locked {
        guard state.status == .writing || state.status == .unknown else { return false }
        state.status = .cancelled
        lock.wakeAll()
        return true
      }
      if cancelled { sink?.abandon() }
    }
    endRequests()
  }

  /// Time from the movie's 0 to the session's end.
  ///
  /// Nanoseconds. `nil` if the session has not been ended.
  private var sessionLength: Int64? {
    let (origin, end) = lock.locked { (state.origin, state.sessionEnd) }
    guard let end else { return nil }
    return (end - origin).ticks(Rational(1, 1_000_000_000))
  }
}
