/// A terminal that wraps its lines again when it becomes narrower, as most terminals do.
struct TerminalModel {
  /// Lines as they were written.
  ///
  /// Each takes as many rows as its length requires.
  private var lines: [[Character]] = [[]]
  private(set) var columns: Int
  /// Rows above the cursor.
  private var row = 0
  private var column = 0

  init(columns: Int) { self.columns = columns }

  /// Text of the rows, without empty rows at the end.
  var text: [String] {
    var text = rows.map { place in
      String(lines[place.line].dropFirst(place.start).prefix(columns))
    }
    while text.last?.isEmpty == true { text.removeLast() }
    return text
  }

  /// The line of every row, and the index of its first character.
  private var rows: [(line: Int, start: Int)] {
    lines.indices.flatMap { line in
      stride(from: 0, to: max(1, lines[line].count), by: columns).map { (line, $0) }
    }
  }

  /// Processes output.
  ///
  /// Supports text that is not wider than the terminal, line feed, carriage return, cursor up and erase in line.
  mutating func write(_ output: String) {
    var rest = output[...]
    while let character = rest.popFirst() {
      switch character {
      case "\u{1B}":
        let sequence = rest.prefix { !$0.isLetter }
        let final = rest.dropFirst(sequence.count).first
        rest = rest.dropFirst(sequence.count + 1)
        if final == "A" { row = max(0, row - (Int(sequence.dropFirst()) ?? 1)) }
        if final == "K" { eraseRow() }
      case "\n":
        (row, column) = (row + 1, 0)
        if row == rows.count { lines.append([]) }
      case "\r": column = 0
      default: put(character)
      }
    }
  }

  /// Erases the current row.
  ///
  /// The rows of a wrapped line become separate lines.
  private mutating func eraseRow() {
    let (line, start) = rows[row]
    let whole = lines[line]
    var parts = stride(from: 0, to: max(1, whole.count), by: columns).map {
      Array(whole.dropFirst($0).prefix(columns))
    }
    parts[start / columns] = []
    lines.replaceSubrange(line...line, with: parts)
  }

  private mutating func put(_ character: Character) {
    let (line, start) = rows[row]
    while lines[line].count <= start + column { lines[line].append(" ") }
    lines[line][start + column] = character
    column += 1
  }

  /// Changes the width; the cursor stays at the start of its line.
  mutating func narrow(to columns: Int) {
    let line = rows[row].line
    self.columns = columns
    row = rows.firstIndex { $0.line == line } ?? 0
  }
}
