import ArgumentParser
import Respool
import RespoolMedia

struct PresetsShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints a preset with everything that it extends.",
    discussion: """
      The output is a complete preset. A preset is found by its `name`; your own preset hides an installed one of the \
      same name. With --diff, the settings in which two presets differ are shown.

      Examples:
        respool presets show web-720p
        respool presets show --diff web-720p web-1080p
      """)

  @Argument(help: "Name or path of a preset.", completion: Completions.presets)
  var preset: String
  @Argument(help: "The other preset for --diff.", completion: Completions.presets)
  var other: String?
  @Flag(help: "Show in which settings two presets differ; - is a setting that one does not have.")
  var diff = false

  func validate() throws {
    if diff, other == nil { throw ValidationError("--diff takes two presets") }
    if !diff, other != nil { throw ValidationError("two presets are compared with --diff") }
  }

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let library = PresetLibrary.standard
      if let other {
        CommandOutput.show(try difference(other, library), terminator: "")
      } else {
        print(try library.text(of: preset), terminator: "")
      }
    }
  }

  /// Returns a table of the settings that differ.
  private func difference(_ other: String, _ library: PresetLibrary) throws(MediaError) -> String {
    let settings = [try library.settings(of: preset), try library.settings(of: other)]
    let values = settings.map {
      Dictionary($0.map { ($0.key, $0.value) }) { first, _ in first }
    }
    let keys = settings[0].map(\.key) + settings[1].map(\.key).filter { values[0][$0] == nil }
    var rows = [["", preset, other]]
    for key in keys where values[0][key] != values[1][key] {
      rows.append([key, values[0][key] ?? "-", values[1][key] ?? "-"])
    }
    guard rows.count > 1 else { return "\(preset) and \(other) have the same settings\n" }
    let widths = (0..<2).map { column in rows.map(\.[column].count).max() ?? 0 }
    return rows.map { row in
      let cells = (0..<2).map {
        row[$0] + String(repeating: " ", count: widths[$0] - row[$0].count)
      }
      return "\(cells[0])  \(cells[1])  \(row[2])\n"
    }.joined()
  }
}
