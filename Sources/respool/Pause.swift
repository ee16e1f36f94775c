import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pauses the work on an output folder.",
    discussion: """
      The batch, or all processes of `respool work` whose outputs are there, stop their running \
      conversions where they are, and begin no others, until `respool resume`. They keep their \
      memory. The pause ends with the batch, or with the last of the processes.

      Example:
        respool pause ~/Converted

      Exit status: 1 if no work on the folder is known to this machine.
      """)

  @Argument(help: "The output folder of the batch.", completion: .directory)
  var folder: String

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let isNew = try BatchPause.request(true, in: folder)
      CommandError.note(
        isNew
          ? "the work is paused; respool resume continues it"
          : "the work was paused before")
    }
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Continues paused work.",
    discussion: """
      Example:
        respool resume ~/Converted

      Exit status: 1 if no work on the folder is known to this machine.
      """)

  @Argument(help: "The output folder of the batch.", completion: .directory)
  var folder: String

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let isNew = try BatchPause.request(false, in: folder)
      CommandError.note(isNew ? "the work continues" : "the work is not paused")
    }
  }
}
