/// What is wrong at one place of a preset file, and what would be right.
public struct PresetProblem: Hashable, Sendable {
  /// As the user named it.
  public var file: String
  /// From 1.
  public var line: Int
  /// From 1, in Unicode scalars.
  public var column: Int
  /// What was found.
  public var message: String
  /// What would be right.
  public var advice: String

  public init(file: String, line: Int, column: Int, message: String, advice: String) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
    self.advice = advice
  }
}

extension PresetProblem: CustomStringConvertible {
  /// `file:line:column: what is wrong; what would be right`.
  public var description: String { "\(file):\(line):\(column): \(message); \(advice)" }
}

extension PresetProblem: Comparable {
  public static func < (a: PresetProblem, b: PresetProblem) -> Bool {
    (a.file, a.line, a.column, a.message) < (b.file, b.line, b.column, b.message)
  }
}

/// What checking a preset file came to.
public struct PresetCheck: Sendable {
  /// nil where there are problems.
  public var preset: Preset?
  /// All of them, in order of file, line and column.
  public var problems: [PresetProblem]
}
