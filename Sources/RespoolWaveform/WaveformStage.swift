import RespoolMedia

/// Passes decoded audio to the reduction in one format and without gaps.
///
/// The first frame sets the sample rate and the channels. Later frames that differ are converted, and gaps
/// are filled with silence, as in a conversion.
final class WaveformStage: Stage {
  private let timeBase: Rational
  private let reduction: ReductionStage
  private var sound: AudioConversionStage?

  init(timeBase: Rational, to reduction: ReductionStage) {
    self.timeBase = timeBase
    self.reduction = reduction
  }

  func consume(_ frame: Frame) throws(MediaError) {
    if let sound { return try sound.consume(frame) }
    let sound = AudioConversionStage(output: AudioFormat(frame), timeBase: timeBase, to: reduction)
    self.sound = sound
    try sound.consume(frame)
  }

  func finish() throws(MediaError) {
    if let sound { try sound.finish() } else { reduction.finish() }
  }
}
