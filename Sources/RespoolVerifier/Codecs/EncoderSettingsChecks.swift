import RespoolHost
import RespoolMedia

/// Checks that an encoder takes the options that it declares, and refuses what is impossible with a reason.
struct EncoderSettingsChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    let schemas = trial.factory.description.options
    if !schemas.isEmpty {
      report.check("\(trial.codec): default options") { () throws(Finding) in
        for schema in schemas {
          guard let value = schema.defaultValue, schema.problem(with: value) == nil else {
            continue
          }
          if let refusal = try refusal({ $0.options = [PluginOption(schema.name, value)] }) {
            throw Finding(
              "the default \(value) of the option \(schema.name) is refused: \(refusal)")
          }
        }
        return "accepted when they are set"
      }
      report.check("\(trial.codec): options at their limits") { () throws(Finding) in
        var refused = 0
        for schema in schemas {
          for value in schema.extremes
          where try refusal({ $0.options = [PluginOption(schema.name, value)] }) != nil {
            refused += 1
          }
        }
        return "\(refused) refused, with a reason"
      }
    }
    if let control = trial.factory.description.rateControl {
      report.check("\(trial.codec): quality and bit rate") { () throws(Finding) in
        try check(control)
      }
    }
    report.check("\(trial.codec): impossible settings") { () throws(Finding) in
      trial.isVideo ? try impossibleVideo() : try impossibleAudio()
    }
  }

  /// Opens encoders at the limits that the extension RSP_ENCODING states.
  private func check(_ control: RateControl) throws(Finding) -> String {
    if let scale = control.quality {
      for quality in [scale.range.lowerBound, scale.range.upperBound]
        + (scale.usual.map { [$0] } ?? [])
      {
        if let refusal = try refusal({ $0.quality = quality }) {
          throw Finding("the quality \(quality), which RSP_ENCODING states, is refused: \(refusal)")
        }
      }
    }
    // Sizes and channels determine which bit rates make sense, so a refusal is allowed.
    for rate in [control.bitRates?.lowerBound, control.bitRates?.upperBound] {
      if let rate { _ = try refusal { $0.bitRate = rate } }
    }
    return "the stated qualities are accepted"
  }

  private func impossibleVideo() throws(Finding) -> String {
    guard try refusal({ ($0.track.width, $0.track.height) = (0, 0) }) != nil else {
      throw Finding("opened for frames of 0x0 pixels; an error was expected")
    }
    _ = try refusal { $0.track.pixelFormat = .none }
    _ = try refusal { $0.track.pixelFormat = PixelFormat(rawValue: 4_000_000_000) }
    _ = try refusal { ($0.track.width, $0.track.height) = (1, 1) }
    _ = try refusal { $0.track.timeBase = .unknown }
    let unlisted: [PixelFormat] = [.yuv420p, .rgba, .gray]
    for format in unlisted where !trial.factory.description.pixelFormats.contains(format) {
      _ = try refusal { $0.track.pixelFormat = format }
    }
    return "refused with a reason"
  }

  private func impossibleAudio() throws(Finding) -> String {
    guard try refusal({ $0.track.channelLayout = ChannelLayout(channelCount: 0) }) != nil else {
      throw Finding("opened for audio without channels; an error was expected")
    }
    _ = try refusal { $0.track.channelLayout = ChannelLayout(channelCount: 64) }
    _ = try refusal { $0.track.sampleRate = 1 }
    _ = try refusal { $0.track.sampleFormat = .none }
    _ = try refusal { $0.track.sampleFormat = .u8p }
    return "refused with a reason"
  }

  /// Opens an encoder with changed settings, and returns its refusal; `nil` if it opens.
  private func refusal(_ change: (inout EncoderSettings) -> Void) throws(Finding) -> String? {
    var settings = EncoderSettings(track: trial.input.track)
    change(&settings)
    var checked: MediaError?
    do throws(MediaError) {
      let settings = settings
      try PluginCall.run("check") { () throws(MediaError) in
        try trial.factory.checkEncoder(settings)
      }
    } catch { checked = error }
    do throws(MediaError) {
      try PluginCall.open(trial.factory, settings)
    } catch {
      let text = try message(of: error)
      guard checked != nil else {
        throw Finding(
          "check of RSP_ENCODING accepts settings that open refuses: \(error.message)",
          cause: "check and open differ")
      }
      return text
    }
    if let checked {
      throw Finding(
        "check of RSP_ENCODING refuses settings that open accepts: \(checked.message)",
        cause: "check and open differ")
    }
    return nil
  }
}

extension OptionSchema {
  /// The smallest and the greatest value, or all choices.
  fileprivate var extremes: [String] {
    switch type {
    case .bool: ["false", "true"]
    case .int(let range): [String(range.lowerBound), String(range.upperBound)]
    case .number(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
    case .choice(let words): words
    case .text: ["", "no such value"]
    }
  }
}
