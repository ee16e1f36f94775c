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
    report.check("\(trial.codec): impossible settings") { () throws(Finding) in
      trial.isVideo ? try impossibleVideo() : try impossibleAudio()
    }
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
    do throws(MediaError) {
      try PluginCall.open(trial.factory, settings)
      return nil
    } catch { return try message(of: error) }
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
