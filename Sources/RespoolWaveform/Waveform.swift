public import RespoolMedia

/// Audio reduced to the extremes and the RMS level of each bin, for drawing.
///
/// Full scale is -1 to 1. Floating-point audio may exceed it.
public struct Waveform: Sendable, Hashable {
  /// Distribution of the audio samples among the bins.
  public enum Division: Sendable, Hashable {
    /// Bin i of n holds the audio samples from i * `sampleCount` / n to just before (i + 1) * `sampleCount` /
    /// n, both rounded down.
    ///
    /// If there are fewer audio samples than bins, a bin holds the one at its position. If a file did not
    /// state its duration correctly, the ends of bins are rounded down further to multiples of `unit`.
    /// In all other cases `unit` is 1. If it is more than 1, it is less than a sixteenth of a bin.
    case even(unit: Int)
    /// Every bin holds this number of audio samples; the last one holds the rest.
    case every(Int)
  }

  /// Values of one channel: each of the three arrays has one value for each bin.
  public struct Channel: Sendable, Hashable {
    /// Smallest audio sample of each bin.
    public var minima: [Float]
    /// Largest audio sample of each bin.
    public var maxima: [Float]
    /// Root mean square of each bin: 1 for a square wave at full scale.
    public var rms: [Float]

    public init(minima: [Float], maxima: [Float], rms: [Float]) {
      self.minima = minima
      self.maxima = maxima
      self.rms = rms
    }
  }

  /// Audio samples of each channel per second.
  public var sampleRate: Int
  /// Audio samples of each channel in all bins.
  public var sampleCount: Int64
  /// Presentation time of the first audio sample, on the timeline of the file.
  public var startTime: MediaTime
  public var division: Division
  /// Channels in file order, or the one channel that they were mixed to.
  public var channels: [Channel]
  /// Errors in the file after which reading continued.
  public var damage: [MediaError] = []

  public init(
    sampleRate: Int, sampleCount: Int64, startTime: MediaTime = .zero, division: Division,
    channels: [Channel]
  ) {
    self.sampleRate = sampleRate
    self.sampleCount = sampleCount
    self.startTime = startTime
    self.division = division
    self.channels = channels
  }

  /// Number of bins of each channel.
  public var binCount: Int { channels.first?.minima.count ?? 0 }

  /// Duration of the audio.
  public var duration: MediaTime {
    MediaTime(value: sampleCount, timescale: Int32(clamping: sampleRate))
  }

  /// Audio samples per bin; fractional if an even division does not divide exactly.
  public var samplesPerBin: Double {
    switch division {
    case .every(let count): Double(count)
    case .even: binCount == 0 ? 0 : Double(sampleCount) / Double(binCount)
    }
  }

  /// Returns the audio samples of each channel that a bin holds, counted from the first of the waveform.
  ///
  /// Empty for a bin that does not exist, and if there is no audio.
  public func samples(inBin bin: Int) -> Range<Int64> {
    guard bin >= 0, bin < binCount, sampleCount > 0 else { return 0..<0 }
    switch division {
    case .every(let count):
      let width = Int128(max(1, count))
      let (first, last) = (Int128(bin) * width, Int128(bin + 1) * width)
      return min(Int64(clamping: first), sampleCount)..<min(Int64(clamping: last), sampleCount)
    case .even(let unit):
      return BinEdges(bins: binCount, samples: sampleCount, unit: Int64(max(1, unit)))
        .samples(in: bin)
    }
  }

  /// Largest absolute value of an audio sample.
  public var peak: Float {
    channels.reduce(0) { peak, channel in
      max(peak, channel.maxima.max() ?? 0, -(channel.minima.min() ?? 0))
    }
  }
}
