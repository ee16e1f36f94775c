import Glibc
import RespoolHost
import RespoolMedia

/// Checks that the quality and the bit rate that an encoder declares change its packets.
struct RateEffectChecks {
  let trial: EncoderTrial

  /// Number of settings between the limits that are tried if a limit is refused.
  private static let steps = 8

  func run(_ report: Report) {
    guard let control = trial.factory.description.rateControl else { return }
    if let scale = control.quality, scale.range.lowerBound < scale.range.upperBound {
      report.check("\(trial.codec): effect of quality") { () throws(Finding) in
        let limits = [scale.range.lowerBound, scale.range.upperBound]
        return try compare("quality", limits) { $0.quality = $1 }
      }
    }
    if let rates = control.bitRates, rates.lowerBound < rates.upperBound {
      report.check("\(trial.codec): effect of the bit rate") { () throws(Finding) in
        // Some rates make no sense for a size or a number of channels.
        let ratio = Double(rates.upperBound) / Double(max(1, rates.lowerBound))
        let values = (0...Self.steps).map { step in
          Double(max(1, rates.lowerBound)) * pow(ratio, Double(step) / Double(Self.steps))
        }
        return try compare("bit rate", values) { $0.bitRate = Int64($1) }
      }
    }
  }

  /// Encodes with the lowest and the highest of the values that are accepted.
  private func compare(
    _ what: String, _ values: [Double], _ set: (inout EncoderInput, Double) -> Void
  ) throws(Finding) -> String {
    let inputs = values.map { value in
      var input = trial.input
      input.count = 24
      set(&input, value)
      return (value: value, input: input)
    }
    guard let low = inputs.first(where: { isAccepted($0.input) }),
      let high = inputs.last(where: { isAccepted($0.input) }), low.value < high.value
    else { throw .skipped("fewer than two are accepted") }
    let first = try trial.encode(low.input).get()
    let second = try trial.encode(high.input).get()
    guard first.hashes == second.hashes, first.track.extradata == second.track.extradata else {
      return "\(first.byteCount) and \(second.byteCount) bytes with \(low.value.decimalText) and "
        + high.value.decimalText
    }
    throw Finding(
      "the bytes are the same with the lowest and the highest \(what), \(low.value.decimalText) and "
        + "\(high.value.decimalText): the \(what) has no effect")
  }

  private func isAccepted(_ input: EncoderInput) -> Bool {
    (try? PluginCall.open(trial.factory, input.settings)) != nil
  }
}

extension Encoding {
  /// Number of bytes of all packets.
  fileprivate var byteCount: Int { packets.reduce(0) { $0 + $1.size } }
}
