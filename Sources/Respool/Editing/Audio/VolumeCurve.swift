import RespoolMedia

/// A linear change of volume from one value to another.
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

/// A track's volume over time: 1 before the first ramp, and the end value after each ramp.
struct VolumeCurve: Hashable, Sendable {
  /// By start; a volume that is set at a time is a ramp without duration.
  private(set) var ramps: [VolumeRamp] = []

  mutating func add(_ ramp: VolumeRamp) {
    // The later of two at the same time wins.
    ramps.removeAll { $0.timeRange.isEmpty && $0.timeRange.start == ramp.timeRange.start }
    // A volume that is set at the start of a ramp precedes it, as it has no duration.
    let place =
      ramps.firstIndex {
        $0.timeRange.start > ramp.timeRange.start
          || ramp.timeRange.isEmpty && $0.timeRange.start == ramp.timeRange.start
      } ?? ramps.count
    ramps.insert(ramp, at: place)
  }

  /// Returns a ramp that overlaps `range`.
  ///
  /// A ramp without duration overlaps a range if it lies inside it.
  func ramp(overlapping range: TimeRange) -> VolumeRamp? {
    ramps.first { $0.timeRange.start < range.end && range.start < $0.timeRange.end }
  }

  /// Returns the ramp at `time`, or else the next one.
  ///
  /// `nil` after the last.
  func ramp(for time: MediaTime) -> VolumeRamp? {
    RampSearch.find(time, in: ramps.map(\.timeRange)).map { index, range in
      VolumeRamp(
        startVolume: ramps[index].startVolume, endVolume: ramps[index].endVolume, timeRange: range)
    }
  }

  /// `true` if the volume is 1 at every time.
  var isUnity: Bool { ramps.allSatisfy { $0.startVolume == 1 && $0.endVolume == 1 } }

  /// Writes the volume at each audio sample from `first` on, at a sample rate of `rate`.
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
