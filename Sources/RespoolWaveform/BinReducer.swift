/// Samples in, bins out, one after the other and in one pass.
struct BinReducer {
  enum Division: Hashable {
    /// So many bins of what is known to be so many samples: no fewer than there are bins.
    case even(bins: Int, samples: Int64)
    /// So many samples in each bin; what comes after `most` bins is only counted.
    case every(Int64, most: Int = .max)
    /// For sound whose length is not known: a sample to a bin, and each time that there are as many bins
    /// as the limit, which is even, two become one.
    case doubling(limit: Int)
  }

  let division: Division
  let channels: Int
  /// Bins that are complete: those of all channels, then the next ones.
  private(set) var bins: [BinStatistics] = []
  /// Samples of each channel so far.
  private(set) var sampleCount: Int64 = 0
  /// Samples in a bin where that is the same for all.
  private(set) var width: Int64
  /// The bin that is being filled, a value to each channel.
  private var open: [BinStatistics]
  /// The sample at which it ends.
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

  /// The samples that there have to be for the bins to be right; nil: any number.
  var announced: Int64? {
    if case .even(_, let samples) = division { samples } else { nil }
  }

  var binCount: Int { bins.count / max(1, channels) }

  /// Adds `count` samples of each channel.
  mutating func add(_ runs: some SampleRuns, count: Int) {
    var first = 0
    while first < count {
      let part = Int(min(Int64(count - first), edge - sampleCount))
      open.withUnsafeMutableBufferPointer { bins in
        if let base = bins.baseAddress { runs.reduce(first, part, into: base) }
      }
      first += part
      sampleCount += Int64(part)
      if sampleCount == edge { close() }
    }
  }

  /// Completes a last bin that is not full.
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
      // What comes beyond the samples that were announced stays in a bin that nobody asks for.
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
