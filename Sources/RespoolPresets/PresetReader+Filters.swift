import RespoolMedia

/// Reader of lists of filters, and checks against those that are present.
extension PresetReader {
  /// Returns the filters of a list; each is a name, or a mapping from a name to options.
  mutating func filters(_ key: String, in node: PresetNode) -> [Preset.Filter] {
    guard let entry = node[key] else { return [] }
    guard case .sequence(let items) = entry.value.content else {
      report(
        entry.value.text == "" ? entry.keyPlace : entry.value.place,
        "\(key) is \(entry.value.kindText)", "it takes a list, such as [hqdn3d, deband]")
      return []
    }
    return items.compactMap { filter(in: $0) }
  }

  private mutating func filter(in item: PresetNode) -> Preset.Filter? {
    if let name = item.text, !name.isEmpty { return Preset.Filter(name) }
    guard let entry = item.entries.first else {
      report(
        item.place, "a filter is \(item.kindText)",
        "it takes a name, or a name with options: bwdif: {mode: send_field}")
      return nil
    }
    if item.entries.count > 1 {
      let other = item.entries[1]
      report(
        other.keyPlace, "\(other.key) is beside the filter \(entry.key)",
        "indent options further than the name of the filter, and begin each filter with -")
      return nil
    }
    guard entry.value.text != "" else { return Preset.Filter(entry.key) }
    return Preset.Filter(entry.key, options: options(entry.key, in: item))
  }

  /// Checks names and options of the filters of a section.
  mutating func checkFilters(of section: PresetNode, _ media: Frame.Kind) {
    guard let available, case .sequence(let items)? = section["filters"]?.value.content else {
      return
    }
    let all = available.filters(of: media)
    for item in items {
      guard let name = item.text ?? item.entries.first?.key, !name.isEmpty else { continue }
      let place = item.entries.first?.keyPlace ?? item.place
      guard let filter = all.factory(named: name, by: \.description, plugin: \.plugin) else {
        let other: Frame.Kind = media == .video ? .audio : .video
        let isElsewhere =
          available.filters(of: other).factory(named: name, by: \.description, plugin: \.plugin)
          != nil
        report(
          place, "no plugin has the \(media) filter \(name)",
          isElsewhere
            ? "it filters \(other): it belongs to filters in \(other)"
            : available.unusable.explanation(for: .filter, named: name)
              ?? (all.isEmpty
                ? "install a plugin that has it"
                : Spelling.advice(
                  for: name, among: all.map(\.description.name), kind: "a filter")))
        continue
      }
      guard let entry = item.entries.first, item.entries.count == 1 else { continue }
      let count = problems.count
      let description = filter.description
      checkOptions(of: entry.value, description.options, owner: "filter \(description.name)")
      if problems.count == count { askFilter(filter, entry.value) }
    }
  }
}
