import Respool
import RespoolMedia

/// A request of the supervisor to a worker: a message of one line, with the open files.
struct WorkerRequest: Sendable {
  enum Task: String, Sendable {
    case plan, convert
    /// Check that an existing output can be read and is as long as its source.
    case examine
  }

  var task: Task
  /// Number of the file in the batch, repeated in every answer.
  var file: Int
  var input: String
  /// `convert`: the temporary file to write; `examine`: the existing output.
  var output: String?
  /// Number of threads that the conversion may use.
  var threads: Int?
  /// `convert`: `true` if a source with damage fails, which is looked for in all of it before.
  var checksSource = false
  /// Files of subtitles beside the input, those that can be opened first.
  var sidecars: [String] = []
  /// Random number that every answer must repeat.
  ///
  /// A plugin that writes an answer of its own into the worker's pipe does not know it.
  var key = UInt64.random(in: 1...UInt64.max)
  /// The input, the output and the sidecars that can be opened, opened by the supervisor: the worker can open no files by
  /// their paths.
  ///
  /// Empty in the worker, which finds them in ``ReceivedFiles``.
  var files: [OpenFile] = []

  /// Paths of ``files``, in their order, and of sidecars that cannot be opened.
  var paths: [String] { needed + sidecars }

  /// Paths of files that must be open.
  var needed: [String] { [input] + (output.map { [$0] } ?? []) }

  /// Opens the sidecars after the other files.
  ///
  /// The worker names those that are missing.
  mutating func openSidecars() {
    for path in sidecars {
      guard let file = try? OpenFile(FileSource(path: path)) else { return }
      files.append(file)
    }
  }

  /// Sidecars with what their names state.
  var subtitleFiles: [SubtitleFile] {
    SubtitleFile.files(
      of: PathName.last(input), in: PathName.folder(input),
      among: sidecars.map { PathName.last($0) }.sorted {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      })
  }
}

/// An answer of a worker: `ready` once, then for each request any number of `progress` and one of the
/// others.
struct WorkerAnswer: Sendable {
  enum Kind: String, Sendable { case ready, progress, planned, examined, converted, failed }

  var kind: Kind
  var file: Int
  /// Key of the request; 0 for `ready`.
  var key: UInt64
  /// `progress`: finished fraction, 0 to 1.
  var fraction: Double?
  /// `planned`: the plan.
  var plan: FilePlan?
  /// `failed`: the reason.
  var message: String?
  /// `failed`: `true` if the same content, preset and plugins always fail in this way.
  var isLasting = false
  /// `failed`: `true` if the file system of the output, or the user's share of it, is full.
  var lacksSpace = false
  /// `examined`: the result.
  var examination: OutputExamination?
  /// `converted`: losses by damage of the source or by the output's format.
  var losses: [String]?
  /// `converted`: changes that are no losses.
  var notes: [String]?
  /// `converted`: reason why the source is incomplete.
  ///
  /// `nil` if no damage is known.
  var incomplete: String?
  /// `converted`: reason why the output must not take the place of its source; `nil` if there is none.
  var doubt: String?
  /// `ready`: the restrictions that the worker works under.
  var sandbox: Sandbox?

  private init(kind: Kind, file: Int, key: UInt64) {
    (self.kind, self.file, self.key) = (kind, file, key)
  }

  /// Returns the answer of a worker that accepts requests in a sandbox.
  static func ready(in sandbox: Sandbox) -> WorkerAnswer {
    var answer = WorkerAnswer(kind: .ready, file: -1, key: 0)
    answer.sandbox = sandbox
    return answer
  }

  init(_ kind: Kind, to request: WorkerRequest, fraction: Double? = nil) {
    self.init(kind: kind, file: request.file, key: request.key)
    self.fraction = fraction
  }
}

/// The plan for one file.
struct FilePlan: Sendable {
  enum Action: String, Sendable {
    /// At least one track is decoded and encoded.
    case convert
    /// Every track is passed through.
    case copy
    /// The file needs no work, with the reason.
    case skip
    /// The file cannot be converted, with the reason.
    case fail
  }

  var action: Action
  /// Reason why the file is skipped or fails, or why an existing output is made again.
  var reason: String?
  /// Extension of the output, without the dot.
  var outputExtension: String = ""
  /// Duration of the media in seconds.
  var duration: Double = 0
  /// Expected work, in an arbitrary unit.
  ///
  /// Files with the most work are converted first.
  var cost: Double = 0
  /// About how many bytes of memory the encoders take, as far as their plugins state it.
  var memory: Int64 = 0
  /// Predicted size of the output in bytes, which may be half or twice the actual one; 0 if it is unknown.
  var size: Int64 = 0
  /// `true` if the same content, preset and plugins always give this reason to skip the file or to let it fail.
  var isLasting = false
  /// `true` if the file does not fulfil the condition of the user.
  var isExcluded = false
  /// Names of the plugins that read, encode and write the file.
  var plugins: [String] = []
  /// Dropped tracks, one sentence each.
  var drops: [String] = []
}

extension FilePlan {
  /// Plan of a file that does not fulfil the condition of the user.
  static let excluded = FilePlan(
    action: .skip, reason: "excluded: the condition of --if is false", isExcluded: true)
}

extension WorkerRequest {
  init?(line: some Sequence<UInt8>) {
    var fields = MessageFields(line: line)
    guard let task = fields.text().flatMap(Task.init), let file: Int = fields.value(),
      let input = fields.text()
    else { return nil }
    self.init(
      task: task, file: file, input: input, output: fields.optionalText(),
      threads: fields.optionalText().flatMap { Int($0) },
      checksSource: fields.value() ?? false)
    // Names, because all sidecars are in the folder of the input.
    let folder = PathName.folder(input)
    let count: Int = fields.value() ?? 0
    for _ in 0..<min(max(0, count), SubtitleFile.most) {
      guard let name = fields.text() else { return nil }
      sidecars.append(PathName.join(folder, name))
    }
    key = fields.value() ?? 0
  }

  var line: [UInt8] {
    var fields = MessageFields()
    fields.put(task.rawValue)
    fields.put(file)
    fields.put(input)
    fields.put(optional: output)
    fields.put(optional: threads.map { "\($0)" })
    fields.put(checksSource)
    fields.put(sidecars.count)
    for path in sidecars { fields.put(PathName.last(path)) }
    fields.put(key)
    return fields.line
  }

  /// Returns `true` if a worker with this request may send the answer.
  func accepts(_ answer: WorkerAnswer) -> Bool {
    guard answer.key == key, answer.file == file else { return false }
    return switch (task, answer.kind) {
    case (_, .progress), (.plan, .planned), (.examine, .examined), (.convert, .converted),
      (.convert, .failed):
      true
    default: false
    }
  }
}

extension WorkerAnswer {
  init?(line: some Sequence<UInt8>) {
    var fields = MessageFields(line: line)
    guard let kind = fields.text().flatMap(Kind.init), let file: Int = fields.value(),
      let key: UInt64 = fields.value()
    else { return nil }
    self.init(kind: kind, file: file, key: key)
    switch kind {
    case .ready:
      guard let files: Bool = fields.value(), let calls: Bool = fields.value() else { return nil }
      sandbox = Sandbox(
        restrictsFiles: files, restrictsCalls: calls, reason: fields.optionalText())
    case .progress:
      guard let fraction: Double = fields.value(), (0...1).contains(fraction) else { return nil }
      self.fraction = fraction
    case .planned:
      guard let plan = FilePlan(&fields) else { return nil }
      self.plan = plan
    case .failed:
      guard let message = fields.text(), let isLasting: Bool = fields.value(),
        let lacksSpace: Bool = fields.value()
      else { return nil }
      (self.message, self.isLasting, self.lacksSpace) = (message, isLasting, lacksSpace)
    case .examined:
      guard let examination = OutputExamination(&fields) else { return nil }
      self.examination = examination
    case .converted:
      incomplete = fields.optionalText()
      doubt = fields.optionalText()
      let count = max(0, fields.value() ?? 0)
      var sentences: [String] = []
      while let sentence = fields.text() { sentences.append(sentence) }
      (notes, losses) = (Array(sentences.prefix(count)), Array(sentences.dropFirst(count)))
    }
  }

  var line: [UInt8] {
    var fields = MessageFields()
    fields.put(kind.rawValue)
    fields.put(file)
    fields.put(key)
    switch kind {
    case .ready:
      fields.put(sandbox?.restrictsFiles ?? false)
      fields.put(sandbox?.restrictsCalls ?? false)
      fields.put(optional: sandbox?.reason)
    case .progress: fields.put(fraction ?? 0)
    case .planned: plan?.put(into: &fields)
    case .failed:
      fields.put(message ?? "")
      fields.put(isLasting)
      fields.put(lacksSpace)
    case .examined: examination?.put(into: &fields)
    case .converted:
      fields.put(optional: incomplete)
      fields.put(optional: doubt)
      fields.put(notes?.count ?? 0)
      for sentence in (notes ?? []) + (losses ?? []) { fields.put(sentence) }
    }
    return fields.line
  }
}

extension FilePlan {
  init?(_ fields: inout MessageFields) {
    guard let action = fields.text().flatMap(Action.init) else { return nil }
    let reason = fields.optionalText()
    // The output's path is made with it.
    guard let outputExtension = fields.text(), FileExtension.problem(outputExtension) == nil,
      let duration: Double = fields.value(), duration.isFinite,
      let cost: Double = fields.value(), cost.isFinite,
      let memory: Int64 = fields.value(), memory >= 0,
      let size: Int64 = fields.value(), size >= 0,
      let isLasting: Bool = fields.value(), let isExcluded: Bool = fields.value(),
      let pluginCount: Int = fields.value(),
      (0...100).contains(pluginCount)
    else { return nil }
    self.init(
      action: action, reason: reason, outputExtension: outputExtension, duration: duration,
      cost: cost, memory: memory, size: size, isLasting: isLasting,
      isExcluded: isExcluded)
    for _ in 0..<pluginCount {
      guard let plugin = fields.text() else { return nil }
      plugins.append(plugin)
    }
    while let drop = fields.text() { drops.append(drop) }
  }

  func put(into fields: inout MessageFields) {
    fields.put(action.rawValue)
    fields.put(optional: reason)
    fields.put(outputExtension)
    // The supervisor accepts only numbers.
    fields.put(duration.isFinite ? duration : 0)
    fields.put(cost.isFinite ? cost : 0)
    fields.put(memory)
    fields.put(size)
    fields.put(isLasting)
    fields.put(isExcluded)
    fields.put(plugins.count)
    for plugin in plugins { fields.put(plugin) }
    for drop in drops { fields.put(drop) }
  }
}
