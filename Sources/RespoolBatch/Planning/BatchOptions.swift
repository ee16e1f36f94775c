public import Respool

/// Options of a batch.
public struct BatchOptions: Sendable {
  /// Files and folders, as the user gave them.
  public var inputs: [String]
  /// Folder for the outputs, created if it does not exist.
  public var output: String
  /// Name or path of the preset.
  public var preset: String
  /// `true` if files of subtitles beside films are added to the outputs, as the preset states.
  var attachesSidecars = false
  /// Number of conversions at a time.
  ///
  /// `nil` for the number that the cores allow.
  public var jobs: Int?
  /// Number of threads of each conversion, on which the bytes of some outputs depend.
  ///
  /// `nil` for as many as there are cores for each.
  public var threads: Int?
  /// Limits of the work on each file.
  public var limits = WorkLimits()
  /// Hours of the day in which files are converted; `nil` for all.
  public var hours: DayHours?
  public var onExists: OnExists = .skip
  public var onCollision: OnCollision = .fail
  /// `true` if a file fails that loses a track, a chapter or a property, or whose source is incomplete.
  public var strict = false
  /// Extent of the check of every output before it is published.
  ///
  /// `nil` for ``OutputVerification/bytes`` if outputs replace their sources, and else
  /// ``OutputVerification/usual``.
  public var verification: OutputVerification?
  /// `true` if outputs get the permissions and times of their sources.
  public var keepsAttributes = true
  /// `true` if files are tried again that failed before and have not changed since.
  public var retriesFailed = false
  /// Seconds that a batch waits at most for room on a full disk; the files for which there is none then fail.
  ///
  /// By default 10 minutes; 0 does not wait.
  public var spacePatience = 600.0
  /// `true` if the work of a batch that is running with the same output folder is shared.
  ///
  /// Each file is then converted by one of the batches, which may run on machines that share the folders at the same
  /// paths. They must agree in inputs, preset, plugins and rules. Not with ``replacement``.
  public var joins = false
  /// Seconds in which files that are being converted may end after SIGTERM, before a share of a plan is given back.
  public var grace = 25.0
  /// Seconds between two searches of folders that are watched, without notice of a change; `nil` for one search.
  ///
  /// The batch then goes on until it is asked to end, and converts files when they are complete.
  public var sweep: Double?
  /// `true` if folders are entered through symbolic links.
  public var followsLinks = false

  /// Rules by which outputs replace their sources; the output folder is then the only input.
  ///
  /// `nil` if sources stay.
  public var replacement: Replacement?

  /// Files of input folders that are left out.
  public var filter = FileFilter()

  /// Path of the ``PlanFile`` whose files are converted instead of those that are found; `nil` for none.
  var plan: String?
  /// Path of the ``PlanFile`` to which a plan that is only shown is written; `nil` for none.
  public var planTarget: String?

  /// Condition that files fulfil; others are left out after their headers have been read.
  ///
  /// `nil` for all files.
  public var condition: MediaCondition?

  /// Treatment of outputs that already exist; `skip` makes them again if they are not up to date.
  public enum OnExists: String, Sendable, CaseIterable { case skip, replace, fail }
  /// Treatment of inputs that would get the same output name.
  public enum OnCollision: String, Sendable, CaseIterable { case fail, rename }

  public init(inputs: [String], output: String, preset: String) {
    self.inputs = inputs
    self.output = output
    self.preset = preset
  }

  /// Extent of the check of every output.
  var extentOfCheck: OutputVerification { verification ?? (replacement == nil ? .usual : .bytes) }

  /// Number of threads of each conversion that a plan states, so that all machines that do it make the same bytes.
  var threadsOfPlan: Int { threads ?? max(1, coreCount() / max(1, jobs ?? coreCount())) }

  /// Returns the reason why a file fails because of what its output would lack.
  ///
  /// `nil` unless ``strict``. A source that is incomplete is never replaced.
  func reasonToFail(losses: [String], incomplete: String?) -> String? {
    guard strict else {
      return replacement == nil ? nil : incomplete.map { "\($0): kept the original" }
    }
    return Self.strictReason(losses: losses, incomplete: incomplete)
  }

  /// Returns the reason why a strict conversion fails; `nil` if its output lacks nothing.
  package static func strictReason(losses: [String], incomplete: String?) -> String? {
    incomplete
      ?? (losses.isEmpty ? nil : "something would be lost: " + losses.joined(separator: "; "))
  }
}
