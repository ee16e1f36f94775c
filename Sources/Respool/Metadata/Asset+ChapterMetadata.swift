public import RespoolMedia

extension Asset {
  /// Returns the languages of the chapter titles as BCP 47 tags, in file order; empty if the file stores none.
  ///
  /// Throws as `chapters` does.
  public func availableChapterLocales() throws(MediaError) -> [String] {
    var locales: [String] = []
    for case let language? in try chapters().map(\.language) {
      let tag = LanguageMatch.tag(language)
      if !locales.contains(tag) { locales.append(tag) }
    }
    return locales
  }

  /// Returns the chapters in one language, each as a group with its title.
  ///
  /// The language is the first of `languages` that has titles, else that of the first chapter. Languages are BCP 47
  /// tags. Throws as `chapters` does.
  public func chapterMetadataGroups(bestMatchingPreferredLanguages languages: [String])
    throws(MediaError) -> [TimedMetadataGroup]
  {
    let all = try chapters()
    var chosen = all.filter { $0.language == all.first?.language }
    for language in languages {
      let matches = all.filter { $0.language.map { LanguageMatch.matches($0, language) } ?? false }
      guard matches.isEmpty else {
        chosen = matches
        break
      }
    }
    return chosen.map { chapter in
      var title = MetadataItem(.commonKeyTitle, chapter.title)
      title.extendedLanguageTag = chapter.language.map { LanguageMatch.tag($0) }
      let nanoseconds = { MediaTime(value: $0, timescale: 1_000_000_000) }
      let range = TimeRange(start: nanoseconds(chapter.start), end: nanoseconds(chapter.end))
      (title.time, title.duration) = (range.start, range.duration)
      return TimedMetadataGroup(items: [title], timeRange: range)
    }
  }

  /// Loads the groups without blocking a thread of the cooperative pool.
  public func loadChapterMetadataGroups(bestMatchingPreferredLanguages languages: [String])
    async throws(MediaError) -> [TimedMetadataGroup]
  {
    try await AsyncProperty<Asset, [TimedMetadataGroup]> { asset throws(MediaError) in
      try asset.chapterMetadataGroups(bestMatchingPreferredLanguages: languages)
    }.load(from: self)
  }
}

extension AsyncProperty where Root == Asset, Value == [String] {
  public static var availableChapterLocales: Self {
    Self { asset throws(MediaError) in try asset.availableChapterLocales() }
  }
}
