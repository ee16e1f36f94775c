import ArgumentParser
import Glibc
import Respool
import RespoolBatch
import RespoolMedia

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Converts one file.",
    discussion: """
      Without a preset the output's extension decides: tracks that fit are passed through, the rest is \
      converted.

      Example:
        respool convert holiday.mov holiday.mp4 --preset web-1080p
      """)

  @Argument(help: "The file to convert.", completion: .file())
  var input: String

  @Argument(help: "The file to write.", completion: .file())
  var output: String

  @Option(help: "Name or path of the preset.")
  var preset: String?

  @Flag(help: "Replace the output where it is there already.")
  var replace = false

  @Flag(name: .shortAndLong, help: "Name the plugins that were used, and why.")
  var verbose = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let registry = PluginRegistry()
      let library = PresetLibrary.standard
      let kind = FileName.splitExtension(FileName.last(output)).extension
      let name: String
      if let preset { name = preset } else { name = try Self.defaultPreset(kind) }
      let chosen = try library.preset(name, available: registry.availablePlugins)
      try SingleConversion(
        input: input, output: output, preset: chosen, registry: registry, replaces: replace,
        showsProgress: !quiet && TerminalReporter.isPossible,
        verbose: verbose, quiet: quiet
      ).run()
    }
  }

  /// The preset that an extension means.
  private static func defaultPreset(_ kind: String) throws(MediaError) -> String {
    let presets = [
      "mp4": "remux-mp4", "m4v": "remux-mp4", "mov": "remux-mp4", "mkv": "remux-mkv",
      "webm": "webm-1080p", "opus": "opus-128k", "ogg": "opus-128k", "oga": "opus-128k",
      "m4a": "aac-160k", "wav": "wav",
    ]
    guard let preset = presets[kind] else {
      throw MediaError(
        .invalidArgument,
        "no preset is known for the extension \"\(kind)\"; name one with --preset "
          + "(respool presets list shows them)")
    }
    return preset
  }
}
