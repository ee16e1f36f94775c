import RespoolMedia

/// Readers of `when`: settings for the files or tracks that fulfil a condition.
extension PresetReader {
  /// Maximum number of conditions in a list: each variant is checked with the plugins.
  private static let variantLimit = 16

  /// Reads the variants of a preset or of a section.
  ///
  /// A variant has the settings of `node` with those of the list merged in. `kind` is that of the tracks that the
  /// conditions are about; `nil` if they are about files.
  mutating func variants<Settings: Hashable & Sendable>(
    in node: PresetNode, of kind: TrackDescription.Kind?,
    reading settings: (inout PresetReader, PresetNode) -> Settings
  ) -> [Preset.Variant<Settings>] {
    guard let entry = node["when"] else { return [] }
    guard case .sequence(let items) = entry.value.content, !items.isEmpty else {
      report(
        entry.value.text == "" ? entry.keyPlace : entry.value.place,
        "when is \(entry.value.content == .sequence([]) ? "an empty list" : entry.value.kindText)",
        "it takes a list, each item with if and settings: - {if: \(Self.example(kind)), …}")
      return []
    }
    if items.count > Self.variantLimit {
      report(
        items[Self.variantLimit].place, "when has \(items.count) conditions",
        "it takes \(Self.variantLimit) at most; join conditions with or")
    }
    return items.prefix(Self.variantLimit).compactMap { item in
      guard let condition = condition(of: item, kind) else { return nil }
      checkKeys(ofVariant: item, kind)
      return Preset.Variant(if: condition, settings(&self, Self.merged(item, into: node)))
    }
  }

  /// Checks the variants of a section with the plugins that are present; `node` is the whole preset.
  mutating func checkVariants(of section: String, of preset: Preset, _ node: PresetNode) {
    guard let value = node[section]?.value,
      case .sequence(let items)? = value["when"]?.value.content
    else { return }
    for item in items.prefix(Self.variantLimit) where item["if"] != nil {
      let merged = Self.merged(item, into: value)
      var other = preset
      if section == "video" {
        other.video = videoSettings(from: merged)
      } else {
        other.audio = audioSettings(from: merged)
      }
      let place = PresetNode.Entry(key: section, keyPlace: value.place, value: merged)
      let entries = node.entries.filter { $0.key != section } + [place]
      checkPlugins(of: other, PresetNode(content: .mapping(entries), place: node.place))
    }
  }

  private static func merged(_ item: PresetNode, into node: PresetNode) -> PresetNode {
    var merged = node.without(["when"]).overlaid(by: item.without(["if", "decoder"]))
    merged.place = item.place
    return merged
  }

  private static func example(_ kind: TrackDescription.Kind?) -> String {
    switch kind {
    case .video: "height > 1080"
    case .audio: "channels > 2"
    case .subtitle: "language == \"eng\""
    default: "video.height > 1080"
    }
  }

  /// Reads the condition of a variant; `nil` if it is missing or wrong.
  private mutating func condition(of item: PresetNode, _ kind: TrackDescription.Kind?)
    -> MediaCondition?
  {
    guard case .mapping = item.content else {
      report(
        item.place, "an item of when is \(item.kindText)",
        "it takes if and settings: - {if: \(Self.example(kind)), …}")
      return nil
    }
    guard let entry = item["if"] else {
      report(item.place, "an item of when has no if", "add one, such as if: \(Self.example(kind))")
      return nil
    }
    guard let text = text("if", in: item) else { return nil }
    return condition(text, entry.value.place, kind)
  }

  /// Reads the text of a condition; reports what is wrong with it.
  mutating func condition(
    _ text: String, _ place: PresetNode.Place, _ kind: TrackDescription.Kind?
  ) -> MediaCondition? {
    do throws(MediaError) { return try MediaCondition(text, ofTrack: kind) } catch {
      let halves = error.message.split(separator: "; ", maxSplits: 1).map(String.init)
      report(
        place, halves[0],
        halves.count > 1 ? halves[1] : "conditions are those of `respool batch --if`")
      return nil
    }
  }

  /// Checks the keys of a variant; some do not depend on the source.
  private mutating func checkKeys(ofVariant item: PresetNode, _ kind: TrackDescription.Kind?) {
    let parent: [PresetKey] =
      switch kind {
      case .video: PresetKey.video
      case .audio: PresetKey.audio
      default: PresetKey.root
      }
    guard case .variants(let keys)? = parent.first(where: { $0.name == "when" })?.kind else {
      return
    }
    let what = kind == nil ? "file" : "track"
    checkKeys(of: item.without(reportFixed(item, keys, parent, what)), keys, section: "when")
    for entry in item.entries {
      guard case .section(let all)? = parent.first(where: { $0.name == entry.key })?.kind,
        case .section(let inner)? = keys.first(where: { $0.name == entry.key })?.kind
      else { continue }
      _ = reportFixed(entry.value, inner, all, what)
    }
  }

  /// Reports the keys that a variant cannot have although its preset or section can, and returns their names.
  private mutating func reportFixed(
    _ node: PresetNode, _ keys: [PresetKey], _ all: [PresetKey], _ what: String
  ) -> Set<String> {
    let fixed = Set(all.map(\.name)).subtracting(keys.map(\.name))
    let found = node.entries.filter { fixed.contains($0.key) }
    for entry in found {
      report(
        entry.keyPlace, "\(entry.key) is in when, and it is the same for every \(what)",
        "move it out of when")
    }
    return Set(found.map(\.key))
  }
}
