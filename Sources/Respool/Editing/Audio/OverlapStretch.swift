import Glibc
import RespoolMedia

/// A filter that changes the speed of audio and keeps its pitch.
///
/// Uses waveform similarity overlap-add (Verhelst and Roelands, ICASSP 1993). Windows of 46 ms follow each other
/// by half their length. The middle of each is taken within 12 ms of the position given by the speed, where it
/// best continues the previous window, to a fraction of an audio sample. Both windows that contain an onset play
/// it when it is due, to 2 ms. No other window contains it, so the onset stays in sync with the video and is
/// heard once.
final class OverlapStretch {
  private let channels: Int
  private let speed: Double
  /// Half a window.
  private let hop: Int
  private let tolerance: Int
  /// Greatest distance of an onset from its due position.
  private let onsetTolerance: Int
  /// Length of an onset, which is not repeated.
  private let attack: Int
  private let window: [Float]

  /// Input from sample `origin` on.
  private var input: [[Float]]
  /// Sum of the channels, which is used for comparing.
  private var mono: [Float] = []
  private var origin = 0
  private var finder: OnsetFinder
  private var onsets: [OnsetFinder.Onset] = []
  /// Second half of the previous window, faded out.
  private var tail: [[Float]]
  /// Input position at which the previous window would continue.
  private var continuation = 0
  /// Fraction that is added to the position of the previous window, and then of this one.
  ///
  /// Audio samples. -0.5 to 0.5.
  private var fraction: Float = 0
  /// Number of the next window, whose middle is `count + 1` hops after the beginning.
  private var count = -1

  init(channels: Int, rate: Int, speed: Double) {
    self.channels = channels
    self.speed = speed
    hop = max(64, rate * 23 / 1000)
    tolerance = max(16, rate * 12 / 1000)
    onsetTolerance = max(4, rate * 2 / 1000)
    attack = max(8, rate * 5 / 1000)
    finder = OnsetFinder(rate: rate)
    input = Array(repeating: [], count: channels)
    tail = Array(repeating: Array(repeating: 0, count: hop), count: channels)
    // The rising half of Hann's window; with the falling one it adds up to 1.
    window = (0..<hop).map { [hop] in
      Float(0.5 - 0.5 * cos(Double.pi * (Double($0) + 0.5) / Double(hop)))
    }
  }

  /// Takes a planar block of 32-bit floating point.
  func append(_ frame: Frame) {
    for channel in 0..<channels {
      let base = frame.planes[channel].base.assumingMemoryBound(to: Float.self)
      input[channel].append(contentsOf: UnsafeBufferPointer(start: base, count: frame.sampleCount))
    }
    let first = mono.count
    mono.append(contentsOf: input[0][first...])
    for channel in input.dropFirst() {
      for index in first..<mono.count { mono[index] += channel[index] }
    }
    for onset in finder.append(input, from: first) { add(onset) }
  }

  /// Returns as many blocks of one hop as there is input for, and at the end all.
  func take(ends: Bool) -> [[[Float]]] {
    // The end is handled as an onset, so that it is where it is due.
    if ends { add(OnsetFinder.Onset(place: available, strength: 0)) }
    var blocks: [[[Float]]] = []
    while true {
      let middle = (count + 1) * hop
      let isThere =
        ends
        ? heard(middle - hop) < available
        : heard(middle + 3 * hop) + 3 * hop + tolerance <= available
      guard isThere else { break }
      let position = place(middle: middle)
      let block = block(at: position)
      // The first window is only needed for its second half, which fades out.
      if count >= 0 { blocks.append(block) }
      count += 1
      continuation = position + hop
      forget(before: min(position, heard(middle) - hop) - 2 * hop - tolerance)
    }
    return blocks
  }

  private var available: Int { origin + mono.count }

  /// Returns the input position that is due at an output position.
  private func heard(_ place: Int) -> Int { Int((Double(place) * speed).rounded()) }

  /// Returns the output position at which an onset is due.
  private func due(_ onset: OnsetFinder.Onset) -> Int {
    Int((Double(onset.place) / speed).rounded())
  }

  /// Adds an onset, unless the previous one is so near that one window would contain both.
  ///
  /// In that case the new onset replaces the previous one if it is much stronger.
  private func add(_ onset: OnsetFinder.Onset) {
    if let last = onsets.last, due(onset) - due(last) < 2 * hop {
      guard onset.strength > 4 * last.strength else { return }
      onsets.removeLast()
    }
    onsets.append(onset)
  }

  /// Returns the start of the window whose middle is at output position `middle`.
  private func place(middle: Int) -> Int {
    let ideal = heard(middle) - hop
    var (low, high) = (ideal - tolerance, ideal + tolerance)
    for onset in onsets {
      let due = due(onset)
      if due < middle - hop {
        low = max(low, onset.place + attack)
      } else if due < middle {
        // The previous window plays the onset when it is due.
        return continuation
      } else if due < middle + hop {
        let pinned = onset.place - (due - (middle - hop))
        return best(near: pinned, from: pinned - onsetTolerance, to: pinned + onsetTolerance)
      } else {
        high = min(high, onset.place - 2 * hop)
      }
    }
    return best(near: ideal, from: low, to: max(low, high))
  }

  /// Returns one hop of output: the previous window fading into the one at `position`.
  private func block(at position: Int) -> [[Float]] {
    let taps = taps()
    return input.indices.map { channel in
      let samples = taken(of: input[channel], at: position, taps)
      var out = tail[channel]
      for index in 0..<hop {
        out[index] += samples[index] * window[index]
        tail[channel][index] = samples[hop + index] * (1 - window[index])
      }
      return out
    }
  }

  /// Returns the audio samples of a window, with silence beyond the ends.
  private func taken(of samples: [Float], at position: Int, _ taps: [Float]) -> [Float] {
    let first = position - origin - taps.count / 2
    let there =
      max(0, -first)..<max(0, -first, min(2 * hop + taps.count - 1, samples.count - first))
    var padded = [Float](repeating: 0, count: 2 * hop + taps.count - 1)
    for index in there { padded[index] = samples[first + index] }
    guard taps.count > 1 else { return padded }
    var result = [Float](repeating: 0, count: 2 * hop)
    result.withUnsafeMutableBufferPointer { result in
      padded.withUnsafeBufferPointer { padded in
        for (tap, weight) in taps.enumerated() {
          var index = 0
          while index < result.count {
            result[index] += weight * padded[index + tap]
            index += 1
          }
        }
      }
    }
    return result
  }

  /// Returns the weights that interpolate audio `fraction` later: a sinc under Hann's window.
  private func taps() -> [Float] {
    guard abs(fraction) > 0.001 else { return [1] }
    return (-12...12).map { tap in
      let x = Float(tap) - fraction
      return sin(Float.pi * x) / (Float.pi * x) * (0.5 + 0.5 * cos(Float.pi * x / 13))
    }
  }

  /// Returns the position from `low` to `high` that best continues the previous window.
  ///
  /// Prefers positions near `ideal`.
  private func best(near ideal: Int, from low: Int, to high: Int) -> Int {
    let nearest = min(max(ideal, low), high)
    let (low, high) = (max(origin, low), min(high, available - hop))
    guard low < high, continuation >= origin, continuation + hop <= available else {
      fraction = 0
      return nearest
    }
    let coarse = search(stride(from: low, through: high, by: 4), ideal, step: 4, cost: 0.06)
    let fine = search(
      stride(from: max(low, coarse - 3), through: min(high, coarse + 3), by: 1), ideal, step: 1,
      cost: 0.001)
    guard fine > low, fine < high else { return fine }
    // The peak of the parabola through this similarity and its neighbors: a whole audio sample is too coarse for
    // tones of some kilohertz.
    let peak = [fine - 1, fine, fine + 1].map { likeness($0, step: 1) }
    let bend = peak[0] - 2 * peak[1] + peak[2]
    guard bend.isFinite, bend < -1e-9 else {
      fraction = 0
      return fine
    }
    let exact = min(max(0.5 * (peak[0] - peak[2]) / bend, -0.5), 0.5) + fraction
    fraction = exact - exact.rounded()
    return fine + Int(exact.rounded())
  }

  /// Returns the position of the greatest similarity after a cost for the distance from the ideal.
  ///
  /// `cost` applies at a distance of `tolerance` and grows with the square of the distance. It decides between
  /// equally good positions, such as periods of a tone, and in silence.
  private func search(_ places: StrideThrough<Int>, _ ideal: Int, step: Int, cost: Float) -> Int {
    var best = (place: ideal, likeness: -Float.infinity)
    for place in places {
      let distance = Float(place - ideal) / Float(tolerance)
      let likeness = likeness(place, step: step) - cost * distance * distance
      if likeness > best.likeness { best = (place, likeness) }
    }
    return best.place
  }

  /// Returns the similarity to the continuation: 1 if only the volume differs, -1 for the opposite.
  private func likeness(_ place: Int, step: Int) -> Float {
    mono.withUnsafeBufferPointer { mono in
      let (from, wanted) = (place - origin, continuation - origin)
      var (product, power, energy): (Float, Float, Float) = (0, 1e-9, 1e-9)
      var index = 0
      while index < hop {
        let (sample, other) = (mono[from + index], mono[wanted + index])
        product += sample * other
        energy += sample * sample
        power += other * other
        index += step
      }
      return product / (energy * power).squareRoot()
    }
  }

  private func forget(before place: Int) {
    let gone = min(max(0, place - origin), mono.count)
    guard gone > 65536 else { return }
    mono.removeFirst(gone)
    for channel in input.indices { input[channel].removeFirst(gone) }
    origin += gone
    onsets.removeAll { due($0) < (count - 4) * hop }
  }
}
