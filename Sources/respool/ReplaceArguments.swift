public import ArgumentParser
public import RespoolBatch
import RespoolMedia

/// Arguments of a batch that replaces its sources.
struct ReplaceArguments: ParsableArguments {
  @Flag(help: "Replace the files of the input folder by their outputs.")
  var replace = false

  @Option(
    help: ArgumentHelp(
      "With --replace: keep the originals in a folder, from which `respool restore` takes them.",
      valueName: "folder"),
    completion: .directory)
  var originals: String?

  @Option(
    help: ArgumentHelp(
      "With --replace: keep a file unless its output is smaller by at least a part of it, such as 10%.",
      valueName: "percent"))
  var minSaving: Percentage?

  @Flag(help: "With --replace: replace files also by outputs that are not smaller.")
  var evenIfLarger = false

  @Option(
    help:
      "With --replace: what to do with files that have several names (hard links): skip, or break the link and replace one name."
  )
  var links: Replacement.Links = .skip

  @Flag(help: "With --replace: replace files again that were restored.")
  var retryRestored = false

  /// Throws a usage error unless the files have exactly one place for their outputs.
  func check(_ inputs: [String], to folder: String?) throws {
    guard replace else {
      try refuseRules("without --replace")
      if folder == nil { throw ValidationError("name the folder for the outputs with --to") }
      return
    }
    if folder != nil { throw ValidationError("--replace and --to exclude each other") }
    if inputs.count != 1 { throw ValidationError("--replace takes one input, a folder") }
    if evenIfLarger, minSaving != nil {
      throw ValidationError("--even-if-larger and --min-saving exclude each other")
    }
  }

  /// Throws a usage error if a rule for replacing was given; `reason` is the end of the sentence.
  func refuseRules(_ reason: String) throws {
    try IneffectiveOptions.refuse(
      [
        "--originals": originals != nil, "--min-saving": minSaving != nil,
        "--even-if-larger": evenIfLarger, "--links": links != .skip,
        "--retry-restored": retryRestored,
      ], reason)
  }

  /// The rules; `nil` if sources stay.
  var rules: Replacement? {
    guard replace else { return nil }
    var rules = Replacement()
    rules.originals = originals
    rules.leastSaving = minSaving?.value ?? 0
    rules.evenIfLarger = evenIfLarger
    rules.links = links
    rules.retriesRestored = retryRestored
    return rules
  }
}

/// A number from 0 to 100, which may end with a percent sign.
struct Percentage: ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    let number = argument.hasSuffix("%") ? String(argument.dropLast()) : argument
    guard let value = Double(number), (0...100).contains(value) else { return nil }
    self.value = value
  }
}

extension Replacement.Links: ExpressibleByArgument {}
