import ArgumentParser
import Respool

struct PresetsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the presets by name.",
    discussion: """
      Your own presets are checked, and invalid ones are marked with their first problem. \
      `presets validate` shows all problems, also settings that the installed plugins do not \
      support.

      Example: respool presets list --json
      """)

  @Flag(help: "Print one JSON document.") var json = false

  func run() { Self.list(json: json) }

  static func list(json: Bool) {
    let library = PresetLibrary.standard
    let entries = library.entries()
    func problem(_ entry: PresetLibrary.Entry) -> String? {
      // The program's tests check the installed presets, and a list must be quick.
      entry.origin == .installed ? nil : library.firstProblem(ofFileAt: entry.path)
    }
    if json {
      // A shadowed preset cannot be used by its name, so it is left out for programs.
      let used = entries.filter { $0.shadowedBy == nil }
      let presets = used.map { entry in
        JSON.object([
          "name": .string(entry.name), "summary": .string(entry.summary),
          "path": .string(entry.path), "problem": problem(entry).map { .string($0) },
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
        text += "\(name)  (not used: \(other) has precedence)\n"
      } else if let problem = problem(entry) {
        text += "\(name)  (not valid: \(problem))\n"
      } else {
        let source =
          switch entry.origin {
          case .user: " (yours: \(entry.path))"
          case .plugin: " (of a plugin: \(entry.path))"
          case .shared, .installed: ""
          }
        text += "\(name)  \(entry.summary)\(source)\n"
      }
    }
    CommandOutput.show(text, terminator: "")
  }
}
