import Glibc
import RespoolMedia

/// Changes the speed of sound and keeps its pitch: waveform similarity overlap-add (Verhelst and Roelands,
/// ICASSP 1993).
///
/// Windows of 46 ms follow each other by half their length. The middle of each is taken near where the
/// speed says, within 12 ms, at the place that continues the one before best, to a fraction of a sample.
/// Where sound begins, both windows that hold the onset have it, to 2 ms, when it is due, and no other
/// window has it: it stays with what is seen, and is heard once.
final class OverlapStretch {
  private let channels: Int
  private let speed: Double
  /// Half a window.
  private let hop: Int
  private let tolerance: Int
  /// How far an onset may be from where it is due.
  private let onsetTolerance: Int
  /// What belongs to an onset and is not repeated.
  private let attack: Int
  private let window: [Float]

  /// Input from sample `origin` on.
  private var input: [[Float]]
  /// The sum of the channels, which is what is compared.
  private var mono: [Float] = []
  private var origin = 0
  private var finder: OnsetFinder
  private var onsets: [OnsetFinder.Onset] = []
  /// The second half of the window before, faded out.
  private var tail: [[Float]]
  /// Where that window would go on.
  private var continuation = 0
  /// How much later the window before was taken, and this one is, in samples, -0.5 to 0.5.
  private var fraction: Float = 0
  /// Of the next window; its middle is so many hops, and one more, after the beginning.
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

  /// Blocks of one hop, as many as there is input for; at the end all.
  func take(ends: Bool) -> [[[Float]]] {
    // The end is where it is due, too.
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
      // The first window is only there to be faded out.
      if count >= 0 { blocks.append(block) }
      count += 1
      continuation = position + hop
      forget(before: min(position, heard(middle) - hop) - 2 * hop - tolerance)
    }
    return blocks
  }

  private var available: Int { origin + mono.count }

  /// What of the input is due at a place of the output.
  private func heard(_ place: Int) -> Int { Int((Double(place) * speed).rounded()) }

  /// Where in the output an onset is due.
  private func due(_ onset: OnsetFinder.Onset) -> Int {
    Int((Double(onset.place) / speed).rounded())
  }

  /// Of onsets so near to each other that one window would have both, the much stronger one counts, or
  /// the first.
  private func add(_ onset: OnsetFinder.Onset) {
    if let last = onsets.last, due(onset) - due(last) < 2 * hop {
      guard onset.strength > 4 * last.strength else { return }
      onsets.removeLast()
    }
    onsets.append(onset)
  }

  /// Where the window begins whose middle is heard at `middle`.
  private func place(middle: Int) -> Int {
    let ideal = heard(middle) - hop
    var (low, high) = (ideal - tolerance, ideal + tolerance)
    for onset in onsets {
      let due = due(onset)
      if due < middle - hop {
        low = max(low, onset.place + attack)
      } else if due < middle {
        // The one before has it at its place.
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

  /// One hop of output: the window before fading into the one at `position`.
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

  /// The samples of a window, silence beyond the ends.
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

  /// Weights that give the sound `fraction` later: a sinc under Hann's window.
  private func taps() -> [Float] {
    guard abs(fraction) > 0.001 else { return [1] }
    return (-12...12).map { tap in
      let x = Float(tap) - fraction
      return sin(Float.pi * x) / (Float.pi * x) * (0.5 + 0.5 * cos(Float.pi * x / 13))
    }
  }

  /// Where between `low` and `high` the input is most like what would follow the window before; the nearer
  /// to `ideal` the better.
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
    // The top of the parabola through the likeness here and beside: a whole sample is too coarse for tones
    // of some kilohertz.
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

  /// The place of the greatest likeness, less `cost` for one that is `tolerance` from the ideal: that decides
  /// between places that are as good, such as periods of a tone, and where it is silent.
  private func search(_ places: StrideThrough<Int>, _ ideal: Int, step: Int, cost: Float) -> Int {
    var best = (place: ideal, likeness: -Float.infinity)
    for place in places {
      let distance = Float(place - ideal) / Float(tolerance)
      let likeness = likeness(place, step: step) - cost * distance * distance
      if likeness > best.likeness { best = (place, likeness) }
    }
    return best.place
  }

  /// 1 for what is the same but for its loudness, -1 for its opposite.
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
