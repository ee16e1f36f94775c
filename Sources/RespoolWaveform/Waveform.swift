public import RespoolMedia

/// Sound reduced to what can be drawn: its extremes and its loudness, bin by bin.
///
/// Full scale is -1 to 1; sound in floating point may go beyond.
public struct Waveform: Sendable, Hashable {
  /// How the samples are shared out among the bins.
  public enum Division: Sendable, Hashable {
    /// Bin i of n holds the samples from i * `sampleCount` / n to just before (i + 1) * `sampleCount` / n,
    /// both rounded down.
    ///
    /// Where there are fewer samples than bins, a bin holds the one that it lies in. Where a file did
    /// not tell how much sound is in it, the ends of bins are rounded down further, to multiples of
    /// `unit`, which is 1 in every other case and always below a sixteenth of a bin.
    case even(unit: Int)
    /// Every bin holds this many samples, the last one what is left.
    case every(Int)
  }

  /// One value to a bin: each of the three has as many.
  public struct Channel: Sendable, Hashable {
    /// The least sample.
    public var minima: [Float]
    /// The greatest sample.
    public var maxima: [Float]
    /// The root of the mean of the squares: 1 for a square wave at full scale.
    public var rms: [Float]

    public init(minima: [Float], maxima: [Float], rms: [Float]) {
      self.minima = minima
      self.maxima = maxima
      self.rms = rms
    }
  }

  /// Samples of each channel in a second.
  public var sampleRate: Int
  /// Samples of each channel in all bins.
  public var sampleCount: Int64
  /// When the first sample is heard, on the file's time line.
  public var startTime: MediaTime
  public var division: Division
  /// The channels in the order of the file, or the one that they were mixed to.
  public var channels: [Channel]
  /// What was wrong with the file where the rest of it could be read.
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

  /// Bins of each channel.
  public var binCount: Int { channels.first?.minima.count ?? 0 }

  /// How long the sound is.
  public var duration: MediaTime {
    MediaTime(value: sampleCount, timescale: Int32(clamping: sampleRate))
  }

  /// Samples in a bin; not a whole number where the division is even and does not come out even.
  public var samplesPerBin: Double {
    switch division {
    case .every(let count): Double(count)
    case .even: binCount == 0 ? 0 : Double(sampleCount) / Double(binCount)
    }
  }

  /// The samples of each channel that a bin holds, counted from the first of the waveform.
  ///
  /// Empty for a bin that there is not, and where there is no sound.
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

  /// The greatest distance of a sample from zero.
  public var peak: Float {
    channels.reduce(0) { peak, channel in
      max(peak, channel.maxima.max() ?? 0, -(channel.minima.min() ?? 0))
    }
  }
}
