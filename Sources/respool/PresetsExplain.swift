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
      try CommandSandbox.enter(registry, reading: [file])
      let source = try FileSource(path: file)
      let media = try registry.openDemuxer(source).media
      var described = media
      let settings = try registry.resolved(media, of: source, for: preset.container) {
        (media) throws(MediaError) in
        described = media
        return try PresetResolver.resolve(
          preset: preset, source: media, available: available, size: source.size)
      }
      // A batch refuses the file with the same error while it plans.
      do throws(MediaError) {
        _ = try registry.checkEncoders(of: settings, for: described, threads: 1)
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
