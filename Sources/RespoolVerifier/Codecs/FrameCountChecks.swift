import RespoolHost
import RespoolMedia

/// Checks that as much comes out of an encoder as went in.
struct FrameCountChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    report.check("\(trial.codec): every frame") { () throws(Finding) in
      trial.isVideo ? try video() : try audio()
    }
  }

  private func video() throws(Finding) -> String {
    let encoding = try trial.encoding.get()
    let sent = encoding.input.count
    let shown = encoding.packets.filter { !$0.flags.contains(.discard) }.count
    if shown < sent, trial.factory.description.flags.contains(.dropsFrames) {
      throw .skipped(
        "\(shown.counting("packet")) for \(sent.counting("frame")): the plugin declares that it "
          + "leaves out frames")
    }
    guard shown == sent else {
      throw Finding(
        "\(shown.counting("packet")) for \(sent.counting("frame")): \(difference(shown, sent))")
    }
    guard let (frames, decoder) = try trial.decoded.get() else { return shown.counting("packet") }
    guard frames.count == sent else {
      throw Finding(
        "\(decoder) decodes \(frames.count) of \(sent.counting("frame")): "
          + "\(difference(frames.count, sent))",
        cause: "\(decoder) decodes another number of frames than there are packets")
    }
    return sent.counting("frame")
  }

  private func difference(_ count: Int, _ expected: Int) -> String {
    count < expected
      ? "frames are missing, perhaps those that the encoder held when it was drained"
      : "there are more than were sent"
  }

  func audio() throws(Finding) -> String {
    let encoding = try trial.encoding.get()
    guard let (frames, decoder) = try trial.decoded.get() else { throw trial.withoutDecoder }
    let count = try AudioComparison(encoding).samples(frames).count
    let sent = Int(encoding.sampleCount)
    guard count == sent else {
      // Audio that is shifted also has another end.
      try trial.requireContent()
      let trim = encoding.packets.last?.trimEnd ?? 0
      throw Finding(
        "\(decoder) decodes \(count) audio samples, without initial_padding "
          + "(\(encoding.track.initialPadding)) and trim_end of the last packet (\(trim)); "
          + "\(sent) were sent: "
          + (count < sent ? "audio is missing" : "trim_end must be the length of the padding"))
    }
    return "\(sent) audio samples"
  }
}
