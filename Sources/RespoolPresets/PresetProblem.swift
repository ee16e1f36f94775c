/// A problem at one place of a preset file, and the correction.
public struct PresetProblem: Hashable, Sendable {
  /// Path as the user gave it.
  public var file: String
  /// Line number, from 1.
  public var line: Int
  /// Column, from 1, in Unicode scalars.
  public var column: Int
  /// Text that was found, and why it is wrong.
  public var message: String
  /// Correction.
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
  /// Text of the form `file:line:column: problem; correction`.
  public var description: String { "\(file):\(line):\(column): \(message); \(advice)" }
}

extension PresetProblem: Comparable {
  public static func < (a: PresetProblem, b: PresetProblem) -> Bool {
    (a.file, a.line, a.column, a.message) < (b.file, b.line, b.column, b.message)
  }
}

/// The result of checking a preset file.
public struct PresetCheck: Sendable {
  /// The preset.
  ///
  /// `nil` if there are problems.
  public var preset: Preset?
  /// All problems, in order of file, line and column.
  public var problems: [PresetProblem]
}
