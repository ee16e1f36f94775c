import RespoolMedia

extension MetadataItem {
  /// Returns the items with an identifier; one of a common key also finds items whose key has that meaning.
  public static func metadataItems(
    from items: [MetadataItem], filteredByIdentifier identifier: MetadataIdentifier
  ) -> [MetadataItem] {
    guard let parts = identifier.parts else { return [] }
    return metadataItems(from: items, withKey: parts.key, keySpace: parts.keySpace)
  }

  /// Returns the items with a key, a key space or both; `nil` matches any.
  ///
  /// A key of the key space `common` also finds items whose key has that meaning in their own key space.
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

  /// Returns the items in one of the preferred languages, in order of preference.
  ///
  /// Languages are BCP 47 tags. Two tags match if they are equal or one is a prefix of the other, as `de` and
  /// `de-CH`. Items of one language keep their order. Items without a language match none.
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

  /// Returns the items of a locale, such as `de_CH`, in their order.
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

  /// Returns the items that a filter includes.
  public static func metadataItems(
    from items: [MetadataItem], filteredBy filter: MetadataItemFilter
  ) -> [MetadataItem] {
    items.filter { filter.includes($0) }
  }
}

/// Comparison of languages by their BCP 47 tags.
enum LanguageMatch {
  /// Returns `true` if the tags are equal or one is a prefix of the other, such as `de` of `de-CH`.
  static func matches(_ a: String, _ b: String) -> Bool {
    let (a, b) = (tag(a).lowercased(), tag(b).lowercased())
    return a == b || a.hasPrefix(b + "-") || b.hasPrefix(a + "-")
  }

  /// Returns the shortest form of a tag: two letters if ISO 639-1 has the language.
  static func tag(_ language: String) -> String {
    let parts = language.split(whereSeparator: { $0 == "-" || $0 == "_" })
    guard let first = parts.first else { return language }
    let primary = LanguageCode(first)?.twoLetters ?? String(first)
    return ([primary] + parts.dropFirst().map { String($0) }).joined(separator: "-")
  }
}
