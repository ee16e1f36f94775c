import RespoolPlugin

extension MediaDescription {
  /// Moves languages from the names of Matroska's tags, where FFmpeg stores them, to the tags' language.
  ///
  /// FFmpeg reads a French tag `TITLE` as `TITLE-fre`, and also as `TITLE` unless the file marks it as not
  /// default (RFC 9559 5.1.8.1.2.4). Here it becomes one tag `TITLE` with its language.
  mutating func takeTagLanguages() {
    guard format == "matroska,webm" else { return }
    var hasLanguages = false
    var tags: [NativeTag] = []
    func take(_ entries: [MetadataEntry], track: Int?) -> [MetadataEntry] {
      let found = Self.tags(entries)
      if found.contains(where: { $0.language != nil }) { hasLanguages = true }
      for (entry, language) in found {
        guard !entry.describesSourceFile, entry.name.lowercased() != "creation_time" else {
          continue
        }
        let key = Self.readNames.first { $0.value == entry.name.lowercased() }?.key
        tags.append(
          NativeTag(
            keySpace: "org.matroska", key: key ?? entry.name.uppercased(), name: entry.name,
            value: entry.value, language: language, track: track))
      }
      return found.map(\.entry)
    }
    metadata = take(metadata, track: nil)
    for index in tracks.indices {
      tracks[index].metadata = take(tracks[index].metadata, track: index)
    }
    // Without languages, the metadata entries are equivalent.
    if hasLanguages { nativeTags = tags }
  }

  /// Names that FFmpeg changes, except if a language follows.
  private static let readNames = ["PART_NUMBER": "track", "LEAD_PERFORMER": "performer"]

  /// Returns the entries with their languages.
  ///
  /// An entry that occurs with and without a language is returned once.
  private static func tags(_ entries: [MetadataEntry])
    -> [(entry: MetadataEntry, language: String?)]
  {
    var plain: [(entry: MetadataEntry, language: String?)] = []
    var spoken: [(entry: MetadataEntry, language: String?)] = []
    for entry in entries {
      let parts = entry.name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count > 1, let code = parts.last, code.count == 3,
        code == code.lowercased(), LanguageCode(code) != nil
      else {
        plain.append((entry, nil))
        continue
      }
      let name = String(entry.name.dropLast(4))
      spoken.append(
        (MetadataEntry(readNames[name.uppercased()] ?? name, entry.value), String(code)))
    }
    return plain.filter { tag in
      !spoken.contains {
        $0.entry.name.lowercased() == tag.entry.name.lowercased()
          && $0.entry.value == tag.entry.value
      }
    } + spoken
  }
}
