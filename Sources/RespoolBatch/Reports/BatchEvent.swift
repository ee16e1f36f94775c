import Respool

/// An event of a batch, which `--json` prints as one object per line.
public struct BatchEvent: Sendable {
  public enum Kind: String, Sendable {
    case planned, progress, finished, warning, paused, resumed, summary
  }
  public enum Status: String, Sendable { case converted, copied, skipped, failed }

  public var event: Kind
  /// Output folder of the watch, if one process reports of several.
  public var folder: String?
  public var input: String?
  public var output: String?
  /// `finished`: paths of all outputs of a file that has several; `output` is the first of them.
  public var outputs: [String]?
  /// `planned`: convert, copy, skip or fail.
  public var action: String?
  /// `planned`: reason why a file is skipped or fails.
  public var reason: String?
  /// `planned`: probable size of the output in bytes, which may be half or twice the actual one.
  public var predictedSize: Int64?
  /// `planned`: probable seconds of the work, by the latest conversions with the preset into this folder.
  ///
  /// `nil` if there were none.
  public var predictedSeconds: Double?
  /// `progress`: finished fraction, 0 to 1.
  public var fraction: Double?
  public var status: Status?
  /// `finished` and `summary`: elapsed time in seconds.
  public var seconds: Double?
  /// `finished`: reason why the file failed or was skipped.
  public var error: String?
  /// `finished`: damage of the source and content missing in the output.
  public var losses: [String]?
  /// `finished`: changes that are no losses, see ``ExportReport/notes``.
  public var notes: [String]?
  /// `finished`: reason why the source is incomplete.
  ///
  /// `nil` if no damage is known.
  public var incomplete: String?
  /// `planned` and `finished`: `true` for a file that is skipped because its output is up to date.
  public var isDoneAlready = false
  /// `planned` and `finished`: former name, below the output folder, of an output that moves as its source did.
  ///
  /// `nil` if it stays.
  public var movedFrom: String?
  /// `planned` and `finished`: `true` for a file or folder that a filter of the user leaves out.
  public var isExcluded = false
  /// `planned` and `finished`: `true` for a file with the result of an earlier batch, because nothing has changed; with
  /// ``isDoneAlready`` only if its source is incomplete.
  public var isRemembered = false
  /// `true` if the output is up to date, and was made of an incomplete source.
  var isDoneOfIncomplete: Bool { isDoneAlready && isRemembered }
  /// `warning` and `paused`: a sentence about the batch, such as a plugin that does not work, or a full disk.
  public var message: String?
  public var converted: Int?
  public var copied: Int?
  public var skipped: Int?
  public var failed: Int?
  /// `summary`: number of skipped files whose output is up to date.
  public var doneAlready: Int?
  /// `summary`: number of skipped files and folders that a filter of the user leaves out.
  public var excluded: Int?
  /// `summary`: number of incomplete sources.
  ///
  /// `nil` if there are none.
  public var incompleteCount: Int?
  /// `summary`: number of outputs that lack content of their sources, as stated in their ``losses``.
  public var lossyCount: Int?
  /// `summary` of a batch that was ended early: number of files that are left.
  public var left: Int?
  /// `summary`: `true` if the user ended the batch.
  public var isInterrupted = false
  /// `summary`: `true` if the batch ended before all files were found.
  public var stillWalking = false
  /// `summary` of a plan that is only shown: the plan.
  public var plan: Plan?

  /// Counts of a batch that is only planned.
  public struct Plan: Sendable {
    /// Numbers of files to convert, to copy, to skip, and that would fail.
    public var convert: Int, copy: Int, skip: Int, fail: Int
    /// Duration of the media to convert or copy, in seconds.
    public var media: Double
    /// Probable size of the outputs in bytes.
    public var size: Int64
    /// Probable seconds of the batch, by the latest conversions with the preset into this folder.
    ///
    /// `nil` if there were none.
    public var seconds: Double?
    /// Bytes that are free where the outputs will be.
    ///
    /// `nil` if unknown.
    public var free: Int64?
  }

  /// JSON text in one line, the kind first, without keys that do not apply.
  var line: String {
    JSON.object([
      "event": .string(event.rawValue), "folder": folder.map { .string($0) },
      "input": input.map { .string($0) },
      "output": output.map { .string($0) }, "outputs": outputs.map { .strings($0) },
      "action": action.map { .string($0) },
      "reason": reason.map { .string($0) },
      "predictedSize": predictedSize.map { .integer($0) },
      "predictedSeconds": predictedSeconds.map { .number($0) },
      "fraction": fraction.map { .number($0) },
      "status": status.map { .string($0.rawValue) },
      "converted": converted.map { .integer(Int64($0)) },
      "copied": copied.map { .integer(Int64($0)) },
      "skipped": skipped.map { .integer(Int64($0)) },
      "failed": failed.map { .integer(Int64($0)) },
      "upToDate": isDoneAlready ? .bool(true) : nil,
      "movedFrom": movedFrom.map { .string($0) },
      "filtered": isExcluded ? .bool(true) : nil,
      "remembered": isRemembered ? .bool(true) : nil,
      "excluded": excluded.map { .integer(Int64($0)) },
      "alreadyDone": doneAlready.map { .integer(Int64($0)) },
      "incomplete": incomplete.map { .string($0) },
      "incompleteSources": incompleteCount.map { .integer(Int64($0)) },
      "withLosses": lossyCount.map { .integer(Int64($0)) },
      "left": left.map { .integer(Int64($0)) },
      "plan": plan.map { plan in
        JSON.object([
          "convert": .integer(Int64(plan.convert)), "copy": .integer(Int64(plan.copy)),
          "skip": .integer(Int64(plan.skip)), "fail": .integer(Int64(plan.fail)),
          "media": .number(plan.media), "predictedSize": .integer(plan.size),
          "predictedSeconds": plan.seconds.map { .number($0) },
          "free": plan.free.map { .integer($0) },
        ])
      },
      "message": message.map { .string($0) },
      "seconds": seconds.map { .number($0) }, "error": error.map { .string($0) },
      "losses": losses.map { .strings($0) }, "notes": notes.map { .strings($0) },
    ]).compactText
  }
}

/// A receiver of the events of a batch as they happen.
public protocol BatchReporter: AnyObject {
  func report(_ event: BatchEvent)
  /// Updates the progress.
  ///
  /// Called about ten times a second while jobs run.
  func tick(_ state: BatchProgress)
  /// `true` if files that were finished before the batch get events; `false` if they are only counted.
  ///
  /// `true` by default. A batch without work is faster without these events.
  var namesFinishedFiles: Bool { get }
}

extension BatchReporter {
  public var namesFinishedFiles: Bool { true }
}

/// Progress of a batch.
public struct BatchProgress: Sendable {
  public struct Job: Sendable {
    public var input: String
    public var fraction: Double
    public var seconds: Double
    /// Duration of its media in seconds; 0 if it is unknown.
    public var media: Double

    public init(input: String, fraction: Double, seconds: Double, media: Double = 0) {
      (self.input, self.fraction, self.seconds, self.media) = (input, fraction, seconds, media)
    }
  }

  /// Running jobs.
  ///
  /// Empty while the files are planned.
  public var jobs: [Job] = []
  public var filesDone = 0
  public var filesTotal = 0
  /// `true` while files are still being found, so that ``filesTotal`` and the total work are too small.
  public var isOpen = false
  /// Duration of the finished media and of all media, in seconds.
  public var mediaDone = 0.0
  public var mediaTotal = 0.0
  /// Finished fraction of the expected work, 0 to 1.
  public var fraction = 0.0
  public var elapsed = 0.0
  public var isPlanning = false
  public var failed = 0
  /// `true` for a single conversion without a batch, which has one bar.
  public var isSingle = false

  public init() {}
}
