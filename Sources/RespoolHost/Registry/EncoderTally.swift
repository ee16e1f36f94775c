import RespoolMedia

/// Comparison of the frames that an encoder took with the packets that it returned.
struct EncoderTally {
  /// Unit of the times of frames, in seconds.
  private let frameBase: Rational
  /// Unit of the times of packets, in seconds.
  private let packetBase: Rational
  private var frameCount = 0
  /// Presentation times of frames whose packets have not been returned, with their number, in units of packets.
  private var pending: [Int64: Int] = [:]
  /// Presentation times of packets without a duration: those of frames that are not shown, or of an encoder that states
  /// no durations.
  private var unsized: [Int64] = []
  /// Presentation times of packets that belong to no frame.
  private var surplus: [Int64] = []
  /// Number of audio samples of each channel that were sent.
  private var sampleCount: Int64 = 0
  /// Duration of the returned audio without trims, in units of packets.
  private var duration: Int64 = 0
  /// `false` after an audio packet without a duration, from which nothing can be concluded.
  private var hasDurations = true
  private var lastDTS: Int64?
  /// Time of the first frame of audio.
  private var firstTime: Int64?
  /// Presentation time of the first packet.
  private var firstPTS: Int64?

  init(frames: Rational, packets: Rational) { (frameBase, packetBase) = (frames, packets) }

  /// Counts a frame that the encoder has taken.
  mutating func add(_ frame: Frame) {
    frameCount += 1
    switch frame.kind {
    case .video:
      if let pts = frame.pts {
        pending[frameBase.convert(pts, to: packetBase), default: 0] += 1
      }
    case .audio:
      if sampleCount == 0 { firstTime = frame.pts }
      sampleCount += Int64(frame.sampleCount)
    }
  }

  /// Counts a packet; returns a fault in its times as part of a sentence.
  mutating func add(_ packet: Packet, isAudio: Bool) -> String? {
    if isAudio { add(audio: packet) } else { add(video: packet) }
    defer { if firstPTS == nil { firstPTS = packet.pts } }
    if !isAudio, firstPTS == nil, packet.pts != nil, !packet.flags.contains(.key) {
      return "a first packet without the key flag, with which decoding must be able to begin"
    }
    guard let dts = packet.dts else { return nil }
    defer { lastDTS = dts }
    if let pts = packet.pts, dts > pts {
      return "a packet with the dts \(dts), after its pts \(pts)"
    }
    guard let lastDTS, dts <= lastDTS else { return nil }
    return "a packet with the dts \(dts) after one with \(lastDTS): decode times must rise"
  }

  private mutating func add(video packet: Packet) {
    guard let pts = packet.pts, !packet.flags.contains(.discard) else { return }
    guard packet.duration > 0 else { return unsized.append(pts) }
    if !settle(pts) { surplus.append(pts) }
  }

  private mutating func add(audio packet: Packet) {
    if packet.duration <= 0 { hasDurations = false }
    duration += packet.duration - packet.trimStart - packet.trimEnd
  }

  /// Removes a frame with this time; returns `false` if there is none.
  private mutating func settle(_ pts: Int64) -> Bool {
    guard let count = pending[pts] else { return false }
    pending[pts] = count > 1 ? count - 1 : nil
    return true
  }

  /// A difference between input and output.
  struct Difference {
    /// Part of a sentence: `returned no packets for 2 of 250 frames, the first at 9.92 s`.
    var text: String
    /// `true` if media of the input is missing in the output, or at another time.
    var isLoss: Bool
  }

  /// Returns the difference after the end, or `nil` if there is none.
  ///
  /// `track` is the final description of the packets.
  mutating func difference(_ track: TrackDescription) -> Difference? {
    track.kind == .audio ? audioDifference(track) : videoDifference()
  }

  private mutating func videoDifference() -> Difference? {
    for pts in unsized { _ = settle(pts) }
    func seconds(_ time: Int64) -> String { MediaTime(time, packetBase).seconds.decimalText }
    if let first = pending.keys.min() {
      let missing = pending.values.reduce(0, +)
      if surplus.count >= missing {
        return Difference(
          text: "returned packets with other times than those of \(missing) of \(frameCount) "
            + "frames, the first at \(seconds(first)) s", isLoss: true)
      }
      return Difference(
        text: "returned no packets for \(missing) of \(frameCount.counting("frame")), the first at "
          + "\(seconds(first)) s", isLoss: true)
    }
    return surplus.min().map {
      Difference(
        text:
          "returned \(surplus.count.counting("packet", "that belongs", "that belong")) to none "
          + "of \(frameCount.counting("frame")), the "
          + "first at \(seconds($0)) s", isLoss: true)
    }
  }

  private func audioDifference(_ track: TrackDescription) -> Difference? {
    guard hasDurations, track.sampleRate > 0, packetBase.isPositive else { return nil }
    let samples = Rational(1, Int32(clamping: track.sampleRate))
    let priming = samples.convert(Int64(track.initialPadding), to: packetBase)
    if let firstTime, let firstPTS {
      let expected = frameBase.convert(firstTime, to: packetBase).subtractingClamped(priming)
      let distance = firstPTS.subtractingClamped(expected).magnitude
      if distance > 1 + frameBase.convert(1, to: packetBase).magnitude {
        return Difference(
          text: "returned a first packet with the pts \(firstPTS); with its encoder delay of "
            + "\(track.initialPadding) it must be \(expected)", isLoss: true)
      }
    }
    // The rate of the packets may be another one than that of the frames.
    let taken = frameBase.convert(sampleCount, to: packetBase)
    let difference = duration - priming - taken
    // A unit of each side for rounding.
    let tolerance = 1 + frameBase.convert(1, to: packetBase)
    guard difference.magnitude > tolerance.magnitude else { return nil }
    let seconds = MediaTime(Int64(clamping: difference.magnitude), packetBase).seconds.decimalText
    return difference < 0
      ? Difference(text: "returned \(seconds) s of audio less than it took", isLoss: true)
      : Difference(text: "returned \(seconds) s of audio more than it took", isLoss: false)
  }
}
