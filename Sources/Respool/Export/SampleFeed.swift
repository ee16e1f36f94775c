import RespoolMedia
import Synchronization

/// Reads samples from an output and pushes them through a chain.
struct SampleFeed {
  let output: AssetReaderOutput
  /// Time of the asset that becomes 0.
  let start: MediaTime
  /// Time base of the chain.
  let timeBase: Rational
  var packets: (any Stage<Packet>)?
  /// `true` if the asset's timeline gives packets other times or another time base than their files.
  var isPlaced = false
  /// Track that joins the clips of a composition without re-encoding; `nil` for other tracks.
  var joined: JoinedTrack?
  /// Keys of a track that joins clips of timed metadata; `nil` for other tracks.
  var keys: JoinedKeys?
  /// `true` if packets apply for a duration, such as text: those that began before the start are cut there.
  var lasts = false
  var frames: (any Stage<Frame>)?

  init(output: AssetReaderOutput, start: MediaTime, timeBase: Rational) {
    self.output = output
    self.start = start
    self.timeBase = timeBase
  }

  /// Starts readers, and runs their feeds to the end, each on a thread of its own.
  ///
  /// `stop` ends the threads after a failure. Throws the first error.
  static func run(
    _ feeds: [SampleFeed], from readers: [AssetReader], stop: @escaping @Sendable () -> Void
  ) throws(MediaError) {
    func problem() -> MediaError {
      readers.lazy.compactMap(\.error).first ?? MediaError(.cancelled, "stopped")
    }
    guard readers.allSatisfy({ $0.startReading() }) else { throw problem() }
    let outcome = Mutex<MediaError?>(nil)
    var threads: [PlainThread] = []
    defer { for thread in threads { thread.join() } }
    for feed in feeds {
      threads.append(
        try PlainThread(name: "export") { @Sendable [feed = Transferred(feed)] in
          do throws(MediaError) {
            try feed.value.run()
          } catch {
            outcome.withLock { if $0 == nil { $0 = error } }
            // A thread that waits for this track must not wait forever.
            stop()
          }
        })
    }
    for thread in threads { thread.join() }
    if let error = outcome.withLock({ $0 }), error.code != .cancelled { throw error }
    guard readers.allSatisfy({ $0.status == .completed }) else { throw problem() }
  }

  private func run() throws(MediaError) {
    let first = start.ticks(timeBase) ?? 0
    var hasBegun = false
    while let sample = output.copyNextSampleBuffer() {
      switch sample.content {
      case .packet(var packet):
        if isPlaced {
          place(&packet, of: sample)
          packet.sampleDescriptionIndex =
            joined?.format(of: sample) ?? (lasts ? 0 : packet.sampleDescriptionIndex)
          if let joined, let clip = sample.state.withLock({ $0.startedPiece }) {
            packet.flags.insert(.startsPiece)
            for empty in joined.skipped(before: clip) { try packets?.consume(empty) }
          }
        } else {
          packet.pts = packet.pts.map { $0 &- first }
          packet.dts = packet.dts.map { $0 &- first } ?? packet.pts
        }
        if lasts, !packet.cut(before: 0) { continue }
        keys?.rename(&packet, of: sample.formatDescription)
        joined?.waitForRoom()
        try packets?.consume(packet)
      case .frame(var frame):
        (frame.pts, frame.duration) = times(of: sample, frame.duration)
        if !hasBegun { beginAtStart(&frame, of: sample) }
        hasBegun = true
        try frames?.consume(frame)
      }
    }
    // Samples also end after a failure or cancellation. The output is then incomplete.
    if let reader = output.reader, reader.status == .failed || reader.status == .cancelled {
      throw reader.error ?? MediaError(.cancelled, "stopped")
    }
    try packets?.finish()
    try frames?.finish()
  }

  /// Moves the first frame to 0 if it is off by less than a unit of its file's time base.
  ///
  /// A frame that is shown at the start has a time in those units, which may be coarse.
  private func beginAtStart(_ frame: inout Frame, of sample: SampleBuffer) {
    guard frame.kind == .video, let pts = frame.pts, timeBase.isPositive else { return }
    let unit = sample.timeBase.doubleValue / timeBase.doubleValue
    guard pts != 0, Double(pts.magnitude) < unit else { return }
    frame.duration = max(0, frame.duration &+ pts)
    frame.pts = 0
  }

  private func place(_ packet: inout Packet, of sample: SampleBuffer) {
    (packet.pts, packet.duration) = times(of: sample, packet.duration)
    packet.dts = ticks(sample.decodeTimeStamp) ?? packet.pts
    packet.trimStart = sample.timeBase.convert(packet.trimStart, to: timeBase)
    packet.trimEnd = sample.timeBase.convert(packet.trimEnd, to: timeBase)
  }

  /// Returns the presentation time and the duration, which is rounded as an end so that durations add up to the
  /// timeline.
  private func times(of sample: SampleBuffer, _ stated: Int64) -> (Int64?, Int64) {
    let start = ticks(sample.presentationTimeStamp)
    guard sample.duration.isNumeric else { return (start, stated) }
    let end = ticks(sample.presentationTimeStamp + sample.duration)
    return (start, max(0, (end ?? 0) &- (start ?? 0)))
  }

  private func ticks(_ time: MediaTime) -> Int64? { (time - start).ticks(timeBase) }
}
