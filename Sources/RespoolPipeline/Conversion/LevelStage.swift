import Glibc
package import RespoolMedia
package import RespoolProcessing

/// Changes the level of audio by a gain, and keeps its true peaks below a ceiling if there is one.
///
/// The frames are planar audio of 32-bit floating point without gaps, whose times are in audio samples. What comes out
/// has the same length and the same times.
package final class LevelStage: Stage {
  private let gain: Float
  private let limiter: TruePeakLimiter?
  private let pool = FramePool(limit: 16 << 20)
  private let next: any Stage<Frame>
  /// Number of samples that have gone in, and of those that have come out.
  private var (taken, given) = (0, 0)
  private var start: Int64 = 0
  private var last: Frame?

  /// Creates a stage; `gain` is in decibels and `ceiling` in dBTP.
  package init(
    gain: Double, ceiling: Double?, rate: Int, channels: Int, to next: any Stage<Frame>
  ) {
    self.gain = Float(pow(10, gain / 20))
    limiter = ceiling.map {
      TruePeakLimiter(ceiling: pow(10, $0 / 20), rate: rate, channels: channels)
    }
    self.next = next
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    if last == nil { start = frame.pts ?? 0 }
    last = frame
    let changed = try empty(frame, count: frame.sampleCount)
    for channel in 0..<frame.channelLayout.channelCount {
      let input = frame.planes[channel].base.assumingMemoryBound(to: Float.self)
      let output = changed.planes[channel].base.assumingMemoryBound(to: Float.self)
      for index in 0..<frame.sampleCount { output[index] = input[index] * gain }
    }
    taken += frame.sampleCount
    try hand(on: changed)
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    while let last, given < taken {
      // Silence pushes out what is still in the limiter.
      let silence = try empty(last, count: min(taken - given, 4096))
      for channel in 0..<last.channelLayout.channelCount {
        silence.planes[channel].base.assumingMemoryBound(to: Float.self)
          .update(repeating: 0, count: silence.sampleCount)
      }
      try hand(on: silence)
    }
    try next.finish()
  }

  /// Samples of the limiter that come before the audio and are left to drop.
  private lazy var lead = limiter?.latency ?? 0

  private func hand(on frame: Frame) throws(MediaError) {
    limiter?.limit(frame)
    let dropped = min(lead, frame.sampleCount)
    lead -= dropped
    guard dropped < frame.sampleCount else { return }
    var frame = frame
    if dropped > 0 {
      let unit = Rational(1, Int32(clamping: frame.sampleRate))
      guard let rest = frame.droppingSamples(front: dropped, back: 0, timeBase: unit) else {
        return
      }
      frame = rest
    }
    frame.pts = start + Int64(given)
    frame.duration = Int64(frame.sampleCount)
    given += frame.sampleCount
    try next.consume(frame)
  }

  private func empty(_ frame: Frame, count: Int) throws(MediaError) -> Frame {
    guard frame.sampleFormat == .fltp,
      let empty = pool.audio(
        sampleFormat: .fltp, channelLayout: frame.channelLayout, sampleRate: frame.sampleRate,
        sampleCount: count)
    else { throw MediaError(.internal, "no memory for \(count) samples of \(AudioFormat(frame))") }
    return empty
  }
}

/// Measures the loudness of audio, and passes nothing on.
package final class LoudnessStage: Stage {
  package private(set) var meter: LoudnessMeter
  private let rate: Double
  private let progress: (Double) -> Void
  private var count = 0

  /// Creates a stage for planar audio of 32-bit floating point; `progress` gets the seconds that have been measured.
  package init(rate: Int, layout: ChannelLayout, progress: @escaping (Double) -> Void = { _ in }) {
    meter = LoudnessMeter(rate: rate, layout: layout)
    (self.rate, self.progress) = (Double(max(1, rate)), progress)
  }

  package func consume(_ frame: Frame) {
    meter.add(frame)
    count += frame.sampleCount
    progress(Double(count) / rate)
  }

  package func finish() {}
}
