import RespoolMedia

/// Gain of each input channel in each output channel.
///
/// According to ITU-R BS.775-3 annex 4, center and surround channels go into the front at -3 dB, and the
/// low-frequency channel is dropped. The rules for all other pairs of layouts, and their order, are those of
/// libswresample.
struct ChannelMatrix: Equatable {
  /// `gains[output][input]`.
  private(set) var gains: [[Double]]

  private static let (frontLeft, frontRight, frontCenter, lowFrequency) = (0, 1, 2, 3)
  private static let (backLeft, backRight, leftOfCenter, rightOfCenter) = (4, 5, 6, 7)
  private static let (backCenter, sideLeft, sideRight) = (8, 9, 10)
  private static let halfPower = 0.5.squareRoot()

  /// Creates the matrix; if the output could exceed full scale, all gains are reduced by the same factor.
  ///
  /// FFmpeg does that only for integer output. Here it is always done, because an encoder follows, and its
  /// decoders clip.
  init(from source: ChannelLayout, to target: ChannelLayout) {
    let (source, target) = (Self.resolved(source), Self.resolved(target))
    guard source.mask != 0, target.mask != 0 else {
      // Unknown loudspeakers: channel by channel.
      gains = (0..<target.channelCount).map { output in
        (0..<source.channelCount).map { $0 == output ? 1 : 0 }
      }
      return
    }
    let inputs = Self.speakers(source.mask)
    let outputs = Self.speakers(target.mask)
    var mixing = Mixing(inputs: inputs, outputs: outputs)
    mixing.mixMissing()
    gains = outputs.map { output in
      inputs.map { mixing.gains[Mixing.Pair(output: output, input: $0)] ?? 0 }
    }
    let loudest = gains.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 0
    if loudest == 0 {
      gains = outputs.indices.map { output in inputs.indices.map { $0 == output ? 1 : 0 } }
    } else if loudest > 1 {
      gains = gains.map { $0.map { $0 / loudest } }
    }
  }

  /// Returns stereo for stereo downmixed from more channels (WAVE bits 29 and 30).
  private static func resolved(_ layout: ChannelLayout) -> ChannelLayout {
    layout.mask == 0x6000_0000 ? .stereo : layout.resolved
  }

  private static func speakers(_ mask: UInt64) -> [Int] {
    (0..<64).filter { mask >> UInt64($0) & 1 == 1 }
  }

  /// `true` if every output is the unchanged input of the same number.
  var isIdentity: Bool {
    gains.count == gains.first?.count
      && gains.enumerated().allSatisfy { output, row in
        row.enumerated().allSatisfy { $1 == ($0 == output ? 1 : 0) }
      }
  }

  /// Gains by loudspeaker while the matrix is built.
  private struct Mixing {
    struct Pair: Hashable {
      var output: Int
      var input: Int
    }
    let inputs: Set<Int>
    let outputs: Set<Int>
    var gains: [Pair: Double] = [:]

    init(inputs: [Int], outputs: [Int]) {
      self.inputs = Set(inputs)
      self.outputs = Set(outputs)
      for speaker in self.inputs.intersection(self.outputs) { add(speaker, speaker, 1) }
    }

    private mutating func add(_ input: Int, _ output: Int, _ gain: Double) {
      gains[Pair(output: output, input: input), default: 0] += gain
    }

    private mutating func add(_ pair: (Int, Int), _ to: (Int, Int), _ gain: Double) {
      add(pair.0, to.0, gain)
      add(pair.1, to.1, gain)
    }

    private func misses(_ speaker: Int) -> Bool {
      inputs.contains(speaker) && !outputs.contains(speaker)
    }

    private func hasBoth(_ set: Set<Int>, _ pair: (Int, Int)) -> Bool {
      set.contains(pair.0) && set.contains(pair.1)
    }

    /// Mixes every input without a loudspeaker in the target into other outputs.
    mutating func mixMissing() {
      let front = (frontLeft, frontRight)
      let back = (backLeft, backRight)
      let side = (sideLeft, sideRight)
      if misses(frontCenter), hasBoth(outputs, front) {
        // Both loudspeakers play a mono channel at full level, as in players; FFmpeg reduces it by 3 dB.
        add((frontCenter, frontCenter), front, inputs.count == 1 ? 1 : halfPower)
      }
      if misses(frontLeft), misses(frontRight), outputs.contains(frontCenter) {
        add(front, (frontCenter, frontCenter), halfPower)
        if inputs.contains(frontCenter) {
          gains[Pair(output: frontCenter, input: frontCenter)] = 1
        }
      }
      if misses(backCenter) {
        if hasBoth(outputs, back) {
          add((backCenter, backCenter), back, halfPower)
        } else if hasBoth(outputs, side) {
          add((backCenter, backCenter), side, halfPower)
        } else if hasBoth(outputs, front) {
          add((backCenter, backCenter), front, halfPower * halfPower)
        } else if outputs.contains(frontCenter) {
          add(backCenter, frontCenter, halfPower * halfPower)
        }
      }
      if misses(backLeft), misses(backRight) { mixSurround(back, side) }
      if misses(sideLeft), misses(sideRight) { mixSurround(side, back) }
      if misses(leftOfCenter), misses(rightOfCenter) {
        let pair = (leftOfCenter, rightOfCenter)
        if hasBoth(outputs, front) {
          add(pair, front, 1)
        } else if outputs.contains(frontCenter) {
          add(pair, (frontCenter, frontCenter), halfPower)
        }
      }
    }

    /// Mixes a surround pair into the other surround pair, a back center, the front pair or the center.
    private mutating func mixSurround(_ pair: (Int, Int), _ other: (Int, Int)) {
      if pair.0 == backLeft, outputs.contains(backCenter) {
        add(pair, (backCenter, backCenter), halfPower)
      } else if hasBoth(outputs, other) {
        add(pair, other, hasBoth(inputs, other) ? halfPower : 1)
      } else if outputs.contains(backCenter) {
        add(pair, (backCenter, backCenter), halfPower)
      } else if hasBoth(outputs, (frontLeft, frontRight)) {
        add(pair, (frontLeft, frontRight), halfPower)
      } else if outputs.contains(frontCenter) {
        add(pair, (frontCenter, frontCenter), halfPower * halfPower)
      }
    }
  }
}
