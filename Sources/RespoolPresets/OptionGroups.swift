import RespoolHost
package import RespoolMedia

/// Groups of command-line options in a YAML file: a list of mappings from names of options to values.
package struct OptionGroups {
  package struct Group: Hashable {
    /// File, line and column of the group, as compilers print them.
    package var place: String
    /// Names of options without hyphens, with one value or several.
    package var options: [Option]
  }

  package struct Option: Hashable {
    package var name: String
    package var values: [String]
    /// File, line and column of the name, as compilers print them.
    package var place: String
  }

  package let groups: [Group]

  /// Reads a file; `noun` names its kind in errors.
  ///
  /// Throws `io` if it cannot be read, and `malformed` with place and correction if it is no such list.
  package init(_ path: String, called noun: String) throws(MediaError) {
    let content = try TextFile.read(path, called: noun)
    let advice = "write a list of mappings, each beginning with a hyphen"
    let kind = DocumentKind(
      noun: noun, form: "a \(noun) has lines such as `- {name: value}`", least: advice)
    let parsing = PresetNode.parse(content, file: path, as: kind)
    func fail(_ place: PresetNode.Place?, _ message: String, _ advice: String) -> MediaError {
      let problem = PresetProblem(
        file: path, line: place?.line ?? 1, column: place?.column ?? 1, message: message,
        advice: advice)
      return MediaError(.malformed, problem.description)
    }
    guard !content.allSatisfy(\.isWhitespace) else {
      throw fail(nil, "the \(noun) is empty", advice)
    }
    if let problem = parsing.problems.min() { throw MediaError(.malformed, problem.description) }
    guard let root = parsing.node, case .sequence(let items) = root.content else {
      throw fail(parsing.node?.place, "the \(noun) is \(parsing.node?.kindText ?? "empty")", advice)
    }
    guard !items.isEmpty else { throw fail(root.place, "the \(noun) has no items", advice) }
    func text(_ place: PresetNode.Place) -> String { "\(path):\(place.line):\(place.column)" }
    var groups: [Group] = []
    for item in items {
      guard case .mapping(let entries) = item.content, !entries.isEmpty else {
        throw fail(item.place, "\(item.kindText) stands for an item", advice)
      }
      var options: [Option] = []
      for entry in entries {
        let nodes =
          if case .sequence(let list) = entry.value.content { list } else { [entry.value] }
        options.append(
          Option(
            name: entry.key,
            values: try nodes.map { node throws(MediaError) in
              if let text = node.text, !text.isEmpty { return text }
              throw fail(
                node.place, "\(entry.key) is \(node.kindText)", "give text or a list of texts")
            }, place: text(entry.keyPlace)))
      }
      groups.append(Group(place: text(item.place), options: options))
    }
    self.groups = groups
  }
}
