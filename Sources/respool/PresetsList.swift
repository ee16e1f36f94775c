import ArgumentParser
import Respool
import RespoolPresets

struct PresetsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the presets by group and name.",
    discussion: """
      Words find presets by name, summary and group. Size and speed were measured: relative to web-1080p, or to \
      aac-160k for audio alone. Presets that are not valid, and those that need a plugin that is not \
      installed, are marked with their first problem. `presets validate` shows all problems.

      Examples:
        respool presets list
        respool presets list --codec av1
        respool presets list --container mkv lossless
        respool presets list devices
      """)

  @Argument(help: "Words that the name, summary or group has.") var words: [String] = []
  @Option(help: "Codec of video or audio, such as av1 or mp3.") var codec: String?
  @Option(help: "Container or file extension, such as mkv or m4a.") var container: String?
  @Flag(help: "Print one JSON document.") var json = false

  func run() {
    Self.list(.init(words: words, codec: codec, container: container), json: json)
  }

  /// Lists all presets of a selection.
  static func list(_ selection: PresetSelection = .init(), json: Bool) {
    let library = PresetLibrary.standard
    let available = PluginRegistry().availablePlugins
    var listed = library.entries().map { ListedPreset($0, in: library, available) }
    listed = listed.filter { selection.contains($0, available) }
    if json {
      // A shadowed preset cannot be used by its name, so it is left out for programs.
      let used = listed.filter { $0.entry.shadowedBy == nil }
      CommandOutput.show(JSON.object(["presets": .array(used.map(\.json))]))
      return
    }
    guard !listed.isEmpty else {
      CommandError.note(
        "respool: no preset has \(selection.text.isEmpty ? "a file" : selection.text)")
      return
    }
    let width = listed.map(\.entry.name.count).max() ?? 0
    var text = ""
    for group in [nil] + Set(listed.compactMap(\.entry.group)).sorted() {
      let members = listed.filter { $0.entry.group == group }
      if members.isEmpty { continue }
      if let group { text += (text.isEmpty ? "" : "\n") + "\(group):\n" }
      for preset in members {
        let name = preset.entry.name
        text += "\(group == nil ? "" : "  ")\(name)"
        text += "\(String(repeating: " ", count: width - name.count))  \(preset.text)\n"
      }
    }
    CommandOutput.show(text, terminator: "")
  }
}
