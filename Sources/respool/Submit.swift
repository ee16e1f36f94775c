import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct SubmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: "Gives a plan to a scheduler.",
    discussion: """
      Submits an array job, whose tasks do shares of the plan with `respool work`, and a job that \
      collects their results after them with `respool collect`. A task that is preempted, or comes \
      to the end of its time, gives back its work and is queued again. Scripts and logs are in the \
      folder that is printed. The nodes have respool, the inputs, the output folder and the plan at \
      the same paths as this machine.

      Example:
        respool submit films.respool --slurm --partition long --sbatch=--time=4:00:00

      Exit status: 0 submitted, 1 the scheduler has refused a job, 2 wrong usage.
      """)

  @Argument(help: "A plan of `respool plan`.", completion: .file())
  var plan: String

  @Flag(help: "Submit to Slurm, with sbatch.")
  var slurm = false

  @Option(help: "Number of shares (default: one for each node of the partition).")
  var shards: Int?

  @Option(help: "Partition of the jobs (default: that of Slurm).")
  var partition: String?

  @Option(help: "Cores for each share (default: a whole node).")
  var cores: Int?

  @Option(
    help: ArgumentHelp(
      "Further option of sbatch for both jobs, such as --sbatch=--account=films. May be repeated.",
      valueName: "option"))
  var sbatch: [String] = []

  @Flag(help: "Print the scripts and commands, and submit nothing.")
  var dryRun = false

  func validate() throws {
    if !slurm { throw ValidationError("name the scheduler; --slurm is the one that is known") }
    if let shards, !(1...Shard.most).contains(shards) {
      throw ValidationError("--shards is \(shards); it takes 1 to \(Shard.most)")
    }
    if let cores, !(1...1024).contains(cores) {
      throw ValidationError("--cores is \(cores); it takes 1 to 1024")
    }
  }

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      var request = SlurmJob.Request()
      (request.shards, request.partition, request.cores) = (shards, partition, cores)
      request.options = sbatch
      let job = try SlurmJob(
        plan: plan, request, program: CommandLine.executablePath, nodes: nodeCount)
      guard !dryRun else { return show(job) }
      try job.write()
      let number = try Self.submit(job.shareArguments)
      CommandOutput.show("job \(number): \(job.shards.counting("share"))")
      let last = try Self.submit(job.collectArguments(after: number))
      CommandOutput.show("job \(last): collects their results")
      CommandOutput.show("logs: \(job.folder.printable())")
      CommandOutput.show("progress: " + SlurmJob.quoted(["respool", "status", plan]))
    }
  }

  private func show(_ job: SlurmJob) {
    CommandOutput.show("# \(job.sharePath.printable())\n\(job.share)", terminator: "\n")
    CommandOutput.show("# \(job.collectPath.printable())\n\(job.collect)", terminator: "\n")
    CommandOutput.show(SlurmJob.quoted(job.shareArguments))
    CommandOutput.show(SlurmJob.quoted(job.collectArguments(after: "JOB")))
  }

  /// Submits a job and returns its number, without the name of the cluster that may follow.
  private static func submit(_ arguments: [String]) throws(MediaError) -> String {
    let answer = try OtherProgram.run(arguments)
    let number = answer.prefix { $0.isNumber }
    guard !number.isEmpty else {
      throw MediaError(.io, "sbatch has answered \(answer.printable()) in place of a job's number")
    }
    return String(number)
  }

  /// Returns the number of nodes of the partition.
  ///
  /// Throws `io` if Slurm does not answer or has none.
  private func nodeCount() throws(MediaError) -> Int {
    let words =
      ["sinfo", "--noheader", "--Node", "--format=%N"]
      + (partition.map { ["--partition=" + $0] } ?? [])
    let answer: String
    do throws(MediaError) { answer = try OtherProgram.run(words) } catch {
      throw MediaError(
        .io,
        "Slurm does not tell how many nodes it has; start its controller, or name the number of shares with --shards",
        cause: error.description.split(separator: "\n").first.map(String.init))
    }
    let names = Set(answer.split(separator: "\n"))
    guard !names.isEmpty else {
      throw MediaError(
        .io, "Slurm has no node\(partition.map { " in the partition \($0)" } ?? "")")
    }
    return names.count
  }
}
