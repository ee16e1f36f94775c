import RespoolHost
import RespoolMedia

/// Check that an encoder writes color, range, pixel aspect ratio and HDR metadata of its input into the bitstream.
struct BitstreamFactsCheck {
  let trial: EncoderTrial

  func run(_ report: Report) {
    guard trial.isVideo, BitstreamFacts.codecs.contains(trial.codec) else { return }
    report.check("\(trial.codec): color, pixel aspect ratio and HDR") { () throws(Finding) in
      // Wrong packets and records are the subject of other checks.
      try trial.requireContent()
      let encoding = try trial.encoding.get()
      try Finding.require { () throws(Finding) in
        try ConfigurationChecks.check(
          encoding.track, encoding.packets, sampleCount: encoding.sampleCount)
      }
      try KeyFlagCheck(track: encoding.track, packets: encoding.packets).run()
      guard trial.input.track.pixelFormat.name.hasPrefix("yuv") else {
        throw .skipped("the color of \(trial.input.track.pixelFormat.name) is not compared")
      }
      var words: [String] = []
      var refusals: [String] = []
      for track in tracks {
        var input = trial.input
        (input.track, input.count) = (track, 4)
        do throws(MediaError) { try PluginCall.open(trial.factory, input.settings) } catch {
          refusals.append(try message(of: error))
          continue
        }
        words.append(try check(input))
      }
      guard let found = words.last else { throw .skipped("refused: \(refusals[0])") }
      return found
    }
  }

  /// Two inputs with different values in each field, so that constants are found.
  private var tracks: [TrackDescription] {
    var first = trial.input.track
    first.color = ColorDescription(
      primaries: H273.Primaries.bt2020, transfer: H273.Transfer.pq,
      matrix: Self.nonConstantLuminance, range: .limited)
    first.sampleAspect = Rational(4, 3)
    first.sideData = [
      SideData(.masteringDisplay, Self.display.bytes),
      SideData(.contentLightLevel, Self.light.bytes),
    ]
    var second = trial.input.track
    second.color = ColorDescription.bt601PAL
    second.color.range = .full
    second.sampleAspect = Rational(16, 11)
    return [first, second]
  }

  /// Matrix of BT.2020 with non-constant luminance (ITU-T H.273 8.3).
  private static let nonConstantLuminance: UInt8 = 9
  private static let display = MasteringDisplay(
    red: .init(0.68, 0.32), green: .init(0.265, 0.69), blue: .init(0.15, 0.06),
    whitePoint: .init(0.3127, 0.329), maximumLuminance: 12_340_000, minimumLuminance: 50)
  private static let light = ContentLightLevel(maximum: 987, maximumAverage: 321)

  private func check(_ input: EncoderInput) throws(Finding) -> String {
    let encoding = try trial.encode(input).get()
    guard let facts = try BitstreamFacts(encoding.track, encoding.packets) else {
      throw .skipped("the bitstream of \(encoding.track.codec) is not known to state such facts")
    }
    var problems = facts.problems(input.track)
    if !input.track.sideData.isEmpty, !facts.hasMatrixOnly { problems += missing(in: encoding) }
    if problems.isEmpty { problems = decodedProblems(encoding) }
    guard problems.isEmpty else {
      throw Finding(
        problems.joined(separator: "; "), cause: "the bitstream has other facts than the input")
    }
    return "those of the input"
  }

  /// Returns the HDR metadata of the input that the packets do not have.
  private func missing(in encoding: Encoding) -> [String] {
    let messages = HighDynamicRangeMessages(encoding.track, encoding.packets)
    var problems: [String] = []
    let sent = Double(Self.display.maximumLuminance)
    if let luminance = messages.displayLuminance {
      // Some bitstreams store fractions of another denominator.
      if !(0.98...1.02).contains(luminance / sent) {
        problems.append(
          "the mastering display in the bitstream has a luminance of \((luminance / 10_000).decimalText) cd/m2; "
            + "\((sent / 10_000).decimalText) was sent")
      }
    } else {
      problems.append("the bitstream has no mastering display; mdcv was in side_data")
    }
    guard let light = messages.light else {
      return problems + ["the bitstream has no content light level; clli was in side_data"]
    }
    if light != Self.light {
      problems.append(
        "the content light level in the bitstream is \(light.maximum) and \(light.maximumAverage); "
          + "\(Self.light.maximum) and \(Self.light.maximumAverage) were sent")
    }
    return problems
  }

  /// Returns what a decoder reads otherwise from the bitstream and the record alone.
  private func decodedProblems(_ encoding: Encoding) -> [String] {
    var track = encoding.track
    (track.color, track.sampleAspect, track.sideData) = (.unspecified, .unknown, [])
    guard let decoded = try? trial.decode(encoding.packets, track),
      let color = decoded.frames.first?.color
    else { return [] }
    let sent = encoding.input.track.color
    var problems: [String] = []
    if color.matrix != H273.unspecified, color.matrix != sent.matrix {
      problems.append(
        "\(decoded.decoder) decodes the matrix \(color.matrix); \(sent.matrix) was sent")
    }
    if color.range != .unspecified, color.range != sent.range {
      problems.append("\(decoded.decoder) decodes the range \(color.range); \(sent.range) was sent")
    }
    return problems
  }
}
