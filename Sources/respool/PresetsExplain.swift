import ArgumentParser
import Respool
import RespoolMedia

struct PresetsExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Shows every setting of a preset for a file, with its reason.",
    discussion: "Example: respool presets explain web-720p holiday.mov")

  @Argument(help: "Name or path of a preset.", completion: Completions.presets)
  var preset: String
  @Argument(help: "The file to convert.", completion: .file()) var file: String
  @Flag(help: "Print one JSON document.") var json = false

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let registry = PluginRegistry()
      let available = registry.availablePlugins(askingEncoders: true)
      let preset = try PresetLibrary.standard.preset(preset, available: available)
      let sidecars = preset.attachesSidecars ? SubtitleFile.files(beside: file) : []
      try CommandSandbox.enter(registry, reading: [file] + sidecars.map(\.path)) {
        CommandError.print($0.inFile(file))
      }
      let session = try ExportSession(input: file, preset: preset, registry: registry)
      session.subtitleFiles = sidecars
      let settings = try session.prepare()
      // A batch refuses the file with the same error while it plans.
      do throws(MediaError) {
        _ = try registry.checkEncoders(of: settings, for: session.media, threads: 1)
      } catch {
        throw error.inFile(file)
      }
      if json {
        CommandOutput.show(settings.json)
      } else {
        CommandOutput.show(settings.explanation, terminator: "")
      }
    }
  }
}
