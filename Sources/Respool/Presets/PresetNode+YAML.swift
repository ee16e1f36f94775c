import Yams

extension PresetNode {
  /// What parsing came to: the tree, as far as there is one, and what is wrong with the YAML.
  struct Parsing {
    var node: PresetNode?
    var problems: [PresetProblem] = []
  }

  /// Parses one YAML document.
  static func parse(_ text: String, file: String) -> Parsing {
    var result = Parsing()
    var text = text
    // Each round takes one repeated key out of the way, so that the rest is looked at too.
    for _ in 0..<100 {
      do {
        // No resolver: values are typed by the key that they belong to, not by their looks.
        guard let node = try Yams.compose(yaml: text, .basic) else {
          result.problems.append(
            PresetProblem(
              file: file, line: 1, column: 1, message: "the preset is empty",
              advice: "a preset needs at least container, and video or audio"))
          return result
        }
        result.node = PresetNode(node, file: file, depth: 0)
        return result
      } catch let error as YamlError {
        guard
          case .duplicatedKeysInMapping(let keys, let context) = error, let key = keys.first,
          let repeated = RepeatedKey(key, in: text, from: context.mark)
        else {
          result.problems.append(PresetProblem(error, in: text, file: file))
          return result
        }
        result.problems.append(
          PresetProblem(
            file: file, line: repeated.line, column: repeated.column,
            message: "\(key) is set again, after line \(repeated.firstLine)",
            advice: "leave one of the two"))
        text = repeated.textWithout
      } catch {
        result.problems.append(
          PresetProblem(
            file: file, line: 1, column: 1, message: "not YAML: \(error)",
            advice: "a preset is one YAML mapping"))
        return result
      }
    }
    return result
  }

  private init(_ node: Node, file: String, depth: Int) {
    place = Place(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    switch node {
    // A preset is three levels deep; a value below that is wrong whatever it holds.
    case .mapping where depth > 4, .sequence where depth > 4: content = .sequence([])
    case .scalar(let scalar):
      let quoted = scalar.style == .doubleQuoted || scalar.style == .singleQuoted
      content = .scalar(scalar.string, quoted: quoted)
    case .mapping(let mapping):
      var entries: [Entry] = []
      for (key, value) in mapping {
        let key = PresetNode(key, file: file, depth: depth + 1)
        guard let text = key.text, !RepeatedKey.isPlaceholder(text) else { continue }
        entries.append(
          Entry(
            key: text, keyPlace: key.place,
            value: PresetNode(value, file: file, depth: depth + 1)))
      }
      content = .mapping(entries)
    case .sequence(let sequence):
      content = .sequence(sequence.map { PresetNode($0, file: file, depth: depth + 1) })
    case .alias: content = .sequence([])
    }
  }
}

extension PresetProblem {
  /// What libyaml says, where it says it.
  fileprivate init(_ error: YamlError, in text: String, file: String) {
    var mark = (line: 1, column: 1)
    var words: String
    var advice = "a preset is `key: value` lines, with deeper ones indented by two blanks"
    switch error {
    case .scanner(let context, let problem, let place, _),
      .parser(let context, let problem, let place, _),
      .composer(let context, let problem, let place, _):
      mark = (place.line, place.column)
      words = problem
      if problem.contains("another document") {
        words = "a second document starts here"
        advice = "put each preset into a file of its own"
      } else {
        if let context { words = "\(context.text), \(problem)" }
        if problem.contains("cannot start any token") {
          advice = "indent by blanks, not tabs, and put special characters into quotation marks"
        } else if problem.contains("mapping values are not allowed") {
          advice = "put a value that holds a colon into quotation marks, and check the indentation"
        } else if problem.contains("could not find expected ':'") {
          advice = "each line needs `key: value`"
        }
      }
    case .reader(let problem, let offset, _, _):
      words = problem
      advice = "a preset is UTF-8 text without control characters"
      if let offset { mark = Self.place(ofCharacter: offset, in: text) }
    case .duplicatedKeysInMapping(let keys, let context):
      mark = (context.mark.line, context.mark.column)
      words = "\(keys.sorted().joined(separator: ", ")) set more than once"
      advice = "leave one of them"
    default: words = "\(error)"
    }
    self.init(
      file: file, line: mark.line, column: mark.column, message: "broken YAML: \(words)",
      advice: advice)
  }
  private static func place(ofCharacter offset: Int, in text: String) -> (line: Int, column: Int) {
    let before = text.prefix(offset)
    let line = before.reduce(1) { $0 + ($1.isNewline ? 1 : 0) }
    return (line, before.reversed().prefix { !$0.isNewline }.count + 1)
  }
}
