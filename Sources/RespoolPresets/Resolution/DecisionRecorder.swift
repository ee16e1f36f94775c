import RespoolMedia

/// A recorder of the decisions about one source, in the order in which they are made.
///
/// Copies for other subjects add to the same decisions.
struct DecisionRecorder {
  private final class Log {
    var decisions: [ResolvedSettings.Decision] = []
  }

  /// The output or the track that the decisions are about.
  let subject: ResolvedSettings.Setting.Subject
  /// Name of the media that are converted, for reasons: those of the source, or those that filters return.
  var input = "the source"
  private let log: Log

  /// Creates a recorder without decisions, for those about the output.
  init() { self.init(.output, Log()) }

  private init(_ subject: ResolvedSettings.Setting.Subject, _ log: Log) {
    (self.subject, self.log) = (subject, log)
  }

  /// Returns a recorder of decisions about another subject.
  func about(_ subject: ResolvedSettings.Setting.Subject) -> DecisionRecorder {
    DecisionRecorder(subject, log)
  }

  var decisions: [ResolvedSettings.Decision] { log.decisions }

  /// Records a decision about a named property.
  func record(
    _ name: String, _ value: String, _ reason: String, isWarning: Bool = false,
    loss: String? = nil, note: String? = nil
  ) {
    record(.named(name), value, reason, isWarning: isWarning, loss: loss, note: note)
  }

  /// Records a decision.
  ///
  /// A decision with a loss is a warning.
  func record(
    _ property: ResolvedSettings.Setting.Property, _ value: String, _ reason: String,
    isWarning: Bool = false, loss: String? = nil, note: String? = nil
  ) {
    var decision = ResolvedSettings.Decision(
      setting: .init(subject, property), value: value, reason: reason,
      isWarning: isWarning || loss != nil)
    (decision.loss, decision.note) = (loss, note)
    log.decisions.append(decision)
  }

  /// Records the quality and the bit rate that a preset requests, or the encoder's usual quality.
  func recordRate(quality: Double?, bitRate: Int64?, of encoder: FactoryDescription) {
    let scale = encoder.rateControl?.quality
    if let quality {
      let text = scale?.text(of: encoder.name) ?? "on the codec's own scale"
      record("quality", quality.decimalText, "from the preset, " + text)
    }
    if let bitRate { record("bitRate", "\(bitRate)", "from the preset") }
    if quality == nil, bitRate == nil, let scale, let usual = scale.usual {
      record(
        "quality", usual.decimalText, "the default, " + scale.text(of: encoder.name))
    }
  }

  /// Records options of an encoder: those of the preset, and the user's choices of others.
  func record(_ options: [PluginOption], of encoder: FactoryDescription) {
    for option in options { record("options.\(option.name)", option.value, "from the preset") }
    for option in encoder.chosenOptions where !options.contains(where: { $0.name == option.name }) {
      record("options.\(option.name)", option.value, "from the user's choices in plugins.conf")
    }
  }
}

extension RateControl.QualityScale {
  /// Returns the scale in words: `on the scale of x264, 0 to 51, where lower is better`.
  fileprivate func text(of encoder: String) -> String {
    "on the scale of \(encoder), \(range.lowerBound.decimalText) to "
      + "\(range.upperBound.decimalText), where \(isLowerBetter ? "lower" : "higher") is better"
  }
}
