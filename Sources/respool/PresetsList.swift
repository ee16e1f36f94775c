import ArgumentParser
import Respool

struct PresetsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the presets by name.",
    discussion: "Example: respool presets list --json")

  @Flag(help: "Print one JSON document.") var json = false

  func run() { Self.list(json: json) }

  static func list(json: Bool) {
    let entries = PresetLibrary.standard.entries()
    if json {
      // A shadowed preset cannot be used by its name, so programs do not see it.
      let used = entries.filter { $0.shadowedBy == nil }
      let presets = used.map { entry in
        JSON.object([
          "name": .string(entry.name), "summary": .string(entry.summary),
          "path": .string(entry.path),
        ])
      }
      CommandOutput.show(JSON.object(["presets": .array(presets)]))
      return
    }
    let width = entries.map(\.name.count).max() ?? 0
    var text = ""
    for entry in entries {
      let name = entry.name + String(repeating: " ", count: width - entry.name.count)
      if let other = entry.shadowedBy {
        text += "\(name)  (not used: \(other) goes first)\n"
      } else {
        text +=
          "\(name)  \(entry.summary)\(entry.origin == .user ? " (yours: \(entry.path))" : "")\n"
      }
    }
    CommandOutput.show(text, terminator: "")
  }
}
