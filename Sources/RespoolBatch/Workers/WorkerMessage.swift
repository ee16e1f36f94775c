/// What the supervisor asks of a worker, a line each.
struct WorkerRequest: Sendable {
  enum Task: String, Sendable {
    case plan, convert
    /// Find out whether an output that is there can be read and is as long as its source.
    case examine
  }

  var task: Task
  /// Number of the file in the batch; comes back with every answer.
  var file: Int
  var input: String
  /// `convert`: the temporary file to write; `examine`: the output that is there.
  var output: String?
  /// How many threads the conversion may use.
  var threads: Int?
  /// `true` if the output gets the permissions and times of the input.
  var keepsAttributes = false
}

/// What a worker answers: `ready` once, then for each request any number of `progress` and one of the others.
struct WorkerAnswer: Sendable {
  enum Kind: String, Sendable { case ready, progress, planned, examined, converted, failed }

  var kind: Kind
  var file: Int
  /// `progress`: 0 to 1.
  var fraction: Double?
  /// `planned`.
  var plan: FilePlan?
  /// `failed`: the reason.
  var message: String?
  /// `examined`.
  var examination: OutputExamination?
  /// `converted`: what the sources' damage or the output's form cost.
  var losses: [String]?
  /// `converted`: why the source is not complete; `nil` if it is, as far as is known.
  var incomplete: String?
}

/// What is to be done with one file.
struct FilePlan: Sendable {
  enum Action: String, Sendable {
    /// At least one track is decoded and encoded.
    case convert
    /// Every track is passed through as it is.
    case copy
    /// Nothing to do, for the reason given.
    case skip
    /// It cannot be done, for the reason given.
    case fail
  }

  var action: Action
  /// Why it is skipped or fails, or why an output that is there is made again.
  var reason: String?
  /// Extension of the output, without the dot.
  var outputExtension: String = ""
  /// Seconds of media.
  var duration: Double = 0
  /// Expected work, in any unit, to begin with the longest.
  var cost: Double = 0
  /// Tracks that are left out, a sentence each.
  var drops: [String] = []
}

extension WorkerRequest {
  init?(line: some Sequence<UInt8>) {
    var fields = MessageFields(line: line)
    guard let task = fields.text().flatMap(Task.init), let file: Int = fields.value(),
      let input = fields.text()
    else { return nil }
    self.init(
      task: task, file: file, input: input, output: fields.optionalText(),
      threads: fields.optionalText().flatMap { Int($0) }, keepsAttributes: fields.value() ?? false)
  }

  var line: [UInt8] {
    var fields = MessageFields()
    fields.put(task.rawValue)
    fields.put(file)
    fields.put(input)
    fields.put(optional: output)
    fields.put(optional: threads.map { "\($0)" })
    fields.put(keepsAttributes)
    return fields.line
  }
}

extension WorkerAnswer {
  init?(line: some Sequence<UInt8>) {
    var fields = MessageFields(line: line)
    guard let kind = fields.text().flatMap(Kind.init), let file: Int = fields.value() else {
      return nil
    }
    self.init(kind: kind, file: file)
    switch kind {
    case .ready: break
    case .progress: fraction = fields.value()
    case .planned:
      guard let plan = FilePlan(&fields) else { return nil }
      self.plan = plan
    case .failed: message = fields.text()
    case .examined:
      guard let examination = OutputExamination(&fields) else { return nil }
      self.examination = examination
    case .converted:
      incomplete = fields.optionalText()
      var losses: [String] = []
      while let loss = fields.text() { losses.append(loss) }
      self.losses = losses
    }
  }

  var line: [UInt8] {
    var fields = MessageFields()
    fields.put(kind.rawValue)
    fields.put(file)
    switch kind {
    case .ready: break
    case .progress: fields.put(fraction ?? 0)
    case .planned: plan?.put(into: &fields)
    case .failed: fields.put(message ?? "")
    case .examined: examination?.put(into: &fields)
    case .converted:
      fields.put(optional: incomplete)
      for loss in losses ?? [] { fields.put(loss) }
    }
    return fields.line
  }
}

extension FilePlan {
  fileprivate init?(_ fields: inout MessageFields) {
    guard let action = fields.text().flatMap(Action.init) else { return nil }
    let reason = fields.optionalText()
    guard let outputExtension = fields.text(), let duration: Double = fields.value(),
      let cost: Double = fields.value()
    else { return nil }
    self.init(
      action: action, reason: reason, outputExtension: outputExtension, duration: duration,
      cost: cost)
    while let drop = fields.text() { drops.append(drop) }
  }

  fileprivate func put(into fields: inout MessageFields) {
    fields.put(action.rawValue)
    fields.put(optional: reason)
    fields.put(outputExtension)
    fields.put(duration)
    fields.put(cost)
    for drop in drops { fields.put(drop) }
  }
}
