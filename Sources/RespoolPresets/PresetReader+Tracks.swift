import RespoolMedia

/// Readers of rules that select tracks.
extension PresetReader {
  /// Words for rules without a condition.
  private static let (bestWord, allWord) = ("best", "all")

  /// Reads rules; none for `word` and the other words that the key takes.
  ///
  /// Returns the word, or `word` if the value is a list.
  mutating func trackRules<Word: RawRepresentable & CaseIterable>(
    _ key: String, in node: PresetNode, of kind: TrackDescription.Kind, _ word: Word
  ) -> ([Preset.TrackRule], Word) where Word.RawValue == String {
    guard let entry = node[key], case .sequence(let items) = entry.value.content else {
      return ([], choice(key, in: node, or: ", or rules: [language == en]") ?? word)
    }
    return (rules(items, entry, kind), word)
  }

  /// Reads the rules of a section, in which `best` and `all` are rules too.
  mutating func trackRules(_ key: String, in node: PresetNode, of kind: TrackDescription.Kind)
    -> [Preset.TrackRule]
  {
    guard let entry = node[key] else { return [] }
    if case .sequence(let items) = entry.value.content { return rules(items, entry, kind) }
    return rules([entry.value], entry, kind)
  }

  /// Reads the rules for the subtitles that are drawn into frames.
  mutating func burn(in node: PresetNode, _ preset: Preset) -> [Preset.TrackRule] {
    guard let entry = node["burn"], entry.value.text != Preset.burnsNothing else { return [] }
    if isWhole, preset.video.map({ $0.passThrough == .only }) ?? true {
      report(
        entry.keyPlace, "burn needs video that is encoded",
        preset.video == nil
          ? "add a video section, or remove burn" : "remove passthrough: only, or burn")
    } else if let available, available.subtitleFilter == nil {
      report(
        entry.keyPlace, "no plugin draws subtitles: burn needs the filter \(BurntSubtitles.filter)",
        available.unusable.explanation(for: .filter, named: BurntSubtitles.filter)
          ?? "install a plugin that has it")
    }
    return trackRules("burn", in: node, of: .subtitle)
  }

  private mutating func rules(
    _ items: [PresetNode], _ entry: PresetNode.Entry, _ kind: TrackDescription.Kind
  ) -> [Preset.TrackRule] {
    if items.isEmpty {
      report(
        entry.value.place, "\(entry.key) is an empty list",
        entry.key == "burn"
          ? "write burn: none"
          : kind == .subtitle ? "write subtitles: drop" : "write \(kind): none to drop \(kind)")
    }
    return items.enumerated().compactMap { index, item in
      if let text = item.text { return rule(text, item, kind) }
      guard item.entries.count == 1, let form = item.entries.first,
        ["best", "else"].contains(form.key)
      else {
        report(
          item.entries.first?.keyPlace ?? item.place, "a rule is \(item.kindText)",
          "it takes a condition, best: with a condition, or else: with a condition, best or all")
        return nil
      }
      guard let text = text(form.key, in: item), var rule = rule(text, form.value, kind) else {
        return nil
      }
      if form.key == "best" { rule.takesBest = true } else { rule.isFallback = true }
      if rule.isFallback, index == 0 {
        report(form.keyPlace, "else is the first rule", "write rules before it, or leave out else")
      }
      return rule
    }
  }

  private mutating func rule(_ text: String, _ node: PresetNode, _ kind: TrackDescription.Kind)
    -> Preset.TrackRule?
  {
    switch text {
    case Self.bestWord: return Preset.TrackRule(nil, takesBest: true)
    case Self.allWord: return Preset.TrackRule(nil)
    default: return condition(text, node.place, kind).map { Preset.TrackRule($0) }
    }
  }
}
