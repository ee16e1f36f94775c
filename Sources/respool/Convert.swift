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
      Without --preset, the extension of the output selects a preset. Those for mp4, mov and mkv \
      pass tracks through if the container carries their codecs, and re-encode the others. Edits \
      re-encode the video or audio that they change, except a rotation that the output can store. \
      A time range that is passed through is cut between packets.

      Example:
        respool convert holiday.mov holiday.mp4 --preset web-1080p
        respool convert talk.mkv part.mp4 --from 12:30 --to 12:52.5 --fade-out 1
        respool convert clip.mov post.mp4 --rotate 90 --overlay logo.png:top-right
      """)

  @Argument(help: "The file to convert.", completion: .file())
  var input: String

  @Argument(help: "The file to write.", completion: .file())
  var output: String

  @Option(help: "Name or path of the preset.", completion: Completions.presets)
  var preset: String?

  @Option(
    help: ArgumentHelp(
      """
      Draw subtitles into the frames: best, or a condition such as forced or 'language == en'. \
      May be repeated; the first that selects a track counts.
      """, valueName: "rule"))
  var burn: [String] = []

  @Flag(help: "Give the output the permissions and times of a new file, not of the input.")
  var noPreserve = false

  @OptionGroup
  var conversion: SingleConversion

  @OptionGroup(title: "Edits")
  var edits: EditArguments

  func run() throws {
    try conversion.run(
      [input], images: edits.overlay.map(\.path), drawsText: edits.text != nil, to: output,
      preset: preset, burn: burn
    ) { (chosen, registry) throws(MediaError) in
      do throws(MediaError) {
        let asset = Asset(path: input, registry: registry)
        let session = try edits.options.makeSession(
          for: asset, preset: chosen, registry: registry, threads: coreCount())
        session.keepsFileAttributes = !noPreserve
        var work = SingleConversion.Work(session: session)
        if let end = edits.options.end, case let whole = try asset.duration(), whole.isNumeric,
          end.seconds > whole.seconds + 0.1
        {
          work.notes = [
            "the part would end at \(end.seconds.decimalText) s, but the file ends at "
              + "\(whole.seconds.decimalText) s"
          ]
        }
        return work
      } catch { throw error.inFile(input) }
    }
  }
}
