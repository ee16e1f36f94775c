import RespoolHost
import RespoolMedia

/// Checks of an encoder: its packets are complete, in order, decodable, and show what was sent.
struct EncoderChecks {
  let factory: PluginFactory
  let finder: CodecFinder

  func run(_ report: Report) {
    for codec in factory.description.codecs {
      let inputs = EncoderInput.all(of: factory.description, codec)
      checkFormats(codec, inputs, report)
      guard let input = usable(inputs, report).map({ accepted($0, report) }) else { continue }
      let trial = EncoderTrial(factory: factory, finder: finder, input: input)
      FrameCountChecks(trial: trial).run(report)
      PacketTimeChecks(trial: trial).run(report)
      report.check("\(codec): content") { () throws(Finding) in try trial.content() }
      RepeatabilityChecks(trial: trial).run(report)
      if input.track.kind == .video {
        KeyFrameChecks(trial: trial).run(report)
        FrameLayoutChecks(trial: trial).run(report)
      } else {
        AudioFormatChecks(trial: trial).run(report)
      }
      ConfigurationChecks(trial: trial).run(report)
      BitstreamFactsCheck(trial: trial).run(report)
      EncoderLifetimeChecks(trial: trial).run(report)
      EncoderSettingsChecks(trial: trial).run(report)
      RateEffectChecks(trial: trial).run(report)
      TwoPassCheck(trial: trial).run(report)
    }
  }

  /// Returns the input in a size that the encoder accepts.
  private func accepted(_ input: EncoderInput, _ report: Report) -> EncoderInput {
    guard input.track.kind == .video else { return input }
    var accepted = input
    report.prepare("\(input.track.codec): a size that is accepted") {
      accepted = input.accepted(by: factory)
    }
    return accepted
  }

  /// `true` if a codec may refuse a listed format: the formats listed are those of all codecs together.
  private var mayRefuse: Bool { factory.description.codecs.count > 1 }

  /// Returns the first input that is accepted; the first one if none is.
  private func usable(_ inputs: [EncoderInput], _ report: Report) -> EncoderInput? {
    guard mayRefuse, let codec = inputs.first?.track.codec else { return inputs.first }
    var usable: EncoderInput?
    report.prepare("\(codec): a format that is accepted") {
      usable = inputs.first { refusal(of: $0) == nil }
    }
    return usable ?? inputs.first
  }

  /// Checks that each listed format is encoded.
  private func checkFormats(_ codec: String, _ inputs: [EncoderInput], _ report: Report) {
    for input in inputs {
      let track = input.track
      let format = track.kind == .video ? track.pixelFormat.name : track.sampleFormat.name
      report.check("\(codec) from \(format)") { () throws(Finding) in
        var input = input.accepted(by: factory)
        if mayRefuse, let refusal = refusal(of: input) {
          guard refusal.code == .unsupported || refusal.code == .invalidArgument else {
            throw Finding("the encoder cannot be opened: \(refusal)")
          }
          return try message(of: refusal)
        }
        input.count = 4
        let trial = EncoderTrial(factory: factory, finder: finder, input: input)
        _ = try trial.encoding.get()
        return try trial.content()
      }
    }
  }

  /// Returns the encoder's refusal of this input; `nil` if the encoder opens.
  private func refusal(of input: EncoderInput) -> MediaError? {
    do throws(MediaError) {
      try PluginCall.open(factory, EncoderSettings(track: input.track))
      return nil
    } catch { return error }
  }
}
