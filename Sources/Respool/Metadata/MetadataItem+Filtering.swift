import RespoolMedia

extension MetadataItem {
  /// The items with an identifier; one of a common key finds what means that.
  public static func metadataItems(
    from items: [MetadataItem], filteredByIdentifier identifier: MetadataIdentifier
  ) -> [MetadataItem] {
    guard let parts = identifier.parts else { return [] }
    return metadataItems(from: items, withKey: parts.key, keySpace: parts.keySpace)
  }

  /// The items with a key, a key space or both; nil: any.
  ///
  /// Of the key space `common`, a key finds what means that in its own key space.
  public static func metadataItems(
    from items: [MetadataItem], withKey key: String?, keySpace: MetadataKeySpace?
  ) -> [MetadataItem] {
    items.filter { item in
      if keySpace == .common {
        return item.commonKey.map { key == nil || $0.rawValue == key } ?? false
      }
      return (key == nil || item.key == key) && (keySpace == nil || item.keySpace == keySpace)
    }
  }

  /// The items whose language is among those that are preferred, in the order of preference.
  ///
  /// Languages are BCP 47. One matches another where it is the same or the other more narrowly, as `de`
  /// and `de-CH` do; items of one language keep their order. Those without a language match none.
  public static func metadataItems(
    from items: [MetadataItem],
    filteredAndSortedAccordingToPreferredLanguages languages: [String]
  ) -> [MetadataItem] {
    var left = items
    var result: [MetadataItem] = []
    for language in languages {
      let matches: (MetadataItem) -> Bool = { item in
        item.extendedLanguageTag.map { LanguageMatch.matches($0, language) } ?? false
      }
      result += left.filter(matches)
      left.removeAll(where: matches)
    }
    return result
  }

  /// The items of a locale, such as `de_CH`, in their order.
  public static func metadataItems(
    from items: [MetadataItem], withLocale locale: String
  ) -> [MetadataItem] {
    items.filter { item in
      item.locale.map {
        LanguageMatch.tag($0).lowercased() == LanguageMatch.tag(locale).lowercased()
      }
        ?? false
    }
  }

  /// The items that a filter lets through.
  public static func metadataItems(
    from items: [MetadataItem], filteredBy filter: MetadataItemFilter
  ) -> [MetadataItem] {
    items.filter { filter.includes($0) }
  }
}

/// Languages by their BCP 47 tags.
enum LanguageMatch {
  /// Whether the tags are the same or one is the other more narrowly.
  static func matches(_ a: String, _ b: String) -> Bool {
    let (a, b) = (tag(a).lowercased(), tag(b).lowercased())
    return a == b || a.hasPrefix(b + "-") || b.hasPrefix(a + "-")
  }

  /// The shortest form of a tag: two letters where ISO 639-1 has the language.
  static func tag(_ language: String) -> String {
    let parts = language.split(whereSeparator: { $0 == "-" || $0 == "_" })
    guard let first = parts.first else { return language }
    let primary = LanguageCode(first)?.twoLetters ?? String(first)
    return ([primary] + parts.dropFirst().map { String($0) }).joined(separator: "-")
  }
}
