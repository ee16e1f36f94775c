import ArgumentParser
import Glibc
import Respool
import RespoolBatch
import RespoolHost
import RespoolMedia

struct WorkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract: "Does a share of a plan.",
    discussion: """
      All machines have the inputs, the output folder and the plan at the same paths, and the same \
      respool, plugins and preset, byte for byte. Nothing else connects them. Shares have about the \
      same predicted work. A machine whose share is done takes files that others have not begun, \
      and files of machines that have ended or gave no sign of life for a minute. The same share \
      may be started twice; no file is converted twice.

      In a task of an array job of Slurm, Kubernetes or AWS Batch, --shard is not needed; for \
      Kubernetes, name the number of shares with --shards. In Slurm, the tasks are numbered from 1.

      On SIGTERM, nothing more begins. Files that are done within --grace seconds are kept, and the \
      others are given back.

      `respool status PLAN` shows the progress of all machines. `respool collect PLAN` puts their \
      results into the ledger of the output folder, and names files that are missing.

      Example:
        respool work films.respool --shard 2/3

      Exit status: 0 all done, 1 some files failed, now or before, 2 wrong usage, 75 given back on SIGTERM, 130 \
      interrupted.
      """)

  @Argument(help: "A plan of `respool plan`.", completion: .file())
  var plan: String

  @Option(help: ArgumentHelp("The share, such as 2/3 for the second of three.", valueName: "share"))
  var shard: String?

  @Option(help: "Number of shares, if a scheduler tells only that of this one.")
  var shards: Int?

  @Option(
    help: "Conversions at a time (default: as many as the usable cores have threads for).")
  var jobs: Int?

  @Option(help: "Seconds in which conversions may end after SIGTERM.")
  var grace = 25.0

  @OptionGroup var limits: LimitArguments

  @OptionGroup var report: ReportArguments

  func validate() throws {
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs); it takes 1 to 1024")
    }
    if let shards, !(1...Shard.most).contains(shards) {
      throw ValidationError("--shards is \(shards); it takes 1 to \(Shard.most)")
    }
    if !(0...86_400).contains(grace) {
      throw ValidationError("--grace is \(grace); it takes 0 to 86400 seconds")
    }
    if shard != nil, shards != nil {
      throw ValidationError("--shard and --shards exclude each other; --shard 2/3 has both")
    }
    if let shard, Shard(shard) == nil {
      throw ValidationError(
        "--shard is \(shard); it takes a share such as 2/3, from 1/3 to 3/3, of at most \(Shard.most)"
      )
    }
  }

  /// Number of cores that this process may use.
  ///
  /// Not each Slurm keeps its tasks from the cores of others (sbatch(1), `SLURM_CPUS_ON_NODE`).
  private var cores: Int {
    min(coreCount(), RespoolHost.environment("SLURM_CPUS_ON_NODE").flatMap(Int.init) ?? .max)
  }

  /// Number of times that Slurm has queued this task again (sbatch(1), `SLURM_RESTART_COUNT`).
  private var restarts: Int {
    RespoolHost.environment("SLURM_RESTART_COUNT").flatMap(Int.init) ?? 0
  }

  /// Number of restarts after which a task that finishes nothing is not queued again.
  private static let mostRestarts = 2

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let share =
        if let found = shard.flatMap(Shard.init) { found } else {
          try Shard.find(count: shards)
        }
      var options = try PlanFile.open(plan).options()
      options.jobs = jobs ?? max(1, cores / max(1, options.threads ?? 1))
      options.grace = grace
      options.limits = limits.limits
      let registry = try PresetCheck.registry(for: options.preset)
      let batch = Batch(
        options: options, executable: CommandLine.executablePath, registry: registry,
        reporter: report.reporter(), shard: share,
        patience: Patience.seconds)
      let status = try batch.run()
      if status == Batch.givenBack, batch.resultCount == 0, restarts >= Self.mostRestarts {
        CommandError.note(
          "no file was finished in the time of this task, which has begun \((restarts + 1).counting("time")): "
            + "it is not queued again; give it more time, such as with respool submit --sbatch=--time=4:00:00"
        )
        Glibc.exit(1)
      }
      if status != 0 { Glibc.exit(status) }
      // All was done before.
      guard batch.resultCount == 0 else { return }
      let failed = try FleetStatus(ofPlan: plan).failed
      guard failed > 0 else { return }
      CommandError.note(
        "\(failed.counting("file")) of the plan failed before; respool status -v names them")
      Glibc.exit(1)
    }
  }
}
