import ArgumentParser
import Respool
import RespoolMedia

struct HashCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Prints a hash for every frame or packet.",
    discussion: """
      The columns are those of ffmpeg -f framemd5, and sizes and hashes can be compared with it. \
      Times are in the time base of the track; ffmpeg may choose another. Packets have no columns \
      for side data.

      Example:
        respool hash clip.mp4
        respool hash --packets --track 2 clip.mp4
      """)

  @Argument(help: "The file to read.", completion: .file())
  var file: String

  @Flag(help: "Hash the stored packets instead of the decoded data.")
  var packets = false

  @Option(help: "Only the track with this number, as respool inspect shows it.")
  var track: Int?

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let output = LineOutput()
      let damage: [MediaError]
      do throws(MediaError) {
        let registry = PluginRegistry()
        try CommandSandbox.enter(registry, reading: [file]) { CommandError.print($0.inFile(file)) }
        let run = try HashRun(path: file, track: track, registry: registry)
        damage = try run.run(packets: packets) { output.put($0) }
      } catch {
        output.flush()
        throw error.inFile(file)
      }
      output.flush()
      for error in damage.prefix(4) { CommandError.note("respool: note: \(error.inFile(file))") }
    }
  }
}
