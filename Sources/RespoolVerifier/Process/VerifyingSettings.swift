import RespoolMedia

/// Settings of the checks, which a child process gets as arguments such as `limit=10.0`.
struct VerifyingSettings: Hashable, Sendable {
  /// Files that the plugin's demuxers or decoders must be able to read.
  var samples: [String] = []
  /// Files that each demuxer of the plugin must refuse.
  var rejected: [String] = []
  /// Maximum duration of one check, in seconds.
  var timeLimit = 10.0
  /// Number of bytes that may be lost with each open and close.
  var allowedLeak: Int64 = 0
  /// Name of the only check that is run, without the factory.
  ///
  /// `nil`: all checks.
  var check: String?
  /// Numbers of the checks that ended earlier processes.
  var failed: [Int] = []
  /// Numbers of the checks that are run.
  ///
  /// `nil`: all after those that failed.
  var only: Set<Int>?

  init() {}

  /// Parses arguments; arguments of other forms are ignored.
  init(_ arguments: some Collection<String>) {
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      let value = String(parts[1])
      switch parts[0] {
      case "sample": samples.append(value)
      case "reject": rejected.append(value)
      case "limit": timeLimit = Double(value) ?? timeLimit
      case "leak": allowedLeak = Int64(value) ?? allowedLeak
      case "check": check = value
      case "failed": failed = Self.numbers(value)
      case "only": only = Set(Self.numbers(value))
      default: break
      }
    }
  }

  /// The arguments of a child process.
  var arguments: [String] {
    var list = samples.map { "sample=\($0)" } + rejected.map { "reject=\($0)" }
    list += ["limit=\(timeLimit)", "leak=\(allowedLeak)", "failed=\(Self.text(failed))"]
    if let check { list.append("check=\(check)") }
    if let only { list.append("only=\(Self.text(only.sorted()))") }
    return list
  }

  private static func numbers(_ text: String) -> [Int] {
    text.split(separator: ",").compactMap { Int($0) }
  }

  private static func text(_ numbers: [Int]) -> String {
    numbers.map(String.init).joined(separator: ",")
  }

  /// Returns `true` if a check is wanted: by its name, or by the first or the last parts of its name.
  func isWanted(_ name: String) -> Bool {
    guard let check else { return true }
    return name == check || name.hasSuffix(": \(check)") || name.hasPrefix("\(check): ")
  }

  /// Returns the settings for the checks of one factory; `nil` if the wanted check belongs to another one.
  func narrowed(to subject: String, among subjects: [String]) -> VerifyingSettings? {
    guard let check else { return self }
    var settings = self
    if check == subject {
      settings.check = nil
    } else if check.hasPrefix("\(subject): ") {
      settings.check = String(check.dropFirst(subject.count + 2))
    } else if subjects.contains(where: { check == $0 || check.hasPrefix("\($0): ") }) {
      return nil
    }
    return settings
  }
}
