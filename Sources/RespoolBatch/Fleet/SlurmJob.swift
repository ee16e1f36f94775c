import Respool
import RespoolHost
public import RespoolMedia

/// The scripts that have Slurm do a plan: an array job of shares, and a job that collects their results after it.
public struct SlurmJob: Sendable {
  /// Folder of the scripts and of what they print.
  public let folder: String
  /// Number of shares.
  public let shards: Int
  /// Scripts for sbatch(1).
  public let share: String
  public let collect: String

  public var sharePath: String { PathName.join(folder, "share.sh") }
  public var collectPath: String { PathName.join(folder, "collect.sh") }

  /// Seconds before the end of a task's time at which it is asked to end.
  private static let warning = 60

  /// Wishes of the user.
  public struct Request: Sendable {
    /// Number of shares; `nil` for one for each of `nodes`.
    public var shards: Int?
    public var partition: String?
    /// Cores for each share; `nil` for whole nodes.
    public var cores: Int?
    /// Further options for sbatch(1), such as `--account=films`.
    public var options: [String] = []

    public init() {}
  }

  /// Makes the scripts for the plan at a path.
  ///
  /// `nodes` returns the number of nodes that Slurm has, and `program` is the path of `respool` on all of them. Throws
  /// `malformed` and `io` if the plan cannot be read, and `invalidArgument` if there is no work or an option has a line
  /// break.
  public init(
    plan path: String, _ request: Request, program: String, nodes: () throws(MediaError) -> Int
  ) throws(MediaError) {
    let plan = try PlanFile.open(path)
    let parts = try plan.parts().count
    guard parts > 0 else {
      throw MediaError(.invalidArgument, "the plan has no file to convert", file: path)
    }
    let wanted = if let shards = request.shards { shards } else { try nodes() }
    shards = max(1, min(wanted, parts, Shard.most))
    let options = request.options + (request.partition.map { ["--partition=" + $0] } ?? [])
    for option in options where option.contains("\n") || !option.hasPrefix("-") {
      throw MediaError(.invalidArgument, "\(option.printable()) is no option of sbatch")
    }
    let state = FleetFolder(try plan.identifier(), output: try plan.options().output)
    folder = PathName.join(state.path, "slurm")
    // Slurm takes "%" and "\\" in the folder of a log for its own signs (sbatch(1), filename pattern).
    let hasSigns = folder.contains { $0 == "%" || $0 == "\\" }
    func log(_ pattern: String) -> String { "--output=" + (hasSigns ? "/dev/null" : pattern) }
    func redirection(to name: String) -> String { hasSigns ? "exec >>\(name) 2>&1\n" : "" }
    let words = [program, "work", PathName.absolute(path), "--shards", "\(shards)"]
    let lines =
      [
        "--job-name=respool", "--array=1-\(shards)", "--nodes=1", "--ntasks=1",
        request.cores.map { "--cpus-per-task=\($0)" } ?? "--exclusive", "--requeue",
        "--open-mode=append", "--signal=B:TERM@\(Self.warning)", log("share-%a.log"),
      ] + options
    share =
      Self.head(lines) + redirection(to: "\"share-$SLURM_ARRAY_TASK_ID.log\"") + """
        # Slurm signals this shell. The work gets the signal too, and gives back what it cannot finish.
        \(Self.quoted(words)) &
        work=$!
        trap 'kill -TERM "$work"' TERM
        while :; do
          wait "$work"
          status=$?
          kill -0 "$work" 2>/dev/null || break
        done
        # Slurm itself requeues preempted tasks; cancelled ones have ended for it already.
        task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
        if [ "$status" -eq \(Batch.givenBack) ] \
          && [ "$(squeue --noheader --job="$task" --format=%T)" = RUNNING ]; then
          scontrol requeue "$task"
        fi
        exit "$status"

        """
    collect =
      Self.head(
        [
          "--job-name=respool-collect", "--nodes=1", "--ntasks=1", log("collect.log"),
          "--open-mode=append",
        ] + options) + redirection(to: "collect.log")
      + "exec " + Self.quoted([program, "collect", PathName.absolute(path)]) + "\n"
  }

  /// Returns the arguments of sbatch for the shares.
  public var shareArguments: [String] { ["sbatch", "--parsable", "--chdir=" + folder, sharePath] }

  /// Returns the arguments of sbatch for the job that collects the results of another.
  public func collectArguments(after job: String) -> [String] {
    ["sbatch", "--parsable", "--chdir=" + folder, "--dependency=afterany:" + job, collectPath]
  }

  /// Writes the scripts; throws `io` if that fails.
  public func write() throws(MediaError) {
    try makeDurableFolder(folder, named: "the folder for the scripts")
    try TextFile.write(share, to: sharePath)
    try TextFile.write(collect, to: collectPath)
  }

  private static func head(_ options: [String]) -> String {
    "#!/bin/sh\n" + options.map { "#SBATCH \($0)\n" }.joined()
  }

  /// Returns words as a shell reads them.
  public static func quoted(_ words: [String]) -> String {
    words.map { word in
      word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_=./:,%+@".contains($0)) }
        && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }.joined(separator: " ")
  }
}
