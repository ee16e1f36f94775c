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
      converted. With edits of picture or sound these are encoded anew; a part of a file that is passed \
      through is cut between packets.

      Example:
        respool convert holiday.mov holiday.mp4 --preset web-1080p
        respool convert talk.mkv part.mp4 --from 12:30 --to 12:52.5 --fade-out 1
        respool convert clip.mov post.mp4 --rotate 90 --overlay logo.png:top-right
      """)

  @Argument(help: "The file to convert.", completion: .file())
  var input: String

  @Argument(help: "The file to write.", completion: .file())
  var output: String

  @Option(help: "Name or path of the preset.")
  var preset: String?

  @OptionGroup
  var conversion: SingleConversion

  @OptionGroup(title: "Edits")
  var edits: EditArguments

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      try edits.checkFiles()
      let registry = PluginRegistry()
      let chosen = try Self.preset(preset, for: output, registry)
      try conversion.run([input] + edits.overlay.map(\.path), to: output) { () throws(MediaError) in
        do throws(MediaError) {
          return try edits.options.makeSession(
            for: Asset(path: input, registry: registry), preset: chosen, registry: registry,
            threads: coreCount())
        } catch { throw error.inFile(input) }
      }
    }
  }

  /// The preset of that name, or the one that the output's extension means.
  static func preset(_ name: String?, for output: String, _ registry: PluginRegistry)
    throws(MediaError) -> Preset
  {
    let available = registry.availablePlugins
    if let name { return try PresetLibrary.standard.preset(name, available: available) }
    let kind = FileName.splitExtension(FileName.last(output)).extension
    var preset = try PresetLibrary.standard.preset(try defaultPreset(kind), available: available)
    if available.muxer(named: kind) != nil, preset.container != kind {
      preset.name += " as \(kind)"
      preset.container = kind
    }
    return preset
  }

  /// What is done for an extension; the container is that of the extension itself.
  private static let defaultPresets = [
    "mp4": "remux-mp4", "m4v": "remux-mp4", "mov": "remux-mp4", "qt": "remux-mp4",
    "mkv": "remux-mkv", "webm": "webm-1080p", "opus": "opus-128k", "ogg": "opus-128k",
    "oga": "opus-128k", "m4a": "aac-160k", "m4b": "aac-160k", "wav": "wav", "wave": "wav",
  ]

  /// The preset that an extension means.
  private static func defaultPreset(_ kind: String) throws(MediaError) -> String {
    guard let preset = defaultPresets[kind] else {
      throw MediaError(
        .invalidArgument,
        "no preset is known for the extension \"\(kind)\"; name one with --preset "
          + "(respool presets list shows them)")
    }
    return preset
  }

  /// A sentence where the output is called as files of another container are; nil where it is not.
  ///
  /// Extensions that no format is known by mean nothing: `film.mp4.tmp`, `Talk v1.2`.
  static func misnaming(_ output: String, _ session: ExportSession, _ settings: ResolvedSettings)
    -> String?
  {
    let kind = FileName.splitExtension(FileName.last(output)).extension
    let (registry, made) = (session.registry, settings.muxer.description)
    let isKnown = (registry.factories(.muxer) + registry.factories(.demuxer)).contains {
      $0.description.extensions.contains(kind)
    }
    guard isKnown, !made.extensions.contains(kind) else { return nil }
    return "the output is named .\(kind), but the preset \(settings.preset) makes \(made.name)"
  }
}
