import ArgumentParser
import Respool
import RespoolMedia
import RespoolPresets

struct PresetsImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Converts presets of HandBrake.",
    discussion: """
      Reads a JSON file that HandBrake exported, and writes a preset file for each preset in it. For each it lists \
      what was changed and what was refused; -v also lists what was kept. Existing files are not replaced.

      Exit status: 0 if all presets were written, 1 if some were not.

      Examples:
        respool presets import presets.json
        respool presets import - --to mine < presets.json
      """)

  @Argument(help: "A JSON file of HandBrake; - is standard input.", completion: .file())
  var file: String
  @Option(
    help: "Folder for the preset files (default: your presets folder).", completion: .directory)
  var to: String?
  @Flag(help: "Replace preset files of the same name.") var force = false
  @Flag(name: [.short, .long], help: "List every key, also what was kept.") var verbose = false

  func validate() throws {
    if to?.isEmpty == true { throw ValidationError("--to is empty: name a folder") }
  }

  func run() throws {
    var failed = false
    try CommandError.reporting { () throws(MediaError) in
      let presets = try HandBrakeImport.presets(inFile: file == "-" ? "/dev/stdin" : file)
      let output = try PresetFileOutput(folder: to, replaces: force)
      let available = PluginRegistry().availablePlugins(askingEncoders: true)
      for preset in presets {
        do throws(MediaError) {
          try output.write(preset.text, preset.name)
          let path = output.path(of: preset.name)
          show(preset, path)
          if let warning = output.warning(preset.name) { CommandOutput.show("  \(warning)") }
          let problems = try PresetLibrary.standard.check(path, available: available).problems
          for problem in problems { CommandOutput.show("  not valid here: \(problem.description)") }
          if !problems.isEmpty { failed = true }
        } catch {
          failed = true
          CommandError.print(error)
        }
      }
    }
    if failed { throw ExitCode(1) }
  }

  private func show(_ preset: ImportedPreset, _ path: String) {
    let counts = ImportedPreset.Treatment.allCases.map {
      "\(preset.notes($0).count) \($0.rawValue)"
    }
    CommandOutput.show("\(path): \(counts.joined(separator: ", "))")
    for treatment in ImportedPreset.Treatment.allCases {
      guard verbose || treatment == .changed || treatment == .refused else { continue }
      for note in preset.notes(treatment) {
        let text = note.text.isEmpty ? "" : ": \(note.text)"
        CommandOutput.show("  \(treatment.rawValue) \(note.key) = \(note.value)\(text)")
      }
    }
  }
}
