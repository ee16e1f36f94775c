public import RespoolMedia

extension PresetLibrary {
  /// Returns the preset as one YAML document with the presets that it extends merged in.
  ///
  /// A comment marks lines from another file. The document is itself a valid preset.
  ///
  /// - Throws: ``MediaError`` if there is no such preset or it is not valid.
  public func text(of nameOrPath: String) throws(MediaError) -> String {
    let preset = try preset(nameOrPath)
    let path = try path(of: nameOrPath)
    var loader = PresetLoader(library: self)
    guard let node = try loader.load(path) else {
      throw MediaError(.internal, "a valid preset cannot be parsed", file: path)
    }
    var text = "# \(path)\n"
    if !preset.ancestors.isEmpty {
      text += "# extends \(preset.ancestors.joined(separator: ", which extends "))\n"
    }
    if node["name"] == nil { text += "name: \(Self.scalar(preset.name))\n" }
    Self.write(node, PresetKey.root, own: path, indent: "", to: &text)
    return text
  }

  private static func write(
    _ node: PresetNode, _ keys: [PresetKey], own: String, indent: String, to text: inout String
  ) {
    for entry in ordered(node.entries, keys) {
      let inherited = entry.value.place.file != own
      let origin = inherited ? "  # \(PresetFile.stem(of: entry.value.place.file))" : ""
      text += "\(indent)\(scalar(entry.key)):"
      switch entry.value.content {
      case .scalar(let value, _): text += " \(scalar(value))\(origin)\n"
      case .sequence(let values) where values.allSatisfy { $0.text != nil }:
        text += " [\(values.map { scalar($0.text ?? "") }.joined(separator: ", "))]\(origin)\n"
      case .sequence(let values):
        text += "\(origin)\n"
        for value in values {
          var item = "\(scalar(value.text ?? ""))\n"
          if value.text == nil {
            item = ""
            write(value, [], own: entry.value.place.file, indent: indent + "    ", to: &item)
            item.removeFirst(indent.count + 4)
          }
          text += "\(indent)  - \(item)"
        }
      case .mapping(let members):
        text += members.isEmpty ? " {}\n" : "\n"
        let inner = Self.keys(of: entry.key, in: keys)
        write(entry.value, inner, own: own, indent: indent + "  ", to: &text)
      }
    }
  }

  /// Returns a scalar, in quotation marks if YAML would not read the plain text as this text.
  package static func scalar(_ text: String) -> String {
    let special = "!&*-?|>@`%{}[],#\"'~:= "
    let isPlain =
      !text.isEmpty && !special.contains(text.first ?? " ") && text.last != " "
      && text.last != ":" && !text.contains(": ") && !text.contains(" #")
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !",[]{}".unicodeScalars.contains($0) }
    if isPlain { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        quoted += "\\x" + (hex.count == 1 ? "0" : "") + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
