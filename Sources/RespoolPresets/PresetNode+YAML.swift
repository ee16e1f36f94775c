import CYAML

extension PresetNode {
  /// The result of parsing: the tree, as far as it could be read, and the YAML errors.
  struct Parsing {
    var node: PresetNode?
    var problems: [PresetProblem] = []
  }

  /// Parses one YAML document.
  static func parse(_ text: String, file: String, as kind: DocumentKind = .preset) -> Parsing {
    var parsing = Parsing()
    func report(_ mark: yaml_mark_t, _ message: String, _ advice: String) {
      parsing.problems.append(
        PresetProblem(
          file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1, message: message,
          advice: advice))
    }
    if let reason = respool_yaml_missing() {
      report(
        yaml_mark_t(), "cannot be read: \(String(cString: reason))", "install libyaml (libyaml-0-2)"
      )
      return parsing
    }
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return parsing }
    defer { yaml_parser_delete(&parser) }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    // The parser reads these bytes until it is deleted.
    let bytes = Array(text.utf8)
    bytes.withUnsafeBufferPointer { bytes in
      if let problem = nestingProblem(in: bytes, file: file) {
        parsing.problems.append(problem)
        return
      }
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var document = yaml_document_t()
      guard yaml_parser_load(&parser, &document) == 1 else {
        parsing.problems.append(PresetProblem(parser, in: bytes, file: file, kind))
        return
      }
      defer { yaml_document_delete(&document) }
      guard let root = yaml_document_get_root_node(&document) else {
        report(
          yaml_mark_t(), "the \(kind.noun) is empty", kind.least)
        return
      }
      var reader = DocumentReader(document: document, file: file)
      parsing.node = reader.node(root.pointee, depth: 0)
      parsing.problems += reader.problems
      var next = yaml_document_t()
      guard yaml_parser_load(&parser, &next) == 1 else {
        parsing.problems.append(PresetProblem(parser, in: bytes, file: file, kind))
        parsing.node = nil
        return
      }
      defer { yaml_document_delete(&next) }
      if yaml_document_get_root_node(&next) != nil {
        report(
          next.start_mark, "broken YAML: a second document starts here",
          "put each \(kind.noun) into a file of its own")
        parsing.node = nil
      }
    }
    return parsing
  }
}

/// A kind of YAML file, for messages.
struct DocumentKind {
  let noun: String
  /// Sentence about its form.
  let form: String
  /// Sentence about what it has at least.
  let least: String

  static let preset = DocumentKind(
    noun: "preset", form: "a preset is `key: value` lines, with nested ones indented by two spaces",
    least: "a preset needs at least container, and video or audio")
}

/// A converter of a libyaml document to nodes.
private struct DocumentReader {
  var document: yaml_document_t
  let file: String
  var problems: [PresetProblem] = []
  /// Number of nodes.
  ///
  /// It is limited, because aliases can make a small file represent a huge tree.
  private var count = 0
  private static let maximumCount = 10_000

  init(document: yaml_document_t, file: String) {
    self.document = document
    self.file = file
  }

  mutating func node(_ node: yaml_node_t, depth: Int) -> PresetNode {
    let place = PresetNode.Place(
      file: file, line: Int(node.start_mark.line) + 1, column: Int(node.start_mark.column) + 1)
    count += 1
    // A preset is three levels deep; a deeper value is wrong whatever it contains.
    guard depth <= 4 || node.type == YAML_SCALAR_NODE, count <= Self.maximumCount else {
      return PresetNode(content: .sequence([]), place: place)
    }
    switch node.type {
    case YAML_SCALAR_NODE:
      let scalar = node.data.scalar
      let text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let quoted =
        scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
        || scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE
      return PresetNode(content: .scalar(text, quoted: quoted), place: place)
    case YAML_MAPPING_NODE:
      return PresetNode(content: .mapping(entries(of: node, depth)), place: place)
    default:
      let items = node.data.sequence.items
      var content: [PresetNode] = []
      var item = items.start
      while let index = item, index != items.top {
        if let child = child(index.pointee, depth) { content.append(child) }
        item = index + 1
      }
      return PresetNode(content: .sequence(content), place: place)
    }
  }

  private mutating func entries(of node: yaml_node_t, _ depth: Int) -> [PresetNode.Entry] {
    var entries: [PresetNode.Entry] = []
    let pairs = node.data.mapping.pairs
    var next = pairs.start
    while let pair = next, pair != pairs.top {
      next = pair + 1
      guard let key = child(pair.pointee.key, depth), let text = key.text,
        let value = child(pair.pointee.value, depth)
      else { continue }
      if let first = entries.first(where: { $0.key == text }) {
        problems.append(
          PresetProblem(
            file: file, line: key.place.line, column: key.place.column,
            message: "\(text) is set again, after line \(first.keyPlace.line)",
            advice: "remove one of the two"))
        continue
      }
      entries.append(.init(key: text, keyPlace: key.place, value: value))
    }
    return entries
  }

  private mutating func child(_ index: Int32, _ depth: Int) -> PresetNode? {
    yaml_document_get_node(&document, index).map { node($0.pointee, depth: depth + 1) }
  }
}

extension PresetProblem {
  /// Creates a problem from libyaml's message and its position.
  fileprivate init(
    _ parser: yaml_parser_t, in text: UnsafeBufferPointer<UInt8>, file: String,
    _ kind: DocumentKind
  ) {
    var words = parser.problem.map { String(cString: $0) } ?? "the text cannot be parsed"
    let context = parser.context.map { String(cString: $0) }
    var place = (
      line: Int(parser.problem_mark.line) + 1, column: Int(parser.problem_mark.column) + 1
    )
    var advice = kind.form
    if parser.error == YAML_READER_ERROR {
      advice = "a \(kind.noun) is UTF-8 text without control characters"
      place = Self.place(ofByte: parser.problem_offset, in: text)
    } else if words.contains("cannot start any token") {
      advice = "indent with spaces, not tabs, and put special characters into quotation marks"
    } else if words.contains("mapping values are not allowed") {
      advice = "put a value that holds a colon into quotation marks, and check the indentation"
    } else if words.contains("could not find expected ':'") {
      advice = "each line needs `key: value`"
    }
    if let context { words = "\(context), \(words)" }
    self.init(
      file: file, line: place.line, column: place.column, message: "broken YAML: \(words)",
      advice: advice)
  }

  private static func place(
    ofByte offset: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> (line: Int, column: Int) {
    let before = text.prefix(max(0, offset))
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // Continuation bytes of UTF-8 belong to the character before them.
    return (line, before[start...].count { $0 & 0xC0 != 0x80 } + 1)
  }
}
