public import ArgumentParser
import Glibc
import Respool
public import RespoolBatch
import RespoolMedia

struct BatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Converts folders of audio and video.",
    discussion: """
      Walks the inputs, keeps their tree below the output folder, and says of every file what became \
      of it. What is there already is skipped, so an interrupted batch goes on where it stopped.

      Example:
        respool batch ~/Videos --to ~/Converted --preset web-720p

      Exit status: 0 all done, 1 some files failed, 2 wrong usage, 130 interrupted.
      """)

  @Argument(help: "Files and folders to convert.", completion: .file())
  var inputs: [String]

  @Option(name: .long, help: "The folder for the outputs.", completion: .directory)
  var to: String

  @Option(help: "Name or path of the preset.")
  var preset: String

  @Option(help: "Conversions at a time (default: what the cores allow).")
  var jobs: Int?

  @Option(help: "What to do with outputs that are there already: skip, replace or fail.")
  var onExists: BatchOptions.OnExists = .skip

  @Option(help: "What to do with inputs that would get the same output name: fail or rename.")
  var onCollision: BatchOptions.OnCollision = .fail

  @Flag(help: "Fail a file that would lose a track or a property.")
  var strict = false

  @Flag(help: "Print the plan and touch nothing.")
  var dryRun = false

  @Flag(help: "Print one JSON object a line on standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Also name files that went well.")
  var verbose = false

  func validate() throws {
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs); it takes 1 to 1024")
    }
  }

  func run() throws {
    var options = BatchOptions(inputs: inputs, output: to, preset: preset)
    options.jobs = jobs
    options.onExists = onExists
    options.onCollision = onCollision
    options.strict = strict
    try CommandError.reporting { () throws(MediaError) in
      // Found out here, once and with its own words, instead of by every worker.
      let registry = PluginRegistry()
      _ = try PresetLibrary.standard.preset(preset, available: registry.availablePlugins)
      let status = try Batch(
        options: options, executable: CommandLine.executablePath, reporter: reporter()
      ).run(planOnly: dryRun)
      if status != 0 { Glibc.exit(status) }
    }
  }

  private func reporter() -> any BatchReporter {
    if json { return JSONReporter() }
    if TerminalReporter.isPossible {
      return TerminalReporter(wantsPlan: dryRun, verbose: verbose)
    }
    return LineReporter(wantsPlan: dryRun)
  }
}

extension BatchOptions.OnExists: ExpressibleByArgument {}
extension BatchOptions.OnCollision: ExpressibleByArgument {}
