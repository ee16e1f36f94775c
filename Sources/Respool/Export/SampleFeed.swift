import RespoolMedia

/// Takes samples from an output and pushes them through a chain.
struct SampleFeed {
  let output: AssetReaderOutput
  /// What becomes 0.
  let start: MediaTime
  /// In which the chain takes times.
  let timeBase: Rational
  var packets: (any Stage<Packet>)?
  /// Whether packets lie elsewhere on the asset's time line than in their files, or are told in other units there.
  var isPlaced = false
  /// The track that is made of the pieces of a composition as they are stored.
  var joined: JoinedTrack?
  /// Of a track that is made of pieces of timed metadata.
  var keys: JoinedKeys?
  /// Whether a packet holds for a time, such as text: what began before the start is cut there.
  var lasts = false
  var frames: (any Stage<Frame>)?

  init(output: AssetReaderOutput, start: MediaTime, timeBase: Rational) {
    self.output = output
    self.start = start
    self.timeBase = timeBase
  }

  func run() throws(MediaError) {
    let first = start.ticks(timeBase) ?? 0
    var hasBegun = false
    while let sample = output.copyNextSampleBuffer() {
      switch sample.content {
      case .packet(var packet):
        if isPlaced {
          place(&packet, of: sample)
          packet.format = joined?.format(of: sample) ?? (lasts ? 0 : packet.format)
          if let joined, let piece = sample.state.withLock({ $0.startedPiece }) {
            packet.flags.insert(.startsPiece)
            for empty in joined.skipped(before: piece) { try packets?.consume(empty) }
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
    // No sample comes after a failure or cancelling either: what was made so far is not the whole then.
    if let reader = output.reader, reader.status == .failed || reader.status == .cancelled {
      throw reader.error ?? MediaError(.cancelled, "stopped")
    }
    try packets?.finish()
    try frames?.finish()
  }

  /// A picture that is shown already at the start is told to begin there in units of its file, which may be coarse.
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

  /// When it is shown and for how long; the duration as an end, so that durations add up to the time line.
  private func times(of sample: SampleBuffer, _ told: Int64) -> (Int64?, Int64) {
    let start = ticks(sample.presentationTimeStamp)
    guard sample.duration.isNumeric else { return (start, told) }
    let end = ticks(sample.presentationTimeStamp + sample.duration)
    return (start, max(0, (end ?? 0) &- (start ?? 0)))
  }

  private func ticks(_ time: MediaTime) -> Int64? { (time - start).ticks(timeBase) }
}
