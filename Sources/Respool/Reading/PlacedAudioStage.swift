import RespoolMedia

/// Places the audio of a composition's segment on the time line, exact to the audio sample.
///
/// The output starts at the first sample of the target and has no gaps; gaps of the source are filled with
/// silence. If the target is longer or shorter than the source, the audio is played slower or faster. If
/// `AudioStretch` cannot play that speed, the output is silent.
final class PlacedAudioStage: Stage {
  private let audioFormat: AudioFormat
  /// Start of the source.
  ///
  /// In audio samples.
  private let start: Int64
  /// Target range on the composition's time line.
  ///
  /// In audio samples.
  private let target: Range<Int64>
  private let next: any Stage<Frame>
  private let stretch: AudioStretch?
  private let isSilent: Bool
  /// Audio samples taken from the source.
  private var taken: Int64 = 0
  /// Audio samples to take from the source.
  private let sourceCount: Int64
  /// Position in the target after the last output, in audio samples.
  private var outputPosition: Int64

  /// Longest silence that is added at the end of the media, in seconds.
  ///
  /// A file may state a duration of hours without media.
  private static let maximumSilence = 1.0

  init(
    audioFormat: AudioFormat, source: TimeRange, target: TimeRange,
    algorithm: AudioTimePitchAlgorithm,
    to next: any Stage<Frame>
  ) throws(MediaError) {
    self.audioFormat = audioFormat
    self.next = next
    let rate = Int32(clamping: audioFormat.sampleRate)
    func samples(_ time: MediaTime) -> Int64 {
      let converted = time.convertScale(rate, method: .default)
      return converted.isNumeric ? converted.value : 0
    }
    let count = samples(source.end) - samples(source.start)
    self.target = samples(target.start)..<max(samples(target.start), samples(target.end))
    outputPosition = self.target.lowerBound
    let length = Int64(self.target.count)
    // Times without a common time base are rounded: one sample more or less is not another speed.
    let isPlain = abs(count - length) <= 1
    // The offset is the same for all segments that are also adjacent in the file, so that no sample is heard
    // twice.
    start =
      isPlain
      ? self.target.lowerBound + samples(source.start - target.start) : samples(source.start)
    sourceCount = isPlain ? length : count
    isSilent = !isPlain && !AudioStretch.canPlay(count, as: length)
    stretch =
      isPlain || isSilent
      ? nil
      : try AudioStretch(audioFormat: audioFormat, from: count, to: length, algorithm: algorithm)
  }

  func consume(_ frame: Frame) throws(MediaError) {
    guard let pts = frame.pts else { return }
    let position = pts - start
    if position > taken { try silence(position - taken) }
    let late = Int(clamping: taken - position)
    guard late < frame.sampleCount else { return }
    let over = Int(clamping: max(0, position + Int64(frame.sampleCount) - sourceCount))
    guard
      let part = late > 0 || over > 0
        ? frame.droppingSamples(
          front: late, back: min(over, frame.sampleCount - late),
          timeBase: Rational(1, Int32(clamping: audioFormat.sampleRate))) : frame
    else { return }
    try take(part)
  }

  func finish() throws(MediaError) {
    let missing = sourceCount - taken
    if missing > 0, Double(missing) <= Self.maximumSilence * Double(audioFormat.sampleRate) {
      try silence(missing)
    }
    if let stretch { for frame in try stretch.finish() { try output(frame) } }
    if isSilent {
      try audioFormat.silence(target.upperBound - outputPosition) { (block) throws(MediaError) in
        try output(block)
      }
    }
    try next.finish()
  }

  private func take(_ frame: Frame) throws(MediaError) {
    taken += Int64(frame.sampleCount)
    if isSilent { return }
    guard let stretch else { return try output(frame) }
    for frame in try stretch.process(frame) { try output(frame) }
  }

  private func silence(_ count: Int64) throws(MediaError) {
    try audioFormat.silence(count) { (block) throws(MediaError) in try take(block) }
  }

  private func output(_ frame: Frame) throws(MediaError) {
    let room = Int(clamping: target.upperBound - outputPosition)
    guard room > 0 else { return }
    var frame = frame
    if frame.sampleCount > room {
      guard
        let cut = frame.droppingSamples(
          front: 0, back: frame.sampleCount - room,
          timeBase: Rational(1, Int32(clamping: audioFormat.sampleRate)))
      else { return }
      frame = cut
    }
    frame.pts = outputPosition
    frame.duration = Int64(frame.sampleCount)
    outputPosition += Int64(frame.sampleCount)
    try next.consume(frame)
  }
}
