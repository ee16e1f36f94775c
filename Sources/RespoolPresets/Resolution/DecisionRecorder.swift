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

  /// Records the settings of an encoder that a preset states as they are.
  func recordPreset(quality: Double?, bitRate: Int64? = nil, options: [PluginOption]) {
    if let quality {
      record("quality", quality.decimalText, "from the preset, on the codec's own scale")
    }
    if let bitRate { record("bitRate", "\(bitRate)", "from the preset") }
    for option in options { record("options.\(option.name)", option.value, "from the preset") }
  }
}
