import ArgumentParser
import Respool
import RespoolMedia

struct PresetsShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints a preset with everything that it extends.",
    discussion: """
      The output is a complete preset: a good start for your own. A preset is found by its \
      `name`; your own preset hides an installed one of the same name.

      Example:
        mkdir -p ~/.config/respool/presets
        respool presets show web-720p | sed 's/^name: .*/name: mine/' > ~/.config/respool/presets/mine.yaml
      """)

  @Argument(help: "Name or path of a preset.", completion: Completions.presets)
  var preset: String

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      print(try PresetLibrary.standard.text(of: preset), terminator: "")
    }
  }
}
