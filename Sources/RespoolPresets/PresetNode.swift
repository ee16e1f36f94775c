/// A value of a preset file as it was written, with its position.
struct PresetNode: Hashable {
  struct Place: Hashable {
    var file: String
    var line: Int
    var column: Int
  }

  struct Entry: Hashable {
    var key: String
    var keyPlace: Place
    var value: PresetNode
  }

  enum Content: Hashable {
    /// Text; `quoted` is `true` if it was in quotation marks.
    case scalar(String, quoted: Bool)
    case mapping([Entry])
    case sequence([PresetNode])
  }

  var content: Content
  var place: Place

  var entries: [Entry] { if case .mapping(let entries) = content { entries } else { [] } }

  subscript(key: String) -> Entry? { entries.first { $0.key == key } }

  /// Text of a scalar; `nil` for other values.
  var text: String? { if case .scalar(let text, _) = content { text } else { nil } }

  /// Description of the value in words, for messages.
  var kindText: String {
    switch content {
    case .scalar(let text, _): text.isEmpty ? "empty" : "\"\(text)\""
    case .mapping: "a mapping"
    case .sequence: "a list"
    }
  }
}

extension PresetNode {
  /// Keys whose value is valid for one codec and encoder only.
  private static let codecKeys: Set<String> = ["encoder", "quality", "bitrate", "options"]

  /// Returns this node with `child` merged over it, mapping by mapping.
  ///
  /// In a section, another codec or encoder discards the values for the previous one. `quality` and
  /// `bitrate` are one decision: if the child has one of them, it replaces both.
  func overlaid(by child: PresetNode) -> PresetNode {
    guard case .mapping(let mine) = content, case .mapping(let theirs) = child.content else {
      return child
    }
    var outdated: Set<String> = []
    if changes("codec", child) {
      outdated.formUnion(Self.codecKeys)
      outdated.insert("pixelFormat")
    }
    if changes("encoder", child) { outdated.insert("options") }
    if child["quality"] != nil { outdated.insert("bitrate") }
    if child["bitrate"] != nil { outdated.insert("quality") }

    var merged = mine.filter { !outdated.contains($0.key) || child[$0.key] != nil }
    for entry in theirs {
      if let index = merged.firstIndex(where: { $0.key == entry.key }) {
        if outdated.contains(entry.key) {
          merged[index] = entry
        } else {
          let value = merged[index].value.overlaid(by: entry.value)
          merged[index] = Entry(key: entry.key, keyPlace: entry.keyPlace, value: value)
        }
      } else {
        merged.append(entry)
      }
    }
    return PresetNode(content: .mapping(merged), place: child.place)
  }

  private func changes(_ key: String, _ child: PresetNode) -> Bool {
    guard let theirs = child[key]?.value.text else { return false }
    return self[key]?.value.text != theirs
  }
}
