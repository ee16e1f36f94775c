import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pauses the batch that works on an output folder.",
    discussion: """
      The batch stops its running conversions where they are, and begins no others, until \
      `respool resume`. They keep their memory. The pause ends with the batch.

      Example:
        respool pause ~/Converted

      Exit status: 1 if no batch is working on the folder.
      """)

  @Argument(help: "The output folder of the batch.", completion: .directory)
  var folder: String

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let isNew = try BatchPause.request(true, in: folder)
      CommandError.note(
        isNew
          ? "the batch is paused; respool resume continues it"
          : "the batch was paused before")
    }
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Continues a paused batch.",
    discussion: """
      Example:
        respool resume ~/Converted

      Exit status: 1 if no batch is working on the folder.
      """)

  @Argument(help: "The output folder of the batch.", completion: .directory)
  var folder: String

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let isNew = try BatchPause.request(false, in: folder)
      CommandError.note(isNew ? "the batch continues" : "the batch is not paused")
    }
  }
}
