import RespoolHost
package import RespoolMedia

/// A share of a plan: one of several, each for a machine.
public struct Shard: Hashable, Sendable, CustomStringConvertible {
  /// Number of the share, from 1 to ``count``.
  public let number: Int
  /// Number of shares.
  public let count: Int

  /// Maximum of ``count``.
  public static let most = 100_000

  /// Creates a share; `nil` unless `count` is from 1 to ``most`` and `number` from 1 to `count`.
  public init?(number: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(number) else { return nil }
    (self.number, self.count) = (number, count)
  }

  /// Reads a share such as `3/10`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]) else {
      return nil
    }
    self.init(number: number, of: count)
  }

  public var description: String { "\(number)/\(count)" }

  /// The variables by which a scheduler tells a task of an array its number.
  private struct Scheduler {
    let name: String
    let number: String
    /// `nil` if the scheduler does not tell it.
    let count: String?
    /// Number of the first task.
    let first: Int
  }

  /// Sources: sbatch(1), "Output environment variables"; Kubernetes, "Indexed Job for Parallel Processing with Static
  /// Work Assignment"; AWS Batch, "Job environment variables".
  private static let schedulers = [
    Scheduler(
      name: "Slurm", number: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: 1),
    Scheduler(name: "Kubernetes", number: "JOB_COMPLETION_INDEX", count: nil, first: 0),
    Scheduler(
      name: "AWS Batch", number: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE",
      first: 0),
  ]

  /// Finds the share of this process in the variables of an array scheduler.
  ///
  /// `count` is the number of shares; `nil` for that of the scheduler. Throws `invalidArgument` if there are no such
  /// variables, or they do not fit.
  package static func find(
    count: Int?, in variable: (String) -> String? = { RespoolHost.environment($0) }
  ) throws(MediaError) -> Shard {
    for scheduler in schedulers {
      guard let text = variable(scheduler.number) else { continue }
      guard let number = Int(text) else {
        throw MediaError(
          .invalidArgument, "\(scheduler.number) is \(text.printable()), which is no number")
      }
      guard let count = count ?? scheduler.count.flatMap(variable).flatMap(Int.init)
      else {
        throw MediaError(
          .invalidArgument,
          "\(scheduler.name) does not tell the number of shares; name it with --shards")
      }
      if let shard = Shard(number: number - scheduler.first + 1, of: count) { return shard }
      throw MediaError(
        .invalidArgument,
        "\(scheduler.number) is \(number), which is no task of \(count); number the tasks from "
          + "\(scheduler.first) to \(count - 1 + scheduler.first)")
    }
    throw MediaError(
      .invalidArgument,
      "name the share with --shard, such as 1/4; no scheduler has told it ("
        + schedulers.map(\.number).joined(separator: ", ") + ")")
  }
}
