import Respool

/// What happens in a batch, as `--json` prints it: one object a line.
public struct BatchEvent: Sendable {
  public enum Kind: String, Sendable { case planned, progress, finished, warning, summary }
  public enum Status: String, Sendable { case converted, copied, skipped, failed }

  public var event: Kind
  public var input: String?
  public var output: String?
  /// `planned`: convert, copy, skip or fail.
  public var action: String?
  /// `planned`: why a file is skipped or fails.
  public var reason: String?
  /// `progress`: 0 to 1.
  public var fraction: Double?
  public var status: Status?
  /// `finished` and `summary`: time taken.
  public var seconds: Double?
  /// `finished`: why it failed or was skipped.
  public var error: String?
  /// `finished`: what was damaged in the source or is missing in the output.
  public var losses: [String]?
  /// `finished`: why the source is not complete; `nil` if it is, as far as is known.
  public var incomplete: String?
  /// `planned` and `finished`: `true` for a file that is skipped because its output is there and up to date.
  public var isDoneAlready = false
  /// `warning`: a sentence about the batch, such as a plugin that is out of order.
  public var message: String?
  public var converted: Int?
  public var copied: Int?
  public var skipped: Int?
  public var failed: Int?
  /// `summary`: how many of the skipped have an output that is up to date.
  public var doneAlready: Int?
  /// `summary`: how many sources were not complete; `nil` for none.
  public var incompleteCount: Int?
  /// The number of outputs that lack something of their sources, as each one's ``losses`` name it.
  public var lossyCount: Int?
  /// `summary` of a batch that was ended early: files that are left to do.
  public var left: Int?
  /// `summary`: `true` if the user ended the batch.
  public var isInterrupted = false
  /// `summary`: `true` if the batch ended before all files were found.
  public var stillWalking = false
  /// `summary` of a plan that is only shown.
  public var plan: Plan?

  /// What a batch would do.
  public struct Plan: Sendable {
    /// Files to convert, to copy, to skip, and that would fail.
    public var convert: Int, copy: Int, skip: Int, fail: Int
    /// Seconds of media to convert or copy.
    public var media: Double
  }

  /// One line, the kind first; what does not apply is left out.
  var line: String {
    JSON.object([
      "event": .string(event.rawValue), "input": input.map { .string($0) },
      "output": output.map { .string($0) }, "action": action.map { .string($0) },
      "reason": reason.map { .string($0) }, "fraction": fraction.map { .number($0) },
      "status": status.map { .string($0.rawValue) },
      "converted": converted.map { .integer(Int64($0)) },
      "copied": copied.map { .integer(Int64($0)) },
      "skipped": skipped.map { .integer(Int64($0)) },
      "failed": failed.map { .integer(Int64($0)) },
      "upToDate": isDoneAlready ? .bool(true) : nil,
      "alreadyDone": doneAlready.map { .integer(Int64($0)) },
      "incomplete": incomplete.map { .string($0) },
      "incompleteSources": incompleteCount.map { .integer(Int64($0)) },
      "withLosses": lossyCount.map { .integer(Int64($0)) },
      "left": left.map { .integer(Int64($0)) },
      "plan": plan.map { plan in
        JSON.object([
          "convert": .integer(Int64(plan.convert)), "copy": .integer(Int64(plan.copy)),
          "skip": .integer(Int64(plan.skip)), "fail": .integer(Int64(plan.fail)),
          "media": .number(plan.media),
        ])
      },
      "message": message.map { .string($0) },
      "seconds": seconds.map { .number($0) }, "error": error.map { .string($0) },
      "losses": losses.map { .strings($0) },
    ]).compactText
  }
}

/// Takes the events of a batch as they happen.
public protocol BatchReporter: AnyObject {
  func report(_ event: BatchEvent)
  /// Called about ten times a second while jobs run.
  func tick(_ state: BatchProgress)
}

/// Where a batch stands.
public struct BatchProgress: Sendable {
  public struct Job: Sendable {
    public var input: String
    public var fraction: Double
    public var seconds: Double

    public init(input: String, fraction: Double, seconds: Double) {
      self.input = input
      self.fraction = fraction
      self.seconds = seconds
    }
  }

  /// Nil while the files are looked at.
  public var jobs: [Job] = []
  public var filesDone = 0
  public var filesTotal = 0
  /// Seconds of media done and to do.
  public var mediaDone = 0.0
  public var mediaTotal = 0.0
  /// Part of the expected work that is done.
  public var fraction = 0.0
  public var elapsed = 0.0
  public var isPlanning = false
  public var failed = 0
  /// `true` for one conversion that is no batch: it has one bar.
  public var isSingle = false

  public init() {}
}
