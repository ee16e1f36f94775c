import RespoolMedia

/// The result of a source with a preset, as the ledger keeps it.
struct LedgerEntry: Hashable {
  typealias Result = LedgerStatus.Result

  /// Absolute path of the source.
  var source: String
  var sourceStamp: FileStamp
  /// Inode number of the source, by which it is found again after it was renamed.
  var inode: Int64
  /// `nil` if the source could not be read.
  var sourceMark: ContentMark?
  /// Identity of the preset's content.
  var preset: String
  /// Plugins on which the result depends, with their versions.
  var plugins: String
  /// Number of times that the file was planned or converted, with this content and preset.
  ///
  /// 0 for an output that was found without an entry, also as the former output of a later result; its losses are unknown.
  var attempts: Int64 = 1
  var result: Result
  /// Reason why the file failed or was skipped, or why its source is incomplete.
  var reason: String?
  /// Losses, one sentence each.
  var losses: [String] = []
  /// `true` if the source ended early, which ``reason`` tells, or changed while it was converted.
  var isIncomplete = false
  /// Output; `nil` if the result has none.
  var output: Output?
  /// Output that the source had before a result without one; `nil` if there is none.
  ///
  /// A later batch may replace it if Respool has made it, and not if it was found (``isFound``).
  var formerOutput: Output?
  /// The output of this result or of an earlier one.
  var knownOutput: Output? { output ?? formerOutput }
  /// Size of an output that was removed because the original was to be kept; only without an output.
  var rejectedSize: Int64?
  /// The replaced source; `nil` unless the output has replaced it.
  var replaced: ReplacedFile?
  /// Absolute path of the source, or of the original that is kept of a replaced one; `nil` if it is not kept.
  var originalPath: String? {
    switch replaced?.state {
    case nil, .restored: source
    case .replacing, .replaced, .restoring, .superseded: replaced?.kept
    }
  }
  /// Seconds that the work took.
  var seconds = 0.0

  /// Reason of an incomplete source if ``reason`` is `nil`.
  static let changedSource = "the source changed while it was converted"

  /// `true` if the same would come of the source again.
  var isFinal: Bool { !isIncomplete || reason != nil }

  /// `true` if no batch is known to have made the output.
  var isFound: Bool { attempts == 0 }

  /// `true` if the output is known to have all that is in its source.
  var isLossless: Bool { losses.isEmpty && !isFound }

  struct Output: Hashable {
    /// Path below the output folder.
    var name: String
    var stamp: FileStamp
    /// `nil` if the output could not be read.
    var mark: ContentMark?
    /// `false` from before the output gets its name until after that.
    ///
    /// If the batch is killed meanwhile, either the new output or the previous one has the name.
    var isPublished = true
    /// `true` if no file had the name when the output was made; only before it is published.
    ///
    /// A file that has the name all the same is not an output of the batch.
    var isNew = false
  }
}
