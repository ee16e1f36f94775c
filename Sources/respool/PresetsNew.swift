import ArgumentParser
import Glibc
import Respool
import RespoolMedia
import RespoolPresets

struct PresetsNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Writes a preset of your own that changes another one.",
    discussion: """
      The new preset has the settings of the other one, except those that you set. In a terminal it asks for the \
      usual ones; an empty answer keeps what is in brackets. --set gives settings without questions.

      Examples:
        respool presets new mine --from web-720p
        respool presets new mine --from web-720p --set video.quality=20 --set audio.bitrate=192k
      """)

  @Argument(help: "Name of the new preset.") var name: String
  @Option(help: "Name or path of the preset to start from.", completion: Completions.presets)
  var from: String
  @Option(help: "A setting, as in `presets show`: video.quality=20. Can be repeated.")
  var set: [String] = []
  @Option(
    help: "Folder for the preset file (default: your presets folder).", completion: .directory)
  var to: String?
  @Flag(help: "Replace a preset file of the same name.") var force = false

  func validate() throws {
    if name.isEmpty || name.hasPrefix(".") || name.contains("/") {
      throw ValidationError("\"\(name)\" cannot be the name of a preset file")
    }
    if name == from { throw ValidationError("the new preset needs a name other than \(from)") }
    if to?.isEmpty == true { throw ValidationError("--to is empty: name a folder") }
    for setting in set where Self.pair(setting) == nil {
      throw ValidationError("--set takes key=value, such as video.quality=20, not \(setting)")
    }
  }

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let output = try PresetFileOutput(folder: to, replaces: force)
      try output.check(name)
      var preset = try DerivedPreset(name: name, base: from)
      for (key, value) in set.compactMap(Self.pair) { try preset.set(key, value) }
      if set.isEmpty, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
        ask(&preset)
      }
      try output.write(preset.text, name)
      CommandOutput.show(output.path(of: name))
      if let warning = output.warning(name) { CommandOutput.show("  \(warning)") }
    }
  }

  private static func pair(_ setting: String) -> (String, String)? {
    guard let index = setting.firstIndex(of: "=") else { return nil }
    let key = String(setting[..<index])
    let value = String(setting[setting.index(after: index)...])
    return key.isEmpty || value.isEmpty ? nil : (key, value)
  }

  /// Asks for the usual settings that the preset has, until each answer is valid.
  private func ask(_ preset: inout DerivedPreset) {
    for setting in preset.questions {
      while true {
        print("\(setting.key) [\(setting.value)]: ", terminator: "")
        fflush(nil)
        guard let answer = readLine(), !answer.isEmpty else { break }
        do throws(MediaError) {
          try preset.set(setting.key, answer)
          break
        } catch { print("  \(error.message)") }
      }
    }
  }
}

/// A preset that extends another one and is valid at any time.
struct DerivedPreset {
  private let name: String
  private let base: String
  private let settings: [PresetLibrary.Setting]
  private var changes: [(key: [String], value: String)] = []
  private let available = PluginRegistry().availablePlugins(askingEncoders: true)

  /// Throws if there is no valid preset `base`.
  init(name: String, base: String) throws(MediaError) {
    let library = PresetLibrary.standard
    self.name = name
    // A path in a preset is relative to that preset.
    let path = try library.path(of: base)
    self.base = path == base ? PresetFile.canonical(path) : base
    settings = try library.settings(of: base)
    try check()
  }

  /// Settings that people usually change and that the base has, with its values.
  var questions: [PresetLibrary.Setting] {
    let usual = [
      "summary", "video.quality", "video.bitrate", "video.size", "video.frameRate",
      "video.options.preset", "audio.quality", "audio.bitrate", "audio.loudness",
    ]
    return usual.compactMap { key in settings.first { $0.key == key } }
  }

  /// Sets a value, or throws the first problem that it would cause.
  mutating func set(_ key: String, _ value: String) throws(MediaError) {
    let before = changes
    let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    changes.removeAll { $0.key == path }
    changes.append((path, value))
    do throws(MediaError) { try check() } catch {
      changes = before
      throw error
    }
  }

  /// The preset file.
  var text: String {
    var text = "name: \(PresetLibrary.scalar(name))\n"
    // A preset does not pass its summary on.
    if !changes.contains(where: { $0.key == ["summary"] }) {
      text += "summary: \(PresetLibrary.scalar("Changes \(base)"))\n"
    }
    text += "extends: \(PresetLibrary.scalar(base))\n"
    Self.write(changes.map { ($0.key[...], $0.value) }, indent: "", to: &text)
    return text
  }

  /// Writes settings as nested sections, each in the order of its first setting.
  private static func write(
    _ changes: [(key: ArraySlice<String>, value: String)], indent: String, to text: inout String
  ) {
    var done: Set<String> = []
    for change in changes {
      guard let first = change.key.first, done.insert(first).inserted else { continue }
      if change.key.count == 1 {
        text += "\(indent)\(PresetLibrary.scalar(first)): \(PresetLibrary.scalar(change.value))\n"
        continue
      }
      text += "\(indent)\(PresetLibrary.scalar(first)):\n"
      let inner = changes.filter { $0.key.first == first && $0.key.count > 1 }
      write(inner.map { ($0.key.dropFirst(), $0.value) }, indent: indent + "  ", to: &text)
    }
  }

  /// Checks the text as the file that it will be.
  private func check() throws(MediaError) {
    let check = PresetLibrary.standard.check(
      text: text, file: "\(name).yaml", available: available)
    if let problem = check.problems.first {
      throw MediaError(.invalidArgument, "\(problem.message); \(problem.advice)")
    }
  }
}
