/// Keys of a preset file for lists of presets, read without parsing the rest.
///
/// Lists must be quick, so these keys are read from lines of their own at the left margin. If a value is
/// more than plain or quoted text on that line, such as a folded block, the parser has to read it.
struct PresetIndex {
  private(set) var name: String?
  private(set) var summary: String?
  private(set) var defaultFor: [String] = []

  init(text: String, file: String) {
    var simple = true
    var rest = text.utf8[...]
    while !rest.isEmpty {
      let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
      let line = rest[..<end]
      rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
      if line.starts(with: "name:".utf8) {
        name = Self.value(line.dropFirst(5), next: rest.first, &simple)
      } else if line.starts(with: "summary:".utf8) {
        summary = Self.value(line.dropFirst(8), next: rest.first, &simple)
      } else if line.starts(with: "defaultFor:".utf8) {
        simple = false  // A list.
      } else if line.first.map({ [0x7B, 0x22, 0x27, 0x3F].contains($0) }) ?? false {
        simple = false  // { " ' ? : keys may be written in other ways.
      }
    }
    if !simple, let node = PresetNode.parse(text, file: file).node {
      name = node["name"]?.value.text
      summary = node["summary"]?.value.text
      let value = node["defaultFor"]?.value
      if case .sequence(let values)? = value?.content {
        defaultFor = values.compactMap(\.text)
      } else {
        defaultFor = [value?.text].compactMap(\.self)
      }
    }
  }

  /// Returns the value of a line, and clears `simple` if the value is not complete on that line.
  private static func value(
    _ line: Substring.UTF8View, next: UInt8?, _ simple: inout Bool
  ) -> String? {
    // An indented next line continues the value.
    if next == 0x20 || next == 0x09 { simple = false }
    var text = Substring(line)
    guard text.isEmpty || text.first == " " else {
      simple = false
      return nil
    }
    text = text.trimmed
    guard let first = text.first else {
      simple = false
      return nil
    }
    if first == "\"" || first == "'" {
      let inner = text.dropFirst()
      guard let end = inner.firstIndex(of: first) else {
        simple = false
        return nil
      }
      let after = inner[inner.index(after: end)...].trimmed
      let value = inner[..<end]
      if !(after.isEmpty || after.first == "#") || value.contains("\\") { simple = false }
      return String(value)
    }
    if "|>&*!%@`{[#".contains(first) { simple = false }
    if let comment = text.commentStart { text = text[..<comment].trimmed }
    return String(text)
  }
}

extension Substring {
  /// Start of a comment, at the space or tab before a hash.
  fileprivate var commentStart: Index? {
    var previous: Index?
    for index in indices {
      if self[index] == "#", let previous, self[previous] == " " || self[previous] == "\t" {
        return previous
      }
      previous = index
    }
    return nil
  }

  fileprivate var trimmed: Substring {
    var text = self
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text.drop { $0 == " " || $0 == "\t" }
  }
}
