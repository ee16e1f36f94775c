/// What the supervisor asks of a worker: one JSON object a line.
struct WorkerRequest: Codable, Sendable {
  enum Task: String, Codable, Sendable { case plan, convert }

  var task: Task
  /// Number of the file in the batch; comes back with every answer.
  var file: Int
  var input: String
  /// The temporary file to write.
  var output: String?
  /// How many threads the conversion may use.
  var threads: Int?
}

/// What a worker answers: any number of `progress`, then one of the others.
struct WorkerAnswer: Codable, Sendable {
  enum Kind: String, Codable, Sendable { case progress, planned, converted, failed }

  var kind: Kind
  var file: Int
  /// `progress`: 0 to 1.
  var fraction: Double?
  /// `planned`.
  var plan: FilePlan?
  /// `failed`: the reason. `converted`: what was damaged or lost.
  var message: String?
  /// `converted`: what the sources' damage or the output's form cost.
  var losses: [String]?
}

/// What is to be done with one file.
struct FilePlan: Codable, Sendable {
  enum Action: String, Codable, Sendable {
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
  /// Why it is skipped or fails.
  var reason: String?
  /// Extension of the output, without the dot.
  var outputExtension: String = ""
  /// Seconds of media.
  var duration: Double = 0
  /// Expected work, in any unit, to begin with the longest.
  var cost: Double = 0
}
