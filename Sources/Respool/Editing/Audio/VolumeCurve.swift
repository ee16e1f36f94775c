import RespoolMedia

/// The loudness going evenly from one value to another.
public struct VolumeRamp: Hashable, Sendable {
  public var startVolume: Float
  public var endVolume: Float
  public var timeRange: TimeRange

  public init(startVolume: Float, endVolume: Float, timeRange: TimeRange) {
    self.startVolume = startVolume
    self.endVolume = endVolume
    self.timeRange = timeRange
  }
}

/// A track's loudness over time: 1 before the first ramp, and after each where it ended.
struct VolumeCurve: Hashable, Sendable {
  /// By start; a volume that is set at a time is a ramp without duration.
  private(set) var ramps: [VolumeRamp] = []

  mutating func add(_ ramp: VolumeRamp) {
    // The later of two at the same time wins.
    ramps.removeAll { $0.timeRange.isEmpty && $0.timeRange.start == ramp.timeRange.start }
    // What is set where a ramp begins stands before it, as it lasts no time.
    let place =
      ramps.firstIndex {
        $0.timeRange.start > ramp.timeRange.start
          || ramp.timeRange.isEmpty && $0.timeRange.start == ramp.timeRange.start
      } ?? ramps.count
    ramps.insert(ramp, at: place)
  }

  /// One that has time in common with `range`; what lasts no time has where it lies within the other.
  func ramp(overlapping range: TimeRange) -> VolumeRamp? {
    ramps.first { $0.timeRange.start < range.end && range.start < $0.timeRange.end }
  }

  /// The ramp that `time` lies in, or else the next one; nil after the last.
  func ramp(for time: MediaTime) -> VolumeRamp? {
    RampRanges.find(time, in: ramps.map(\.timeRange)).map { index, range in
      VolumeRamp(
        startVolume: ramps[index].startVolume, endVolume: ramps[index].endVolume, timeRange: range)
    }
  }

  /// Whether it is 1 at every time.
  var isUnity: Bool { ramps.allSatisfy { $0.startVolume == 1 && $0.endVolume == 1 } }

  /// Writes the loudness at each sample from sample `first` on, at `rate` samples a second.
  func fill(_ gains: UnsafeMutableBufferPointer<Float>, from first: Int64, rate: Int) {
    let spans = ramps.map { ramp in
      (
        start: ramp.timeRange.start.seconds * Double(rate),
        length: ramp.timeRange.duration.seconds * Double(rate), ramp: ramp
      )
    }
    var current = -1
    for index in gains.indices {
      let position = Double(first) + Double(index)
      while current + 1 < spans.count, spans[current + 1].start <= position { current += 1 }
      guard current >= 0 else {
        gains[index] = 1
        continue
      }
      let (start, length, ramp) = spans[current]
      let progress = length > 0 ? min(1, (position - start) / length) : 1
      gains[index] = ramp.startVolume + (ramp.endVolume - ramp.startVolume) * Float(progress)
    }
  }
}
