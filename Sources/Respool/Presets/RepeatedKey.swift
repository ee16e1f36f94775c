import Yams

/// Where a mapping sets a key for the second time.
///
/// The YAML parser refuses a mapping with such a key and tells only where the mapping starts.
struct RepeatedKey {
  /// From 1.
  var firstLine: Int
  /// From 1.
  var line: Int
  /// From 1.
  var column: Int
  /// The text with a placeholder of the same length in the place of the second key.
  var textWithout: String

  /// Private-use characters: no preset has them, and a placeholder is unlike every other.
  private static let placeholders: ClosedRange<UInt32> = 0xE000...0xF8FF

  static func isPlaceholder(_ key: String) -> Bool {
    key.unicodeScalars.first.map { placeholders.contains($0.value) } ?? false
  }

  /// Finds the second `key` of the mapping that starts at `mark`; nil where it is written in a way
  /// that cannot be told apart by looking at the text.
  init?(_ key: String, in text: String, from mark: Mark) {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
      Array($0)
    }
    let wanted = Array(key.unicodeScalars)
    guard !wanted.isEmpty, mark.line >= 1, mark.line <= lines.count else { return nil }
    // The mark is that of the first key; a flow mapping has its brace before it.
    let before = lines[..<(mark.line - 1)].joined() + lines[mark.line - 1].prefix(mark.column - 1)
    let isFlow = before.last { !$0.properties.isWhitespace } == "{"
    var first: Int?
    for number in (mark.line - 1)..<lines.count {
      let line = lines[number]
      let from = number == mark.line - 1 ? mark.column - 1 : isFlow ? 0 : mark.column - 1
      let last = isFlow ? line.count - 1 : from
      guard from <= last else { continue }
      for column in from...last where Self.isKey(wanted, at: column, of: line, inFlow: isFlow) {
        guard let before = first else {
          first = number + 1
          continue
        }
        guard let placeholder = Self.placeholder(number, column) else { return nil }
        // The quotation marks of a quoted key stay around it.
        let quoted = line[column] == "\"" || line[column] == "'"
        let begin = quoted ? column + 1 : column
        lines[number].replaceSubrange(
          begin..<begin + wanted.count,
          with: [placeholder] + Array(repeating: "x", count: wanted.count - 1))
        var scalars = String.UnicodeScalarView()
        for (index, line) in lines.enumerated() {
          if index > 0 { scalars.append("\n") }
          scalars.append(contentsOf: line)
        }
        firstLine = before
        self.line = number + 1
        self.column = column + 1
        textWithout = String(scalars)
        return
      }
    }
    return nil
  }

  private static func placeholder(_ line: Int, _ column: Int) -> Unicode.Scalar? {
    let span = placeholders.upperBound - placeholders.lowerBound
    return Unicode.Scalar(placeholders.lowerBound + UInt32(line &* 131 &+ column) % span)
  }

  private static func isKey(
    _ key: [Unicode.Scalar], at column: Int, of line: [Unicode.Scalar], inFlow: Bool
  ) -> Bool {
    guard line.indices.contains(column) else { return false }
    if inFlow, column > 0, !" ,{\t".unicodeScalars.contains(line[column - 1]) { return false }
    // A block key has nothing but blanks before it.
    if !inFlow, line.prefix(column).contains(where: { $0 != " " }) { return false }
    var rest = line[column...]
    let quote = rest.first.flatMap { $0 == "\"" || $0 == "'" ? $0 : nil }
    if quote != nil { rest = rest.dropFirst() }
    guard rest.starts(with: key) else { return false }
    rest = rest.dropFirst(key.count)
    if let quote {
      guard rest.first == quote else { return false }
      rest = rest.dropFirst()
    }
    return rest.drop { $0 == " " || $0 == "\t" }.first == ":"
  }
}
