import Glibc
public import RespoolMedia

/// A user's choices among plugins: disabled and preferred ones, and defaults of their options.
///
/// They are stored in a text file with one choice per line:
///
///     disable VPX
///     prefer AVCodec
///     option X264/x264 preset slow
///
/// Empty lines and lines that begin with `#` have no meaning.
public struct PluginChoices: Hashable, Sendable {
  /// Default of one option of a factory.
  public struct Option: Hashable, Sendable {
    /// Name of the plugin.
    public var plugin: String
    /// Name of the factory.
    public var factory: String
    public var option: PluginOption

    public init(plugin: String, factory: String, _ option: PluginOption) {
      (self.plugin, self.factory, self.option) = (plugin, factory, option)
    }
  }

  /// Names of plugins that are not used.
  public var disabled: Set<String> = []
  /// Names of plugins whose factories come before those of all others.
  public var preferred: Set<String> = []
  /// Options that replace the plugins' defaults; presets take precedence over them.
  public var options: [Option] = []
  /// File that the choices were read from; `nil` if they were not read from a file.
  public var path: String?
  /// Lines of the file that could not be read, one sentence each.
  public private(set) var problems: [String] = []

  public init() {}

  /// Path of the user's file, `$XDG_CONFIG_HOME/respool/plugins.conf`; `nil` if there is no home folder.
  public static var standardPath: String? {
    PluginSearchPath.baseFolder("XDG_CONFIG_HOME", inHome: ".config").map {
      $0 + "/respool/plugins.conf"
    }
  }

  /// The user's choices; none if the file does not exist.
  public static var standard: PluginChoices {
    standardPath.map { PluginChoices(path: $0) } ?? PluginChoices()
  }

  /// Maximum size of a file in bytes.
  private static let maximumSize: Int64 = 1 << 20

  /// Reads a file; without choices if there is no file, and with a problem if it cannot be read.
  public init(path: String) {
    self.path = path
    guard access(path, F_OK) == 0 else { return }
    do throws(MediaError) {
      let source = try FileSource(path: path)
      guard source.size <= Self.maximumSize else {
        throw MediaError(.limitExceeded, "the file has \(source.size) bytes")
      }
      let buffer = MediaBuffer(count: Int(source.size))
      let count = try source.read(at: 0, into: buffer.bytes)
      read(buffer.withBytes { String(decoding: $0.prefix(count), as: UTF8.self) })
    } catch {
      problems.append("\(path) cannot be read: \(error.message)")
    }
  }

  /// Adds the choices of a text.
  private mutating func read(_ text: String) {
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.split(whereSeparator: \.isWhitespace).map { String($0) }
      guard let verb = words.first, !verb.hasPrefix("#") else { continue }
      switch (verb, words.count) {
      case ("disable", 2): disabled.insert(words[1])
      case ("prefer", 2): preferred.insert(words[1])
      case ("option", 4...):
        let names = words[1].split(separator: "/", maxSplits: 1).map { String($0) }
        guard names.count == 2 else { fallthrough }
        options.append(
          Option(
            plugin: names[0], factory: names[1],
            PluginOption(words[2], words[3...].joined(separator: " "))))
      default:
        problems.append(
          "\(path ?? "the text"), line \(number + 1): \"\(line)\" is not a choice; write "
            + "disable NAME, prefer NAME, or option PLUGIN/NAME OPTION VALUE")
      }
    }
  }

  /// The text of the file.
  private var text: String {
    var lines = ["# Choices among the plugins of respool; see respool help plugins."]
    lines += disabled.sorted().map { "disable \($0)" }
    lines += preferred.sorted().map { "prefer \($0)" }
    lines += options.map {
      "option \($0.plugin)/\($0.factory) \($0.option.name) \($0.option.value)"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Writes the choices to a file, which is replaced as a whole; missing folders are created.
  public func write(to path: String) throws(MediaError) { try TextFile.write(text, to: path) }
}

extension PluginChoices {
  /// Returns the records with the disabled plugins marked, and with the chosen tiers and options of the others.
  func applied(to records: [PluginRecord]) -> [PluginRecord] {
    records.map { record in
      guard record.status == .ok else { return record }
      var record = record
      if disabled.contains(record.name) {
        record.status = .disabled
        record.reason = "disabled by \(path ?? "the program")"
        record.advice = "`respool plugins enable \(record.name)` enables it"
      } else {
        for index in record.factories.indices {
          apply(to: &record.factories[index], of: record.name)
        }
      }
      return record
    }
  }

  /// Gives a factory the tier and the options that are chosen for it.
  private func apply(to description: inout FactoryDescription, of plugin: String) {
    if preferred.contains(plugin) { description.tier = .chosen }
    for choice in options where choice.plugin == plugin && choice.factory == description.name {
      guard problem(with: choice.option, of: description) == nil else { continue }
      description.chosenOptions.removeAll { $0.name == choice.option.name }
      description.chosenOptions.append(choice.option)
    }
  }

  /// Returns the lines that cannot be read and the choices that fit none of the plugins, one sentence each.
  func problems(with plugins: [PluginRecord]) -> [String] {
    let file = path ?? "the choices"
    var problems = self.problems
    let names = Set(plugins.map(\.name))
    for name in disabled.union(preferred).subtracting(names).sorted() {
      problems.append("\(file) names the plugin \(name), which is not installed")
    }
    for choice in options {
      let factories = plugins.filter { $0.name == choice.plugin }.flatMap(\.factories).filter {
        $0.name == choice.factory
      }
      let label = "\(file) sets \(choice.option.name) of \(choice.plugin)/\(choice.factory)"
      guard let factory = factories.first else {
        problems.append("\(label), which is not installed")
        continue
      }
      // A plugin's demuxer and muxer often have one name.
      let own = factories.filter { $0.options.contains { $0.name == choice.option.name } }
      if let reason = problem(with: choice.option, of: own.first ?? factory) {
        problems.append("\(label): \(reason); the choice is ignored")
      }
    }
    return problems
  }

  private func problem(with option: PluginOption, of factory: FactoryDescription) -> String? {
    guard let schema = factory.options.first(where: { $0.name == option.name }) else {
      return "\(factory.name) has no such option"
    }
    return schema.problem(with: option.value)
  }
}
