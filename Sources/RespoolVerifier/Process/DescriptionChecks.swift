import RespoolHost
import RespoolMedia

/// Checks of a plugin's description, without running the plugin's code.
enum DescriptionChecks {
  static func run(_ plugin: PluginRecord) -> [CheckResult] {
    var results: [CheckResult] = []
    results.append(
      result(
        "names",
        problems: [
          plugin.version.isEmpty ? "the version is empty" : nil,
          LicenseExpression.problem(plugin.license).map {
            "the license \"\(plugin.license)\" is no SPDX expression: \($0)"
          },
        ]))
    for factory in plugin.factories {
      let subject = "\(factory.kind) \(factory.name)"
      results.append(result("\(subject): names", problems: names(factory)))
      results.append(result("\(subject): lists", problems: lists(factory)))
      results.append(result("\(subject): options", problems: factory.options.flatMap(option)))
    }
    return results
  }

  private static func result(_ name: String, problems: [String?]) -> CheckResult {
    let found = problems.compactMap(\.self)
    return CheckResult(
      name: name, passed: found.isEmpty,
      detail: found.isEmpty ? "no problems found" : found.joined(separator: "; "))
  }

  private static func names(_ factory: FactoryDescription) -> [String?] {
    let all = [factory.name] + factory.aliases + factory.codecs + factory.extensions
    return all.map { name in
      guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        return "the name \"\(name)\" is empty or contains other characters than visible ASCII"
      }
      return name == name.lowercased() ? nil : "the name \(name) is not in lower case"
    } + [
      factory.longName.isEmpty || factory.longName.contains("\n")
        ? "the long name is not one line" : nil
    ]
  }

  private static func lists(_ factory: FactoryDescription) -> [String?] {
    var problems: [String?] = []
    let isContainer = factory.kind == .demuxer || factory.kind == .muxer
    problems.append(
      factory.extensions.contains { $0.hasPrefix(".") } ? "an extension starts with a dot" : nil)
    problems.append(
      !isContainer && factory.kind != .filter && factory.codecs.isEmpty
        && !factory.flags.contains(.anyCodec)
        ? "neither a codec nor the flag for any codec is declared" : nil)
    if factory.kind == .demuxer, factory.tier != .fallback {
      problems.append(
        factory.magics.isEmpty && factory.extensions.isEmpty
          ? "neither a magic nor an extension is declared, so the demuxer is never used" : nil)
    }
    if factory.kind == .muxer {
      problems.append(
        factory.extensions.isEmpty && factory.tier != .fallback
          ? "a muxer without an extension cannot name its files" : nil)
      problems += factory.extensions.map(FileExtension.problem)
    }
    for magic in factory.magics {
      problems.append(magic.bytes.isEmpty ? "a magic has no bytes" : nil)
      problems.append(
        magic.mask.map { $0.count == magic.bytes.count } == false
          ? "a magic's mask is not as long as its bytes" : nil)
    }
    for format in factory.pixelFormats where format.layout == nil {
      problems.append("the pixel format \(format.rawValue) is not known")
    }
    for format in factory.sampleFormats where format.bytesPerSample == 0 {
      problems.append("the sample format \(format.rawValue) is not known")
    }
    for rate in factory.sampleRates where rate > 6_144_000 {
      problems.append("the sample rate \(rate) is out of range")
    }
    return problems
  }

  private static func option(_ option: OptionSchema) -> [String?] {
    let isNamed = option.name.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
    }
    var choices: String?
    if case .choice(let words) = option.type, words.isEmpty || Set(words).count != words.count {
      choices = "the option \(option.name) has no choices, or one of them twice"
    }
    return [
      isNamed ? nil : "the option \(option.name) has other characters than a-z, 0-9, - and _",
      option.help.isEmpty || option.help.contains("\n")
        ? "the help of the option \(option.name) is not one line" : nil,
      option.defaultValue.flatMap { option.problem(with: $0) }.map { "default: \($0)" },
      choices,
    ]
  }
}
