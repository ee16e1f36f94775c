/// Tags with several values, such as artists: some containers store them separately, others as one text.
extension NativeTag {
  /// Returns one entry for each name, with its values in order, joined by `;` as FFmpeg does.
  ///
  /// Repeated values are left out. Tags for which `isApart` returns `true` get separate entries.
  public static func entries(_ tags: [NativeTag], isApart: (NativeTag) -> Bool = { _ in false })
    -> [MetadataEntry]
  {
    var names: [String] = []
    var values: [String: [String]] = [:]
    var apart: [MetadataEntry] = []
    for tag in tags {
      if isApart(tag) {
        apart.append(MetadataEntry(tag.name, tag.value))
      } else if let known = values[tag.name] {
        if !known.contains(tag.value) { values[tag.name] = known + [tag.value] }
      } else {
        names.append(tag.name)
        values[tag.name] = [tag.value]
      }
    }
    return names.map { MetadataEntry($0, joined(values[$0] ?? [])) } + apart
  }

  fileprivate static func joined(_ values: [String]) -> String { values.joined(separator: ";") }
}

/// The separate values of metadata entries whose values were joined.
public struct TagValues {
  private var values: [String: [String]] = [:]

  public init(_ media: MediaDescription) { self.init(media.nativeTags.filter { $0.track == nil }) }

  public init(_ tags: [NativeTag]) {
    for tag in tags {
      let name = tag.name.lowercased()
      if values[name]?.contains(tag.value) != true { values[name, default: []].append(tag.value) }
    }
  }

  /// Returns the separate values of an entry; its own value if the tags do not have several.
  public subscript(entry: MetadataEntry) -> [String] {
    let values = values[entry.name.lowercased()] ?? []
    return values.count > 1 && NativeTag.joined(values) == entry.value ? values : [entry.value]
  }
}

extension NativeTag {
  /// Returns `false` if entries have the tag's name, but none of them has its value.
  ///
  /// A movie may have two locations or two titles: one in its user data, one among the iTunes items. Only one of them
  /// becomes the entry. Returns `true` for tags that are not text of `itsk`, `udta` or `uiso`.
  public func isStated(by entries: [MetadataEntry]) -> Bool {
    guard kind == .text, ["itsk", "udta", "uiso"].contains(keySpace) else { return true }
    let values = entries.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    return values.isEmpty
      || values.contains { $0 == value || $0.split(separator: ";").contains { $0 == value } }
  }
}

/// The languages of metadata entries, of which several may have one name.
public struct EntryLanguages {
  private var languages: [MetadataEntry: String] = [:]
  /// Entries that a tag states without a language.
  private var plain: Set<MetadataEntry> = []

  /// Creates the languages from the tags of a file or of one track.
  public init(_ tags: some Sequence<NativeTag>) {
    for tag in tags {
      for name in Set([tag.name, tag.key]) where !name.isEmpty {
        let entry = MetadataEntry(name.lowercased(), tag.text)
        if let language = tag.language, language != "und", !language.isEmpty {
          languages[entry] = languages[entry] ?? language
        } else {
          plain.insert(entry)
        }
      }
    }
  }

  /// `true` if no entry has a language.
  public var isEmpty: Bool { languages.isEmpty }

  /// Returns the language of an entry.
  ///
  /// `nil` if undetermined.
  public subscript(entry: MetadataEntry) -> String? {
    let entry = MetadataEntry(entry.name.lowercased(), entry.value)
    return plain.contains(entry) ? nil : languages[entry]
  }

  /// Returns the entries with those of undetermined language before others of the same name.
  ///
  /// Containers with one text for each name store the first.
  public func defaultFirst(_ entries: [MetadataEntry]) -> [MetadataEntry] {
    languages.isEmpty ? entries : entries.movingBack(name: \.name) { self[$0] != nil }
  }
}

extension Array {
  /// Returns the elements with those for which `isLater` returns `true` after others of the same name.
  ///
  /// Names are not case-sensitive. An element with nested ones, such as `ARTIST` before `ARTIST/ROLE`, stays in its
  /// place.
  package func movingBack(name: (Element) -> String, isLater: (Element) -> Bool) -> [Element] {
    var places: [String: [Int]] = [:]
    var parents: Set<Substring> = []
    for (index, element) in enumerated() {
      let name = name(element).lowercased()
      places[name, default: []].append(index)
      if let slash = name.lastIndex(of: "/") { parents.insert(name[..<slash]) }
    }
    var result = self
    for (name, indexes) in places where indexes.count > 1 && !parents.contains(name[...]) {
      let own = indexes.map { self[$0] }
      let later = own.map(isLater)
      let sorted = zip(own, later).filter { !$0.1 } + zip(own, later).filter(\.1)
      for (index, pair) in zip(indexes, sorted) { result[index] = pair.0 }
    }
    return result
  }
}
