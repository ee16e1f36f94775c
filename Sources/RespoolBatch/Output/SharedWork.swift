import RespoolMedia

/// The work of a batch as far as batches that share it have to agree: what is converted, and how.
struct SharedWork {
  private let values: [(name: String, value: String)]
  /// Random name of the time in which batches share the work, from the start of the first one to the end of the last one.
  var session: String { values.first { $0.name == Self.sessionName }?.value ?? "" }

  private static let sessionName = "session"

  /// `preset` is the identity of the preset's content, and `plugins` the text of the plugins' versions.
  init(_ options: BatchOptions, preset: String, plugins: String) {
    values = [
      (Self.sessionName, String(UInt64.random(in: 0 ... .max), radix: 36)), ("the preset", preset),
      ("plugins", plugins),
      ("inputs", options.inputs.map { PathName.absolute($0) }.joined(separator: "\n")),
      ("--from-plan", options.plan.map { PathName.absolute($0) } ?? ""),
      ("--on-exists", options.onExists.rawValue), ("--on-collision", options.onCollision.rawValue),
      ("--strict", "\(options.strict)"), ("--no-preserve", "\(!options.keepsAttributes)"),
      ("--follow-links", "\(options.followsLinks)"),
      ("--verify", options.extentOfCheck.rawValue),
      ("--include", options.filter.include.joined(separator: "\n")),
      ("--exclude", options.filter.exclude.joined(separator: "\n")),
      // Ages such as 7d count from the start of each batch.
      ("--newer-than", options.filter.newerThan == nil ? "" : "given"),
      ("--min-size", "\(options.filter.leastSize)"),
      ("--if", options.condition?.text ?? ""),
    ]
  }

  /// The work on a plan, which has a name of its own.
  init(plan: String) { values = [(Self.sessionName, plan), (Self.planName, plan)] }

  private static let planName = "the plan"

  /// `true` if the work is that on a plan.
  var isOfPlan: Bool { values.contains { $0.name == Self.planName } }

  /// Reads the form of `bytes`; `nil` if it is another one.
  init?(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts.count % 2 == 1, parts.last?.isEmpty == true else { return nil }
    values = stride(from: 0, to: parts.count - 1, by: 2).map {
      (PathName.text(Array(parts[$0])), PathName.text(Array(parts[$0 + 1])))
    }
  }

  /// Names and values, each with a zero byte at its end.
  var bytes: [UInt8] {
    values.flatMap { PathName.bytes($0.name) + [0] + PathName.bytes($0.value) + [0] }
  }

  /// Names of the values that two batches do not have in common.
  func differences(from other: SharedWork) -> [String] {
    let others = Dictionary(other.values.map { ($0.name, $0.value) }) { first, _ in first }
    return values.filter { others[$0.name] != $0.value && $0.name != Self.sessionName }.map(\.name)
  }
}
