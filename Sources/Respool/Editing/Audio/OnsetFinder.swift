/// A detector of places where audio begins or suddenly becomes louder.
///
/// An onset is a millisecond with more than four times the power of each of the twenty that end 2 ms before it.
/// A tone of 25 Hz and above has no onset, however it is cut; a clap, a plosive or a struck string has one.
struct OnsetFinder {
  struct Onset: Equatable {
    /// Position in audio samples.
    var place: Int
    /// Mean power.
    var strength: Float
  }

  /// Mean power below which there is only noise: -70 dB of full scale.
  private static let floor: Float = 1e-7
  private static let rise: Float = 4
  private static let before = 20
  private static let gap = 2

  /// Length of a block in audio samples: one millisecond.
  let block: Int
  private var powers: [Float] = []
  /// Block number of the first entry of `powers`.
  private var first = 0
  private var sum: Float = 0
  private var count = 0

  init(rate: Int) { block = max(8, rate / 1000) }

  /// Takes the next audio samples of all channels, from index `start` on, and returns the onsets found.
  mutating func append(_ channels: [[Float]], from start: Int) -> [Onset] {
    var onsets: [Onset] = []
    guard let length = channels.first?.count else { return [] }
    for index in start..<max(start, length) {
      for channel in channels { sum += channel[index] * channel[index] }
      count += 1
      if count == block {
        if let onset = take(sum / Float(block * channels.count)) { onsets.append(onset) }
        (sum, count) = (0, 0)
      }
    }
    return onsets
  }

  private mutating func take(_ power: Float) -> Onset? {
    powers.append(power)
    if powers.count > Self.before + Self.gap + 1 {
      powers.removeFirst()
      first += 1
    }
    let earlier = powers.dropLast(Self.gap + 1).max() ?? power
    guard power > Self.rise * max(earlier, Self.floor) else { return nil }
    return Onset(place: (first + powers.count - 1) * block, strength: power)
  }
}
