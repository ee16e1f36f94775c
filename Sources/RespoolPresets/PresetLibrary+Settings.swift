public import RespoolMedia

extension PresetLibrary {
  /// A setting of a preset with everything that it extends.
  public struct Setting: Hashable, Sendable {
    /// Keys of the sections and the setting, such as `video.options.preset`; positions in lists from 0.
    public var key: String
    /// Value as in the file.
    public var value: String
  }

  /// Returns all settings of a preset, in the order of the documentation, except its name.
  ///
  /// - Throws: ``MediaError`` if there is no such preset or it is not valid.
  public func settings(of nameOrPath: String) throws(MediaError) -> [Setting] {
    _ = try preset(nameOrPath)
    let path = try path(of: nameOrPath)
    var loader = PresetLoader(library: self)
    guard let node = try loader.load(path) else {
      throw MediaError(.internal, "a valid preset cannot be parsed", file: path)
    }
    var settings: [Setting] = []
    for entry in Self.ordered(node.entries, PresetKey.root) where entry.key != "name" {
      Self.add(entry.value, entry.key, Self.keys(of: entry.key, in: PresetKey.root), to: &settings)
    }
    return settings
  }

  private static func add(
    _ node: PresetNode, _ key: String, _ keys: [PresetKey], to settings: inout [Setting]
  ) {
    switch node.content {
    case .scalar(let text, _): settings.append(Setting(key: key, value: text))
    case .sequence(let values) where values.allSatisfy { $0.text != nil }:
      let texts = values.map { $0.text ?? "" }
      settings.append(Setting(key: key, value: texts.joined(separator: ", ")))
    case .sequence(let values):
      for (index, value) in values.enumerated() {
        add(value, "\(key)[\(index)]", [], to: &settings)
      }
    case .mapping(let entries):
      for entry in ordered(entries, keys) {
        add(entry.value, "\(key).\(entry.key)", Self.keys(of: entry.key, in: keys), to: &settings)
      }
    }
  }

  /// Returns the keys of a section; none for other keys.
  static func keys(of section: String, in keys: [PresetKey]) -> [PresetKey] {
    if case .section(let inner)? = keys.first(where: { $0.name == section })?.kind { return inner }
    return []
  }

  /// Returns entries in the order of the documented keys, then others; without `extends`.
  static func ordered(_ entries: [PresetNode.Entry], _ keys: [PresetKey]) -> [PresetNode.Entry] {
    let order = keys.map(\.name)
    return entries.filter { $0.key != "extends" }.enumerated().sorted {
      let (a, b) = (order.firstIndex(of: $0.element.key), order.firstIndex(of: $1.element.key))
      return (a ?? order.count, $0.offset) < (b ?? order.count, $1.offset)
    }.map(\.element)
  }
}
