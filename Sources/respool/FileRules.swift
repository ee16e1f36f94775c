import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

/// Options that decide which files of the inputs are converted, and under which conditions an output counts.
struct FileRules: ParsableArguments {
  @Option(
    help: "What to do with existing outputs: skip those up to date, replace or fail.")
  var onExists: BatchOptions.OnExists = .skip

  @Option(help: "What to do with inputs that would get the same output name: fail or rename.")
  var onCollision: BatchOptions.OnCollision = .fail

  @Flag(help: "Fail a file that would lose a track or a property, or that ends early.")
  var strict = false

  @Option(
    help:
      "How to verify outputs: usual compares tracks, packets and the index, bytes also all bytes of copies, full also decodes all (default: usual; with --replace, bytes)."
  )
  var verify: OutputVerification?

  @Flag(help: "Try files again that failed before and have not changed since.")
  var retryFailed = false

  @Option(
    help: ArgumentHelp(
      "Convert only files that match a pattern such as '*.mov' or 'Holiday/*', or are in a folder that does. May be repeated.",
      valueName: "pattern"))
  var include: [String] = []

  @Option(
    help: ArgumentHelp(
      "Leave out files and folders that match a pattern. May be repeated.", valueName: "pattern"))
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp("Leave out files below a size such as 500k, 10M or 2GiB.", valueName: "size")
  )
  var minSize: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Leave out files that were not modified since a date such as 2026-01-31 or '2026-01-31 12:30', or an age such as 36h, 7d or 2w.",
      valueName: "time"))
  var newerThan: Moment?

  @Option(
    name: .customLong("if"),
    help: ArgumentHelp(
      "Convert only files with properties such as 'video.codec != \"hevc\" and video.height > 1080'. The page Commands of the documentation lists the properties; video and audio are the first tracks.",
      valueName: "condition"), transform: Self.condition(of:))
  var condition: MediaCondition?

  @Flag(help: "Enter folders through symbolic links, and write outputs through them.")
  var followLinks = false

  @Flag(help: "Give outputs the permissions and times of new files.")
  var noPreserve = false

  func validate() throws {
    for (name, patterns) in [("--include", include), ("--exclude", exclude)]
    where patterns.contains(where: { $0.allSatisfy { $0 == "/" } }) {
      throw ValidationError("\(name) needs a pattern such as '*.mov'; this one matches no file")
    }
  }

  private static func condition(of text: String) throws -> MediaCondition {
    do throws(MediaError) { return try MediaCondition(text) } catch {
      throw ValidationError(error.message)
    }
  }

  /// Gives the rules to a batch.
  func apply(to options: inout BatchOptions) {
    options.onExists = onExists
    options.onCollision = onCollision
    options.strict = strict
    options.verification = verify
    options.retriesFailed = retryFailed
    options.followsLinks = followLinks
    (options.filter.include, options.filter.exclude) = (include, exclude)
    options.filter.leastSize = minSize?.bytes ?? 0
    options.filter.newerThan = newerThan?.nanoseconds
    options.condition = condition
    options.keepsAttributes = !noPreserve
  }

  /// Throws if the user has given a rule, where those of a plan are followed.
  func refuse(_ reason: String) throws {
    try IneffectiveOptions.refuse(
      [
        "--include": !include.isEmpty, "--exclude": !exclude.isEmpty,
        "--min-size": minSize != nil, "--newer-than": newerThan != nil, "--if": condition != nil,
        "--strict": strict, "--retry-failed": retryFailed, "--no-preserve": noPreserve,
        "--follow-links": followLinks, "--on-exists": onExists != .skip,
        "--on-collision": onCollision != .fail, "--verify": verify != nil,
      ], reason)
  }
}
