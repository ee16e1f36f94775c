import CVerifier
import RespoolMedia

/// Comparison of decoded audio with the audio samples that were encoded.
struct AudioComparison {
  private let encoding: Encoding
  private let rate: Int
  private let layout: ChannelLayout

  /// Smallest correlation with what was sent.
  private static let leastCorrelation = 0.9
  /// Audio samples that are compared at a time.
  private static let window = 4000
  /// Audio samples by which audio may be too early or too late to be recognized.
  private static let greatestShift = 2500

  init(_ encoding: Encoding) {
    self.encoding = encoding
    rate = encoding.input.track.sampleRate
    layout = encoding.input.track.channelLayout
  }

  /// Audio samples of each channel from time 0 on, without encoder delay and padding.
  struct Samples {
    var channels: [[Double]]
    /// Audio samples before time 0.
    var lead = 0
    var count: Int { channels.first?.count ?? 0 }
  }

  /// Places the frames by their times and drops what is before time 0 and after the trimmed end.
  func samples(_ frames: [Frame]) throws(Finding) -> Samples {
    try encoding.checkStart()
    var result = Samples(channels: Array(repeating: [], count: layout.channelCount))
    var end: Int64?
    for frame in frames {
      guard frame.channelLayout.channelCount == layout.channelCount else {
        throw Finding(
          "decoded audio has \(frame.channelLayout.channelCount.counting("channel")); \(layout.channelCount) were sent"
        )
      }
      guard frame.sampleRate == rate else {
        throw Finding("decoded audio has \(frame.sampleRate) Hz; \(rate) were sent")
      }
      let base = encoding.track.timeBase
      let start = frame.pts.map { base.convert($0, to: Rational(1, Int32(rate))) } ?? end ?? 0
      let skipped = Int(min(Int64(frame.sampleCount), max(0, -start)))
      result.lead += skipped
      end = start + Int64(frame.sampleCount)
      for channel in 0..<layout.channelCount {
        result.channels[channel] += values(frame, channel).dropFirst(skipped)
      }
    }
    if let last = encoding.packets.last {
      let trim = encoding.track.timeBase.convert(last.trimEnd, to: Rational(1, Int32(rate)))
      let trimmed = Int(min(Int64(result.count), max(0, trim)))
      for channel in result.channels.indices { result.channels[channel].removeLast(trimmed) }
    }
    return result
  }

  private func values(_ frame: Frame, _ channel: Int) -> [Double] {
    let format = frame.sampleFormat
    let width = format.bytesPerSample
    let (base, step) =
      format.isPlanar
      ? (frame.planes[channel].base, width)
      : (frame.planes[0].base + channel * width, width * frame.channelLayout.channelCount)
    return [Double](unsafeUninitializedCapacity: frame.sampleCount) { room, count in
      measure_read(
        Int32(format.interleaved.rawValue), base.assumingMemoryBound(to: UInt8.self), step,
        Int32(frame.sampleCount), room.baseAddress)
      count = frame.sampleCount
    }
  }

  /// Throws if a channel has other audio than was sent, at another time or with another level.
  func check(_ frames: [Frame]) throws(Finding) -> String {
    let samples = try samples(frames)
    // Codecs need some time to begin.
    let start = min(samples.count / 4, 2000)
    let count = min(Self.window, min(samples.count, Int(encoding.sampleCount)) - start)
    guard count > 100 else {
      throw .skipped(
        "\(samples.count.counting("audio sample", "was", "were")) decoded, too few to be compared")
    }
    var least = 1.0
    for channel in samples.channels.indices {
      let correlation = correlation(samples, channel, with: channel, start, count)
      guard correlation < Self.leastCorrelation else {
        try checkLevel(samples, channel, start, count)
        least = min(least, correlation)
        continue
      }
      if let other = samples.channels.indices.first(where: {
        $0 != channel
          && self.correlation(samples, channel, with: $0, start, count) > Self.leastCorrelation
      }) {
        throw Finding(
          "channel \(channel) has the audio of channel \(other): the order of channels is wrong")
      }
      if let shift = shift(samples, channel, start, count) {
        throw Finding(
          "the audio is \(abs(shift).counting("audio sample")) too \(shift > 0 ? "late" : "early"): "
            + "initial_padding is \(encoding.track.initialPadding)")
      }
      throw Finding(
        "channel \(channel) has other audio than was sent: the correlation is \(Int(correlation * 100)) %"
      )
    }
    try checkShift(samples, start, count)
    return "the audio equals what was sent, with a correlation of \(Int(least * 100)) % or more"
  }

  /// Returns the correlation of a channel with what was sent in `other`, `shift` audio samples later.
  private func correlation(
    _ samples: Samples, _ channel: Int, with other: Int, _ start: Int, _ count: Int, shift: Int = 0
  ) -> Double {
    samples.channels[channel].withUnsafeBufferPointer { values in
      guard let base = values.baseAddress, start + count <= values.count else { return 0 }
      let origin = start + encoding.input.firstMoment * 1000 - shift
      return measure_correlation(
        base + start, Int32(count), Int32(other), layout.isLowFrequency(other) ? 1 : 0, Int32(rate),
        Int64(origin))
    }
  }

  /// Returns the number of audio samples by which a channel is late; `nil` if it is not recognized.
  private func shift(_ samples: Samples, _ channel: Int, _ start: Int, _ count: Int) -> Int? {
    var best = (shift: 0, correlation: 0.0)
    for shift in -Self.greatestShift...Self.greatestShift {
      let correlation = correlation(
        samples, channel, with: channel, start, min(count, 1500), shift: shift)
      if correlation > best.correlation { best = (shift, correlation) }
    }
    return best.correlation > 0.95 ? best.shift : nil
  }

  /// Throws if the audio is a few audio samples too early or too late.
  private func checkShift(_ samples: Samples, _ start: Int, _ count: Int) throws(Finding) {
    guard let channel = samples.channels.indices.first(where: { !layout.isLowFrequency($0) }) else {
      return
    }
    let own = correlation(samples, channel, with: channel, start, count)
    for shift in [-1, 1, -2, 2, -4, 4] {
      let other = correlation(samples, channel, with: channel, start, count, shift: shift)
      // Correlations near 1 differ little: what is left to 1 decides.
      if 1 - other < (1 - own) / 4, 1 - own > 1e-4 {
        throw Finding(
          "the audio is \(abs(shift).counting("audio sample")) too \(shift > 0 ? "late" : "early"): "
            + "initial_padding is \(encoding.track.initialPadding)")
      }
    }
  }

  private func checkLevel(_ samples: Samples, _ channel: Int, _ start: Int, _ count: Int)
    throws(Finding)
  {
    var sum = 0.0
    samples.channels[channel].withUnsafeBufferPointer { values in
      for index in start..<start + count { sum += values[index] * values[index] }
    }
    // The mean square of a sine of 0.3.
    let ratio = (sum / Double(count) / 0.045).squareRoot()
    guard (0.7...1.4).contains(ratio) else {
      throw Finding("the audio is \(Int(ratio * 100)) % as loud as what was sent")
    }
  }
}

extension Encoding {
  /// Throws if the first packet of audio does not start at the negative encoder delay.
  func checkStart() throws(Finding) {
    let rate = Rational(1, Int32(clamping: max(1, track.sampleRate)))
    let start = rate.convert(-Int64(track.initialPadding), to: track.timeBase)
    guard let first = packets.first?.pts else { throw Finding("no packets were returned") }
    guard abs(first - start) <= 1 else {
      throw Finding(
        "the first packet has the pts \(first); with an initial_padding of \(track.initialPadding) it must be \(start)"
      )
    }
  }
}
