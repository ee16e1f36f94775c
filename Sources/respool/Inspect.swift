import ArgumentParser
import Respool
import RespoolMedia

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows what is in a file.",
    discussion: """
      Example:
        respool inspect holiday.mp4
        respool inspect --json *.mp4

      Exit status: 1 if a file cannot be read.
      """)

  @Argument(help: "The files to inspect.", completion: .file())
  var files: [String]

  @Flag(help: "Print one JSON document on standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print the plugin that reads each file, and why.")
  var verbose = false

  func run() throws {
    let registry = PluginRegistry()
    try CommandError.reporting { () throws(MediaError) in
      try CommandSandbox.enter(registry, reading: files) { [files] in
        CommandError.print(files.count == 1 ? $0.inFile(files[0]) : $0)
      }
    }
    var reports: [FileReport] = []
    for file in files {
      let report = FileReport(file, registry: registry)
      reports.append(report)
      if !json { CommandOutput.show(report.text) }
      if verbose, let reason = report.reason {
        // One JSON document leaves no place on standard output.
        if json { CommandError.note(reason) } else { CommandOutput.show("  \(reason)") }
      }
    }
    if json {
      CommandOutput.show(JSON.object(["files": .array(reports.map(\.document))]))
    }
    if reports.contains(where: { $0.error != nil }) { throw ExitCode(1) }
  }
}
