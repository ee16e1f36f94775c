import Glibc
import RespoolMedia

/// Changes the speed of sound and keeps its pitch: waveform similarity overlap-add (Verhelst and Roelands,
/// ICASSP 1993).
///
/// Windows of 46 ms follow each other by half their length. Each is taken near where the speed says,
/// within 12 ms, at the place that continues the one before best.
final class OverlapStretch {
  private let channels: Int
  private let speed: Double
  /// Half a window.
  private let hop: Int
  private let tolerance: Int
  private let window: [Float]

  /// Input from sample `origin` on.
  private var input: [[Float]]
  /// The sum of the channels, which is what is compared.
  private var mono: [Float] = []
  private var origin = 0
  /// The second half of the window before, faded out.
  private var tail: [[Float]]
  /// Where that window would go on; nil before the first.
  private var continuation: Int?
  private var count = 0

  init(channels: Int, rate: Int, speed: Double) {
    self.channels = channels
    self.speed = speed
    hop = max(64, rate * 23 / 1000)
    tolerance = max(16, rate * 12 / 1000)
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
  }

  /// Blocks of one hop, as many as there is input for; at the end all.
  func take(ends: Bool) -> [[[Float]]] {
    var blocks: [[[Float]]] = []
    while true {
      let ideal = Int((Double(count * hop) * speed).rounded())
      let available = origin + mono.count
      if ends {
        guard ideal < available else { break }
      } else {
        guard ideal + tolerance + 2 * hop <= available,
          (continuation ?? 0) + hop <= available
        else { break }
      }
      let position = best(near: ideal)
      blocks.append(block(at: position))
      count += 1
      continuation = position + hop
      forget(before: min(position + hop, Int((Double(count * hop) * speed).rounded()) - tolerance))
    }
    return blocks
  }

  /// One hop of output: the window before fading into the one at `position`.
  private func block(at position: Int) -> [[Float]] {
    var block: [[Float]] = []
    for channel in 0..<channels {
      let from = position - origin
      func sample(_ index: Int) -> Float {
        input[channel].indices.contains(index) ? input[channel][index] : 0
      }
      var out = [Float](repeating: 0, count: hop)
      var rest = out
      for index in 0..<hop {
        // The first window has none before it: it starts as it is.
        let fade = continuation == nil ? 1 : window[index]
        out[index] = tail[channel][index] + sample(from + index) * fade
        rest[index] = sample(from + hop + index) * (1 - window[index])
      }
      tail[channel] = rest
      block.append(out)
    }
    return block
  }

  /// Where near `ideal` the input is most like what would follow the window before.
  private func best(near ideal: Int) -> Int {
    guard let continuation else { return ideal }
    let low = max(origin, ideal - tolerance)
    let high = min(ideal + tolerance, origin + mono.count - hop)
    guard low < high, continuation >= origin, continuation + hop <= origin + mono.count else {
      return max(ideal, origin)
    }
    let coarse = search(stride(from: low, through: high, by: 4), continuation, step: 4)
    return search(
      stride(from: max(low, coarse - 3), through: min(high, coarse + 3), by: 1), continuation,
      step: 1)
  }

  private func search(_ places: StrideThrough<Int>, _ continuation: Int, step: Int) -> Int {
    mono.withUnsafeBufferPointer { mono in
      let wanted = continuation - origin
      var best = (place: continuation, likeness: -Float.infinity)
      for place in places {
        let from = place - origin
        var (product, energy): (Float, Float) = (0, 1e-9)
        var index = 0
        while index < hop {
          let sample = mono[from + index]
          product += sample * mono[wanted + index]
          energy += sample * sample
          index += step
        }
        let likeness = product / energy.squareRoot()
        if likeness > best.likeness { best = (place, likeness) }
      }
      return best.place
    }
  }

  private func forget(before place: Int) {
    let gone = min(max(0, place - origin), mono.count)
    guard gone > 65536 else { return }
    mono.removeFirst(gone)
    for channel in input.indices { input[channel].removeFirst(gone) }
    origin += gone
  }
}
