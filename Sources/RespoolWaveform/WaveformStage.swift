import RespoolMedia

/// Passes decoded audio to the reduction in one format and without gaps.
///
/// The first frame sets the sample rate and the channels. Later frames that differ are converted, and gaps
/// are filled with silence, as in a conversion.
final class WaveformStage: Stage {
  private let timeBase: Rational
  private let reduction: ReductionStage
  private var audio: AudioConversionStage?

  init(timeBase: Rational, to reduction: ReductionStage) {
    self.timeBase = timeBase
    self.reduction = reduction
  }

  func consume(_ frame: Frame) throws(MediaError) {
    if let audio { return try audio.consume(frame) }
    let audio = AudioConversionStage(output: AudioFormat(frame), timeBase: timeBase, to: reduction)
    self.audio = audio
    try audio.consume(frame)
  }

  func finish() throws(MediaError) {
    if let audio { try audio.finish() } else { reduction.finish() }
  }
}
