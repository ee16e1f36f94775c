import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Puts back originals that a batch has replaced.",
    discussion: """
      Gives the originals that were kept by `respool batch --replace --originals` their places \
      again, and removes their replacements. If a replacement has been changed or removed since, the \
      original stays where it is, unless --force is given. The next batch leaves restored files as they are; \
      --retry-restored or another preset converts them again. A restoration that was stopped is \
      finished by the next one.

      Examples:
        respool restore ~/Videos
        respool restore ~/Videos Holiday/beach.mp4

      Exit status: 0 all restored, 1 some files failed, 2 wrong usage.
      """)

  @Argument(help: "The folder whose files were replaced.", completion: .directory)
  var folder: String

  @Argument(
    help: "Replacements or originals, as paths below the folder or others (default: all).",
    completion: .file())
  var files: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder of all originals, if it was moved since the batch.", valueName: "dir"),
    completion: .directory)
  var originals: String?

  @Flag(help: "Restore files also if their replacement is gone, or changed: it gets another name.")
  var force = false

  @Flag(help: "Print one JSON object per line on standard output.")
  var json = false

  func run() throws {
    var (restored, failed) = (0, 0)
    try CommandError.reporting { () throws(MediaError) in
      try Restoration.run(in: folder, files, originals: originals, byForce: force) { result in
        if result.problem == nil { restored += 1 } else { failed += 1 }
        show(result)
      }
    }
    if json {
      print(
        JSON.object([
          "event": .string("summary"), "restored": .integer(Int64(restored)),
          "failed": .integer(Int64(failed)),
        ]).compactText)
    } else {
      CommandError.note(
        restored + failed == 0
          ? "nothing to restore: no original is kept"
          : "\(restored) restored, \(failed) failed")
    }
    if failed > 0 { throw ExitCode(1) }
  }

  private func show(_ result: Restoration.Result) {
    if json {
      print(
        JSON.object([
          "event": .string(result.problem == nil ? "restored" : "failed"),
          "original": .string(result.path), "replacement": .string(result.replacement),
          "error": result.problem.map { .string($0) },
        ]).compactText)
    } else if let problem = result.problem {
      CommandError.note("failed  \(result.path.printable()): \(problem.printable())")
    } else {
      CommandError.note("restored  \(result.path.printable())")
    }
  }
}
