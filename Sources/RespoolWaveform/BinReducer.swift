/// Reduces audio samples to bins, in order and in one pass.
struct BinReducer {
  enum Division: Hashable {
    /// `bins` bins for a known number of audio samples, which is not less than `bins`.
    case even(bins: Int, samples: Int64)
    /// This number of audio samples in each bin; after `most` bins, audio samples are only counted.
    case every(Int64, most: Int = .max)
    /// For audio of unknown duration: starts with one audio sample per bin.
    ///
    /// When the number of bins reaches `limit`, which is even, each two bins are merged into one.
    case doubling(limit: Int)
  }

  let division: Division
  let channels: Int
  /// Complete bins: those of all channels, then the next ones.
  private(set) var bins: [BinStatistics] = []
  /// Audio samples of each channel so far.
  private(set) var sampleCount: Int64 = 0
  /// Audio samples per bin, if all bins have the same number.
  ///
  /// 0 for even divisions.
  private(set) var width: Int64
  /// The bin that is being filled, one value for each channel.
  private var open: [BinStatistics]
  /// Index of the audio sample at which the open bin ends.
  private var edge: Int64

  init(_ division: Division, channels: Int) {
    self.division = division
    self.channels = channels
    open = Array(repeating: BinStatistics(), count: channels)
    switch division {
    case .even(let bins, let samples):
      width = 0
      edge = BinEdges(bins: bins, samples: samples).edge(1)
    case .every(let count, _):
      width = max(1, count)
      edge = width
    case .doubling:
      width = 1
      edge = 1
    }
  }

  /// Number of audio samples for which the bins are valid.
  ///
  /// `nil`: any number.
  var announced: Int64? {
    if case .even(_, let samples) = division { samples } else { nil }
  }

  var binCount: Int { bins.count / max(1, channels) }

  /// Adds `count` samples of each channel.
  mutating func add(_ samples: some ReducibleSamples, count: Int) {
    var first = 0
    while first < count {
      let part = Int(min(Int64(count - first), edge - sampleCount))
      open.withUnsafeMutableBufferPointer { bins in
        if let base = bins.baseAddress { samples.accumulate(first, part, into: base) }
      }
      first += part
      sampleCount += Int64(part)
      if sampleCount == edge { close() }
    }
  }

  /// Completes the last bin if it is partly filled.
  mutating func finish() {
    guard open.contains(where: { $0.minimum <= $0.maximum }) else { return }
    bins += open
    open = Array(repeating: BinStatistics(), count: channels)
  }

  private mutating func close() {
    bins += open
    for channel in 0..<channels { open[channel] = BinStatistics() }
    switch division {
    case .even(let count, let samples):
      // Audio samples after the announced number go to an extra bin that is never read.
      let next = binCount + 1
      edge = next > count ? .max : BinEdges(bins: count, samples: samples).edge(next)
    case .every(_, let most): edge = binCount >= most ? .max : edge + width
    case .doubling(let limit):
      if binCount >= limit { mergePairs() }
      edge += width
    }
  }

  private mutating func mergePairs() {
    let half = binCount / 2
    for bin in 0..<half {
      for channel in 0..<channels {
        var merged = bins[2 * bin * channels + channel]
        merged.merge(bins[(2 * bin + 1) * channels + channel])
        bins[bin * channels + channel] = merged
      }
    }
    bins.removeLast(half * channels)
    width *= 2
  }
}
