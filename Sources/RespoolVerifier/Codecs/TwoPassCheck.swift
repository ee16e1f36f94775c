import RespoolHost
import RespoolMedia

/// Check that an encoder that declares two passes returns statistics in the first, and all frames in the last.
struct TwoPassCheck {
  let trial: EncoderTrial

  /// Bits per second, for encoders that take so many or more.
  private static let bitRate: Int64 = 200_000

  func run(_ report: Report) {
    let about = trial.factory.description
    guard about.flags.contains(.twoPasses) else { return }
    report.check("\(trial.codec): two passes") { () throws(Finding) in
      try trial.requireContent()
      // Removed after both passes.
      let scratch = ScratchFiles()
      defer { withExtendedLifetime(scratch) {} }
      var input = trial.input
      input.job = PluginJob(isCancelled: { false }, warn: { _ in }, scratch: { scratch.path })
      if let rates = about.rateControl?.bitRates {
        input.bitRate = min(max(Self.bitRate, rates.lowerBound), rates.upperBound)
      }
      let only = try trial.encode(input).get()
      input.pass = .first
      let first = try trial.encode(input).get()
      let statistics = first.packets.flatMap { $0.buffer?.withBytes(Array.init) ?? [] }
      guard !statistics.isEmpty else {
        throw Finding("the first pass returns no statistics; each of its packets is a part of them")
      }
      guard first.hashes != only.hashes else {
        throw Finding(
          "the first pass returns the packets of one pass: RSP_ENCODING_FIRST_PASS has no effect")
      }
      input.pass = .last(statistics: statistics)
      let last = EncoderTrial(factory: trial.factory, finder: trial.finder, input: input)
      let content = try last.content()
      return "\(statistics.count) bytes of statistics; \(content)"
    }
  }
}
