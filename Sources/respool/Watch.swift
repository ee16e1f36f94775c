import ArgumentParser
import CLinux
import Glibc
import Respool
import RespoolBatch
import RespoolMedia

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Converts files when they come into a folder.",
    discussion: """
      Converts what is in the folders as `respool batch` does, then waits for more. A file is \
      converted when no process writes it any more, and not while it has a temporary name such as \
      film.mp4.part or film.mkv~. Each state of a file is converted once, also after a restart. \
      Folders of file servers, which do not tell what has changed, are searched every --sweep \
      seconds.

      SIGTERM lets conversions end, and begins no more. SIGHUP does the same and begins again with \
      the presets and plugins as they are then; files are converted again if their preset has \
      changed. Ctrl-C stops at once.

      With --list, watches several folders with presets of their own. The file is a YAML list; each \
      item has `input`, a folder or a list of folders, and options of this command by their names \
      without hyphens. SIGHUP also reads the file again.

      Examples:
        respool watch ~/Incoming --to ~/Converted --preset web-720p
        respool watch --list watches.yaml

      Exit status: 0 after SIGTERM, 1 it cannot watch, 2 wrong usage, 130 interrupted.
      """)

  @Argument(help: "Folders to watch.", completion: .directory)
  var inputs: [String] = []

  @Option(name: .long, help: "The folder for the outputs.", completion: .directory)
  var to: String?

  @OptionGroup var replacing: ReplaceArguments

  @Option(help: "Name or path of the preset.", completion: Completions.presets)
  var preset: String?

  @Option(
    help: ArgumentHelp(
      "A YAML list of watches, such as `- {input: /tapes, to: /films, preset: archive}`.",
      valueName: "file"), completion: .file())
  var list: String?

  /// `true` in the processes of the watches of a list.
  @Flag(help: .hidden)
  var oneOfMany = false

  @Option(help: "Seconds between two searches without notice of a change.")
  var sweep = Self.usualSweep

  @Option(help: "Conversions at a time (default: the number of usable cores).")
  var jobs: Int?

  @OptionGroup var limits: LimitArguments

  @Option(
    help: ArgumentHelp(
      "Minutes to wait for room on a full disk (default: until there is room). Files for which there is none fail then, and are tried again after SIGHUP or a restart.",
      valueName: "minutes"))
  var waitForSpace: Double?

  @OptionGroup var rules: FileRules
  @OptionGroup var report: ReportArguments

  private static let usualSweep = 60.0
  /// Seconds in which conversions may end after SIGTERM.
  private static let grace = 86_400.0

  func validate() throws {
    if list != nil {
      if !inputs.isEmpty { throw ValidationError("the folders are those of --list") }
      try replacing.refuseRules("with --list")
      try rules.refuse("with --list")
      try IneffectiveOptions.refuse(
        [
          "--to": to != nil, "--preset": preset != nil, "--replace": replacing.replace,
          "--jobs": jobs != nil, "--wait-for-space": waitForSpace != nil,
          "--sweep": sweep != Self.usualSweep,
          "--limit-memory": limits.limitMemory != nil, "--limit-cpu": limits.limitCpu != nil,
          "--limit-output": limits.limitOutput != nil,
        ], "with --list")
    } else {
      if inputs.isEmpty { throw ValidationError("name a folder to watch, or a --list of them") }
      try replacing.check(inputs, to: to)
      if preset == nil { throw ValidationError("name a preset with --preset") }
    }
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs); it takes 1 to 1024")
    }
    if let waitForSpace { try Self.check(waitForSpace: waitForSpace) }
    if !(1...86_400).contains(sweep) {
      throw ValidationError("--sweep is \(sweep); it takes 1 to 86400 seconds")
    }
  }

  /// Throws if `--wait-for-space` has no number of minutes that can be waited for.
  static func check(waitForSpace minutes: Double) throws {
    guard !(0...1e6).contains(minutes) else { return }
    throw ValidationError("--wait-for-space is \(minutes); it takes 0 to 1000000 minutes")
  }

  func run() throws {
    if oneOfMany { linux_die_with_parent() }
    try CommandError.reporting { () throws(MediaError) in
      if let list {
        let status = try WatchList(list, common: report.words).run()
        if status != 0 { Glibc.exit(status) }
        return
      }
      for input in inputs where !fileExists(input) {
        throw MediaError(.io, "there is no such folder to watch", file: input)
      }
      let preset = preset ?? ""
      var options = BatchOptions(inputs: inputs, output: to ?? inputs.first ?? "", preset: preset)
      options.replacement = replacing.rules
      rules.apply(to: &options)
      (options.sweep, options.jobs, options.grace) = (sweep, jobs, Self.grace)
      options.limits = limits.limits
      options.spacePatience = waitForSpace.map { $0 * 60 } ?? .infinity
      var status = Batch.restart
      var isFirst = true
      while status == Batch.restart {
        let registry: PluginRegistry
        do throws(MediaError) { registry = try PresetCheck.registry(for: preset) } catch {
          if isFirst { throw error }
          // A mistake in a preset must not end a service.
          CommandError.print(error)
          CommandError.note(
            "nothing is converted until the preset is valid; then send SIGHUP again")
          guard try Batch.awaitRestart() else { return }
          continue
        }
        isFirst = false
        status = try Batch(
          options: options, executable: CommandLine.executablePath, registry: registry,
          reporter: oneOfMany
            ? FolderReporter(options.output, report.reporter()) : report.reporter(),
          patience: Patience.seconds
        ).run()
      }
      if status != 0 { Glibc.exit(status) }
    }
  }
}
