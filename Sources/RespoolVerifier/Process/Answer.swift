import RespoolMedia

/// The lines that a child sent.
struct Answer {
  enum Failure {
    /// The call that did not return.
    case late(String)
    case crash(String)
  }

  var results: [CheckResult] = []
  /// The checks that began, in order.
  var begun: [BegunCheck] = []
  var failure: Failure?
  /// Sample files, each with the reason why it was not used, or an empty text.
  var samples: [String: String] = [:]
  var isComplete = false

  init(_ bytes: [UInt8], subject: String) {
    for line in bytes.split(separator: 10) {
      let fields = line.split(separator: 9, maxSplits: 3, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      switch (fields[0], fields.count) {
      case ("begin", 3):
        begun.append(BegunCheck(number: Int(fields[1]) ?? 0, name: fields[2]))
      case ("pass", 3), ("skip", 3), ("fail", 4):
        let outcomes: [String: CheckResult.Outcome] = ["pass": .passed, "skip": .skipped]
        var result = CheckResult(
          name: "\(subject): \(fields[1])", outcome: outcomes[fields[0]] ?? .failed,
          detail: fields[2])
        if fields.count > 3, fields[3] != fields[2] { result.cause = fields[3] }
        results.append(result)
      case ("sample", 3): samples[fields[1]] = fields[2]
      case ("late", 2...): failure = .late(fields[1])
      case ("crash", 2...): failure = .crash(fields[1])
      case ("done", _): isComplete = true
      default: break
      }
    }
  }
}
