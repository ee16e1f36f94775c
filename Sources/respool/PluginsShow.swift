import ArgumentParser
import Respool
import RespoolMedia

struct PluginsShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Explains a plugin, container, decoder, encoder or filter, with all its options.",
    discussion: """
      Examples:
        respool plugins show x264
        respool plugins show ISOMedia
      """)

  @Argument(
    help: "The name of a plugin, a container, a decoder, an encoder or a filter.",
    completion: Completions.plugins)
  var name: String

  func run() throws {
    let plugins = PluginRegistry().plugins
    let named = plugins.filter { $0.name == name }
    if !named.isEmpty {
      for plugin in named { show(plugin, plugin.factories) }
      return
    }
    let wanted = name
    func matches(_ factory: FactoryDescription) -> Bool {
      factory.name == wanted || factory.aliases.contains(wanted)
    }
    var count = 0
    for plugin in plugins where plugin.status == .ok {
      let factories = plugin.factories.filter(matches)
      if factories.isEmpty { continue }
      show(plugin, factories)
      count += 1
    }
    if count == 0, let plugin = plugins.first(where: { $0.name.lowercased() == name.lowercased() })
    {
      show(plugin, plugin.factories)
      count += 1
    }
    guard count > 0 else {
      let names = plugins.flatMap { [$0.name] + $0.factories.map(\.name) }
      let nearest = Spelling.nearest(to: name, among: names).map { "did you mean \($0)? " } ?? ""
      CommandError.note(
        "respool: no plugin is called or provides \"\(name)\"; \(nearest)"
          + "`respool plugins list` shows all")
      throw ExitCode(1)
    }
  }

  private func show(_ plugin: PluginRecord, _ factories: [FactoryDescription]) {
    CommandOutput.show("\(plugin.name) \(plugin.version)".trimmedEnd)
    CommandOutput.show("  file: \(plugin.path)")
    if !plugin.license.isEmpty { CommandOutput.show("  license: \(plugin.license)") }
    if let abi = plugin.abi { CommandOutput.show("  plugin ABI: \(abi)") }
    if plugin.status != .ok {
      CommandOutput.show("  \(plugin.status.rawValue): \(plugin.reason ?? "")")
      if let advice = plugin.advice { CommandOutput.show("  what to do: \(advice)") }
    }
    for factory in factories {
      CommandOutput.show("\n  \(factory.kind) \(factory.name): \(factory.longName)")
      CommandOutput.show("    rank: \(factory.tier)")
      if let media = factory.filteredMedia { CommandOutput.show("    filters: \(media)") }
      line("also called", factory.aliases)
      line("extensions", factory.extensions)
      line("MIME types", factory.mimeTypes)
      line(
        "codecs",
        factory.codecs + (factory.flags.contains(.anyCodec) ? ["others, checked when needed"] : []))
      line("pixel formats", factory.pixelFormats.map(\.name))
      line("sample formats", factory.sampleFormats.map(\.name))
      line("sample rates", factory.sampleRates.map { "\($0)" })
      line("channel layouts", factory.channelLayouts.map { "\($0)" })
      if let counts = factory.channelCounts {
        CommandOutput.show("    channels: \(counts.lowerBound) to \(counts.upperBound)")
      }
      if let control = factory.rateControl { show(control) }
      if factory.kind == .muxer {
        line("keeps", keeps(factory.flags))
        line("cannot state", factory.flags.contains(.presentsDelay) ? ["delay of encoders"] : [])
      }
      line("supports", supports(factory.flags))
      line("your choices", factory.chosenOptions.map { "\($0.name) \($0.value)" })
      if factory.options.isEmpty { continue }
      CommandOutput.show("    options:")
      let rows = factory.options.map {
        ["      \($0.name)", values($0.type), $0.defaultValue ?? "", $0.help]
      }
      CommandOutput.show(table([["      NAME", "VALUES", "DEFAULT", "MEANING"]] + rows))
    }
    CommandOutput.show("")
  }

  private func show(_ control: RateControl) {
    CommandOutput.show("    encodes: \(control.kind)")
    if let scale = control.quality {
      let range = "\(scale.range.lowerBound.decimalText) to \(scale.range.upperBound.decimalText)"
      var words = ["\(range), \(scale.isLowerBetter ? "lower" : "higher") is better"]
      if scale.step > 0 { words.append("in steps of \(scale.step.decimalText)") }
      if let usual = scale.usual { words.append("\(usual.decimalText) by default") }
      CommandOutput.show("    quality: \(words.joined(separator: ", "))")
    }
    if let rates = control.bitRates {
      let most = rates.upperBound == .max ? " up" : " to \(rates.upperBound)"
      CommandOutput.show("    bit rates: from \(rates.lowerBound)\(most) bits per second")
    }
  }

  private func line(_ title: String, _ words: [String]) {
    if words.isEmpty { return }
    let lines = wrapped(words, width: 80)
    CommandOutput.show("    \(title): \(lines[0])")
    for line in lines.dropFirst() { CommandOutput.show("      \(line)") }
  }

  private func keeps(_ flags: FactoryDescription.Flags) -> [String] {
    [
      flags.contains(.keepsRotation) ? "rotation" : nil,
      flags.contains(.keepsChapters) ? "chapters" : nil,
      flags.contains(.keepsTypedTags) ? "typed tags" : nil,
      flags.contains(.hidesPictures) ? "hidden frames" : nil,
      flags.contains(.keepsEditRates) ? "edit rates" : nil,
      flags.contains(.writesStills) ? "one still image" : nil,
      flags.contains(.joinsPieces) ? "joined clips" : nil,
      flags.contains(.writesReferences) ? "references to other files" : nil,
      flags.contains(.keepsFormats) ? "several sample descriptions in a track" : nil,
      flags.contains(.keepsCaptions) ? "closed captions" : nil,
      flags.contains(.keepsDolbyVision) ? "Dolby Vision" : nil,
      flags.contains(.variableFrameRate) ? "variable frame rate" : nil,
      flags.contains(.keepsGaps) ? "gaps in PCM" : nil,
    ].compactMap(\.self)
  }

  private func supports(_ flags: FactoryDescription.Flags) -> [String] {
    [
      flags.contains(.exactEnd) ? "exact ends of audio" : nil,
      flags.contains(.shownStart) ? "time 0 after the encoder delay" : nil,
      flags.contains(.shownTimes) ? "times of frames that the file does not store" : nil,
      flags.contains(.lowDelay) ? "low delay" : nil,
      flags.contains(.twoPasses) ? "two passes" : nil,
      flags.contains(.writesSegments) ? "segments" : nil,
      flags.contains(.changesTimes) ? "other times of frames" : nil,
      flags.contains(.measuresOnly) ? "measurements only" : nil,
    ].compactMap(\.self)
  }

  private func values(_ type: OptionSchema.ValueType) -> String {
    switch type {
    case .bool: "true, false"
    case .int(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .choice(let words): words.joined(separator: ", ")
    case .text: "text"
    }
  }
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
