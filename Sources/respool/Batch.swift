public import ArgumentParser
import CLinux
import Glibc
public import Respool
public import RespoolBatch
import RespoolMedia

struct BatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Converts folders of audio and video.",
    discussion: """
      Converts the audio and video files below the inputs into the same tree below the output \
      folder. Names each file that fails, is skipped or has losses. Outputs that are up to date \
      are skipped, so an interrupted batch continues where it stopped. An output is made again if \
      its source, the preset or a plugin has changed. The output of a source that was moved is moved \
      too. A file that cannot be converted fails again without another attempt until something \
      changes. The folder .respool in the output folder has the ledger of all results, which \
      `respool status` shows. Files are compared by size, times, and samples of their content.

      Outputs get the permissions and times of their sources. Hidden files and folders, links to \
      folders and other file systems are skipped.

      With --replace, each output that is smaller takes the place of its source, with its owner, \
      permissions, times, extended attributes and access control list. It has been read back and is \
      on the disk before the original goes to the folder of --originals. Without that option the \
      original is removed. Incomplete or damaged sources stay. Outputs of earlier batches are not \
      converted again, even with another preset. Use --strict to keep sources that would lose \
      anything.

      Examples:
        respool batch ~/Videos --to ~/Converted --preset web-720p
        respool batch ~/Videos --replace --originals ~/Originals --preset web-720p

      Exit status: 0 all done, 1 some files failed, 2 wrong usage, 130 interrupted.
      """)

  @Argument(help: "Files and folders to convert.", completion: .file())
  var inputs: [String] = []

  @Option(name: .long, help: "The folder for the outputs.", completion: .directory)
  var to: String?

  @OptionGroup var replacing: ReplaceArguments

  @Option(help: "Name or path of the preset.", completion: Completions.presets)
  var preset: String?

  @Option(help: "Conversions at a time (default: the number of usable cores).")
  var jobs: Int?

  @Flag(
    help:
      "Share the work of a running batch with the same inputs, output folder, preset and rules, also from another machine."
  )
  var join = false

  @Option(help: "Cores that the batch may use (default: all usable ones).")
  var cores: Int?

  @Option(help: "Priority of the conversions, from 0, the usual one, to 19, after all others.")
  var nice: Int?

  @Option(
    help: ArgumentHelp(
      "Convert only at some hours of the day, such as 22:00-07:00; outside of them, the batch pauses.",
      valueName: "hours"))
  var between: DayHours?

  @OptionGroup var limits: LimitArguments

  @OptionGroup var rules: FileRules

  @Option(
    help: ArgumentHelp(
      "Minutes to wait for room on a full disk. Files for which there is none fail then, and are tried again by the next batch.",
      valueName: "minutes"))
  var waitForSpace = 10.0

  @Flag(help: "Print the plan and convert nothing.")
  var dryRun = false

  @Option(
    name: .customLong("plan"),
    help: ArgumentHelp("Write the plan into a file and convert nothing.", valueName: "file"),
    completion: .file())
  var planTarget: String?

  @Option(
    help: ArgumentHelp(
      "Do what a plan of --plan states. Inputs, --to, --preset and rules for files are those of the plan.",
      valueName: "file"), completion: .file())
  var fromPlan: String?

  @Option(
    name: .customLong("report"),
    help: ArgumentHelp(
      "Make the page about the output folder as `respool report` does, into a file. By default, it goes to .respool/report.html in the folder and takes at most a fiftieth of the batch's time, so that not all files are looked into.",
      valueName: "file"), completion: .file())
  var page: String?

  @OptionGroup var report: ReportArguments

  func validate() throws {
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs); it takes 1 to 1024")
    }
    if let cores, !(1...1024).contains(cores) {
      throw ValidationError("--cores is \(cores); it takes 1 to 1024")
    }
    if let nice, !(0...19).contains(nice) {
      throw ValidationError("--nice is \(nice); it takes 0 to 19")
    }
    try WatchCommand.check(waitForSpace: waitForSpace)
    if page == "-" { throw ValidationError("--report takes a file, such as report.html") }
    try checkSource()
    if replacing.replace {
      try IneffectiveOptions.refuse(
        ["--on-exists fail": rules.onExists == .fail, "--plan": planTarget != nil, "--join": join],
        "with --replace")
    }
    if dryRun || planTarget != nil {
      try IneffectiveOptions.refuse(
        ["--join": join, "--report": page != nil], "with --dry-run and --plan")
    }
  }

  /// Throws unless there are either inputs or a plan.
  private func checkSource() throws {
    guard fromPlan != nil else {
      if inputs.isEmpty { throw ValidationError("name a file or folder to convert") }
      try replacing.check(inputs, to: to)
      if preset == nil { throw ValidationError("name a preset with --preset") }
      return
    }
    if !inputs.isEmpty { throw ValidationError("the inputs are those of --from-plan") }
    try replacing.refuseRules("with --from-plan")
    try IneffectiveOptions.refuse(
      [
        "--to": to != nil, "--preset": preset != nil, "--plan": planTarget != nil,
        "--replace": replacing.replace,
      ], "with --from-plan")
    try rules.refuse("with --from-plan")
  }

  /// Returns the options that decide which files are converted, and how.
  private func plannedOptions() throws(MediaError) -> BatchOptions {
    if let fromPlan { return try PlanFile.open(fromPlan).options() }
    var options = BatchOptions(
      inputs: inputs, output: to ?? inputs.first ?? "", preset: preset ?? "")
    options.replacement = replacing.rules
    rules.apply(to: &options)
    options.planTarget = planTarget
    return options
  }

  /// Part of a batch's time that its page may take.
  private static let pageShare = 0.02
  /// Number of files above which a page is only made if the user wants it.
  private static let mostRows = 100_000

  /// Makes the page about the output folder at the end of a batch that took some seconds.
  private func writePage(about folder: String, seconds: Double) throws(MediaError) {
    let isWanted = page != nil
    let path = page ?? BatchPage.usualPath(in: folder)
    do throws(MediaError) {
      if !isWanted {
        // The batch has named a folder whose ledger cannot be used.
        guard let status = try? LedgerStatus(of: folder, limit: 0),
          status.counts.values.reduce(0, +) <= Self.mostRows
        else { return }
      }
      try BatchPage(
        of: folder, executable: CommandLine.executablePath, jobs: jobs ?? coreCount(),
        most: BatchPage.usualLooks, time: isWanted ? .infinity : seconds * Self.pageShare,
        patience: Patience.seconds
      ).write(to: path)
      if !report.quiet, !report.json, TerminalReporter.isPossible {
        CommandError.note("report: \(path)")
      }
    } catch {
      // The conversions have succeeded all the same.
      if isWanted { throw error }
      if error.code != .cancelled {
        CommandError.note("the report cannot be made: \(error.description)")
      }
    }
  }

  func run() throws {
    // Workers inherit both.
    if let cores { linux_limit_cores(Int32(cores), UInt32.random(in: 0...UInt32.max)) }
    if let nice { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(nice)) }
    try CommandError.reporting { () throws(MediaError) in
      if let page { try BatchPage.check(page) }
      var options = try plannedOptions()
      options.jobs = jobs
      options.joins = join
      options.hours = between
      options.limits = limits.limits
      options.spacePatience = waitForSpace * 60
      let registry = try PresetCheck.registry(for: options.preset)
      let start = monotonicSeconds()
      let batch = Batch(
        options: options, executable: CommandLine.executablePath, registry: registry,
        reporter: report.reporter(wantsPlan: dryRun), patience: Patience.seconds)
      let isPlan = dryRun || planTarget != nil
      let status = try batch.run(planOnly: isPlan)
      if !isPlan, status != 130, page != nil || batch.resultCount > 0 {
        try writePage(about: options.output, seconds: monotonicSeconds() - start)
      }
      if status != 0 { Glibc.exit(status) }
    }
  }

}

extension BatchOptions.OnExists: ExpressibleByArgument {}
extension BatchOptions.OnCollision: ExpressibleByArgument {}
extension OutputVerification: ExpressibleByArgument {}

extension ByteCount: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

extension Moment: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

extension Age: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

extension DayHours: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
