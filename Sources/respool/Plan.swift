import ArgumentParser
import Glibc
import Respool
import RespoolBatch
import RespoolMedia

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Plans a batch for one machine or many.",
    discussion: """
      Finds the files as `respool batch` does, and decides for each what is done with it and how its \
      output is named. Nothing is converted. `respool batch --from-plan` does the plan on this \
      machine. `respool work` does a share of it on each of many machines, which have the inputs, \
      the output folder and the plan at the same paths. `respool submit` gives it to a scheduler.

      Example:
        respool plan /data/films --to /data/converted --preset web-720p -o films.respool

      Exit status: 0 all files have a plan, 1 some cannot be converted, 2 wrong usage.
      """)

  @Argument(help: "Files and folders to convert.", completion: .file())
  var inputs: [String]

  @Option(name: .long, help: "The folder for the outputs.", completion: .directory)
  var to: String

  @Option(help: "Name or path of the preset.", completion: Completions.presets)
  var preset: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file for the plan.", valueName: "file"),
    completion: .file())
  var output: String

  @Option(
    help:
      "Threads of each conversion, on which the bytes of some outputs depend (default: 1, so that each core converts a file of its own)."
  )
  var threads = 1

  @Option(help: "Files to plan at a time (default: the number of usable cores).")
  var jobs: Int?

  @OptionGroup var rules: FileRules

  @OptionGroup var report: ReportArguments

  func validate() throws {
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs); it takes 1 to 1024")
    }
    if !(1...1024).contains(threads) {
      throw ValidationError("--threads is \(threads); it takes 1 to 1024")
    }
  }

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      var options = BatchOptions(inputs: inputs, output: to, preset: preset)
      rules.apply(to: &options)
      (options.planTarget, options.threads, options.jobs) = (output, threads, jobs)
      let registry = try PresetCheck.registry(for: preset)
      let status = try Batch(
        options: options, executable: CommandLine.executablePath, registry: registry,
        reporter: report.reporter(wantsPlan: true, usual: .counts),
        patience: Patience.seconds
      ).run(planOnly: true)
      if status != 0 { Glibc.exit(status) }
    }
  }
}
