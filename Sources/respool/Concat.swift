import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct ConcatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "concat",
    abstract: "Joins clips into one file.",
    discussion: """
      The output has the frame size of the first clip, with the others fitted into it, and the \
      highest frame rate. A clip without audio is silent, one without video is black. The first \
      video, audio and subtitle track of each clip is used. Chapters of all clips are kept, and \
      the tags of the first.

      A preset that copies, such as remux-mp4 or remux-mkv, joins clips of the same codec and \
      size without re-encoding.

      Examples:
        respool concat intro.mp4 talk.mov outro.mp4 film.mp4 --preset web-1080p --crossfade 0.5
        respool concat GX010042.MP4 GX020042.MP4 film.mp4 --preset remux-mp4
      """)

  @Argument(
    help: ArgumentHelp("The clips in order, then the file to write.", valueName: "clip"),
    completion: .file())
  var files: [String]

  @Option(
    help: "Name or path of the preset (default: selected by the extension).",
    completion: Completions.presets)
  var preset: String?

  @Option(help: "Duration of the crossfades between clips, in seconds.")
  var crossfade: TimeArgument?

  @OptionGroup
  var conversion: SingleConversion

  func validate() throws {
    if files.count < 3 {
      throw ValidationError("name at least two clips and the file to write")
    }
  }

  func run() throws {
    guard let output = files.last else { return }
    try conversion.run(files.dropLast(), to: output, preset: preset) {
      (chosen, registry) throws(MediaError) in try session(chosen, registry)
    }
  }

  private func session(_ chosen: Preset, _ registry: PluginRegistry) throws(MediaError)
    -> SingleConversion.Work
  {
    let sequence = try ClipSequence(
      files.dropLast().map {
        Asset(path: $0, registry: registry, prefersPreciseDurationAndTiming: true)
      },
      crossfade: crossfade?.time ?? .zero, showsPictures: chosen.video != nil)
    func session() throws(MediaError) -> ExportSession {
      try ExportSession(
        asset: sequence.composition, preset: chosen, registry: registry, threads: coreCount())
    }
    if crossfade == nil {
      let joining = try session()
      let settings = try joining.prepare()
      if settings.isPassThroughOnly, sequence.formatDifference == nil {
        return SingleConversion.Work(session: joining, losses: sequence.losses)
      }
      if chosen.video?.passThrough == .any, !conversion.quiet {
        for reason in settings.encodingReasons + [sequence.formatDifference].compactMap(\.self) {
          CommandError.note("  note: re-encoded: \(reason)")
        }
      }
    }
    let composing = try session()
    composing.audioMix = sequence.audioMix
    composing.videoComposition = sequence.videoComposition
    return SingleConversion.Work(session: composing, losses: sequence.losses)
  }
}
