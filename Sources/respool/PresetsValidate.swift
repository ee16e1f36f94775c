import ArgumentParser
import Respool
import RespoolMedia

struct PresetsValidate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Checks presets and shows every error with its place.",
    discussion: """
      Checks keys and values, and that the installed plugins support them.

      Exit status: 0 if all presets are valid, else 1.

      Example: respool presets validate mine.yaml
      """)

  @Argument(
    help: "Names or paths of presets (default: all of your own).", completion: Completions.presets)
  var presets: [String] = []

  func run() throws {
    let library = PresetLibrary.standard
    var names = presets
    if names.isEmpty {
      names = library.entries().filter { $0.origin == .user }.map(\.path)
      if names.isEmpty {
        let folder = library.folders.first { $0.origin == .user }?.path ?? "your presets folder"
        report("there are no presets in \(folder)")
        return
      }
    }
    let available = PluginRegistry().availablePlugins(askingEncoders: true)
    var failed = false
    for name in names {
      do throws(MediaError) {
        let check = try library.check(name, available: available)
        if check.problems.isEmpty {
          CommandOutput.show("\(name): valid")
        } else {
          failed = true
          for problem in check.problems { CommandOutput.show(problem.description) }
        }
      } catch {
        failed = true
        report("\(error)")
      }
    }
    if failed { throw ExitCode(1) }
  }

  private func report(_ line: String) { CommandError.note("respool: \(line)") }
}
