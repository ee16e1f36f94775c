import RespoolMedia

/// Reduces audio of one format on one timeline to bins.
///
/// If the file states its duration reliably, the requested bins are filled directly. Otherwise finer bins of
/// growing size are filled too, from which the requested bins can be made.
final class ReductionStage: Stage {
  /// Properties of the audio that the file states, in a time base that may differ from the decoded sample
  /// rate.
  struct Announcement {
    var start: Int64
    /// `nil` if the file does not state it.
    var duration: Int64?
    var timeBase: Rational
    /// `true` if no fine bins are needed.
    var isSure: Bool
    /// Audio samples in the range.
    ///
    /// `nil` if they have not been counted.
    var counted: Int64?
    var channels: Int
  }

  private let settings: WaveformReader.Settings
  private let announcement: Announcement

  private var samples: SampleLoader?
  private var reducers: [BinReducer] = []
  private(set) var sampleRate = 0
  private var channels = 0
  /// Range of audio samples to read.
  private var requestedRange: Range<Int64> = 0..<0
  private(set) var firstSample: Int64?
  /// End of the audio received so far, inside or outside the range.
  private var lastSample: Int64 = 0
  /// `true` if all audio of the range has been received.
  private(set) var isComplete = false

  /// End of the audio received.
  ///
  /// `nil` if there was none.
  var end: MediaTime? {
    sampleRate > 0
      ? MediaTime(value: lastSample, timescale: Int32(clamping: sampleRate)) : nil
  }

  /// Maximum number of bins of all channels; each takes 16 bytes.
  private static let mostBins = 1 << 24

  init(_ settings: WaveformReader.Settings, _ announcement: Announcement) {
    self.settings = settings
    self.announcement = announcement
    channels = settings.mixesChannels ? 1 : max(1, announcement.channels)
  }

  func consume(_ frame: Frame) throws(MediaError) {
    if samples == nil { try begin(frame) }
    let first = frame.pts ?? lastSample
    let last = first &+ Int64(frame.sampleCount)
    guard first < last else { return }
    lastSample = last
    if first >= requestedRange.upperBound {
      isComplete = true
      return
    }
    let part = requestedRange.clamped(to: first..<last)
    guard !part.isEmpty, let samples else { return }
    if firstSample == nil { firstSample = part.lowerBound }
    let (front, count) = (Int(part.lowerBound - first), part.count)
    samples.load(frame, front, count) { samples, count in
      for index in reducers.indices { reducers[index].add(samples, count: count) }
    } inPlace: { samples, count in
      for index in reducers.indices { reducers[index].add(samples, count: count) }
    }
    if let binCount = reducers.first?.bins.count, binCount > Self.mostBins {
      throw MediaError(
        .limitExceeded,
        "\(settings.resolution) make more than \(Self.mostBins) bins; use more samples per bin")
    }
    isComplete = last >= requestedRange.upperBound
  }

  func finish() {
    for index in reducers.indices { reducers[index].finish() }
  }

  private func begin(_ frame: Frame) throws(MediaError) {
    sampleRate = frame.sampleRate
    let samples = try SampleLoader(frame, mixes: settings.mixesChannels)
    self.samples = samples
    channels = samples.outputs
    let unit = Rational(1, Int32(clamping: sampleRate))
    func position(_ time: MediaTime) -> Int64 {
      time.ticks(unit) ?? (time.isNegativeInfinity ? .min : .max)
    }
    requestedRange = .min..<(.max)
    if let range = settings.timeRange {
      let start = position(range.start)
      requestedRange = start..<max(start, position(range.end))
    }
    let start = announcement.timeBase.convert(announcement.start, to: unit)
    var expected: Int64?
    if let duration = announcement.duration, duration > 0 {
      let length = announcement.timeBase.convert(duration, to: unit)
      let (end, overflow) = start.addingReportingOverflow(length)
      if !overflow { expected = Int64(requestedRange.clamped(to: start..<end).count) }
    }
    reducers = try divisions(announcement.counted ?? expected).map {
      BinReducer($0, channels: channels)
    }
  }

  private func divisions(_ expected: Int64?) throws(MediaError) -> [BinReducer.Division] {
    switch settings.resolution {
    case .samplesPerBin(let count): return [.every(Int64(count))]
    case .wholeBins(let most):
      try checkCount(most)
      // If the duration is unknown, the audio samples are counted first.
      guard let expected, expected > 0 else { return [.doubling(limit: 2)] }
      return [.every(Self.wholeWidth(expected, most), most: most)]
    case .bins(let bins):
      try checkCount(bins)
      // At least 32 fine bins for each requested bin, and enough that short files are not coarse.
      let fine = BinReducer.Division.doubling(limit: max(64 * bins, 1 << 16))
      guard let expected, expected >= Int64(bins) else { return [fine] }
      let even = BinReducer.Division.even(bins: bins, samples: expected)
      return announcement.isSure ? [even] : [even, fine]
    }
  }

  private func checkCount(_ bins: Int) throws(MediaError) {
    guard bins * channels <= Self.mostBins / 16 else {
      throw MediaError(
        .limitExceeded,
        "\(bins.counting("bin")) of \(channels.counting("channel")); the maximum for all "
          + "channels is "
          + "\(Self.mostBins / 16)")
    }
  }

  /// Returns the smallest whole number of audio samples per bin for at most `bins` bins.
  private static func wholeWidth(_ samples: Int64, _ bins: Int) -> Int64 {
    (samples - 1) / Int64(bins) + 1
  }

  /// Audio samples of each channel received in the range.
  var sampleCount: Int64 { reducers.first?.sampleCount ?? 0 }

  /// Returns the waveform, or `nil` if the bins were made for a wrong duration and the file must be read
  /// again.
  func waveform() -> Waveform? {
    let samples = sampleCount
    guard samples > 0 else { return empty }
    if case .wholeBins(let most) = settings.resolution,
      reducers.first?.division != .every(Self.wholeWidth(samples, most), most: most)
    {
      return nil
    }
    guard let reducer = reducers.first(where: { $0.announced == nil || $0.announced == samples })
    else { return nil }
    let (division, count): (Waveform.Division, Int) =
      switch (reducer.division, settings.resolution) {
      case (.every(let width, _), _): (.every(Int(width)), reducer.binCount)
      case (.even(let bins, _), _): (.even(unit: 1), bins)
      case (.doubling, .bins(let bins)): (.even(unit: Int(reducer.width)), bins)
      case (.doubling, .samplesPerBin), (.doubling, .wholeBins):
        (.even(unit: Int(reducer.width)), reducer.binCount)
      }
    var waveform = Waveform(
      sampleRate: sampleRate, sampleCount: samples,
      startTime: MediaTime(value: firstSample ?? 0, timescale: Int32(clamping: sampleRate)),
      division: division, channels: [])
    waveform.channels = (0..<channels).map { Self.channel($0, of: reducer, division, count) }
    return waveform
  }

  /// Returns one channel, in bins of a division that the reducer's bins can be combined to.
  private static func channel(
    _ channel: Int, of reducer: BinReducer, _ division: Waveform.Division, _ count: Int
  ) -> Waveform.Channel {
    let silence = [Float](repeating: 0, count: count)
    var result = Waveform.Channel(minima: silence, maxima: silence, rms: silence)
    var edges = BinEdges(bins: count, samples: reducer.sampleCount)
    if case .even(let unit) = division { edges.unit = Int64(unit) }
    for bin in 0..<count {
      var value = BinStatistics()
      let samples: Int64
      switch reducer.division {
      case .every(let width, _):
        value = reducer.bins[bin * reducer.channels + channel]
        samples = min(width, reducer.sampleCount - Int64(bin) * width)
      case .even:
        value = reducer.bins[bin * reducer.channels + channel]
        samples = Int64(edges.samples(in: bin).count)
      case .doubling:
        let range = edges.samples(in: bin)
        samples = Int64(range.count)
        for first in stride(from: range.lowerBound, to: range.upperBound, by: Int(reducer.width)) {
          value.merge(reducer.bins[Int(first / reducer.width) * reducer.channels + channel])
        }
      }
      result.minima[bin] = value.minimum
      result.maxima[bin] = value.maximum
      result.rms[bin] = Float((value.sumOfSquares / Double(samples)).squareRoot())
    }
    return result
  }

  /// Waveform without audio; it has silent bins if their number was requested.
  private var empty: Waveform {
    let bins: Int
    let division: Waveform.Division
    switch settings.resolution {
    case .bins(let count): (bins, division) = (count, .even(unit: 1))
    case .wholeBins: (bins, division) = (0, .every(1))
    case .samplesPerBin(let count): (bins, division) = (0, .every(count))
    }
    let silence = [Float](repeating: 0, count: bins)
    return Waveform(
      sampleRate: sampleRate, sampleCount: 0, division: division,
      channels: Array(
        repeating: Waveform.Channel(minima: silence, maxima: silence, rms: silence),
        count: channels))
  }
}
