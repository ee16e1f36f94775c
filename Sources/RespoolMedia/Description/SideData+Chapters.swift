extension FourCC {
  /// Side data of a file: the body of Matroska's Chapters element (RFC 9559 5.1.7).
  ///
  /// Has what the flat list of chapters has no place for: editions, nesting, flags, titles in several languages. Holds
  /// only together with the list it was read with.
  public static let matroskaChapters: FourCC = "MKch"
  /// Side data of a file: the same, of a file whose flat list lacks only the default flag of its one edition.
  public static let matroskaPlainChapters: FourCC = "MKcp"
  /// Side data of a file: Matroska's Tag elements whose targets are chapters or editions (RFC 9559 5.1.8).
  public static let matroskaChapterTags: FourCC = "MKct"
}

extension SideData {
  /// `true` for records that say more about the chapters than their flat list, or that tell other times of the file.
  ///
  /// Whoever changes the list or the times removes these records.
  public var isAboutChapters: Bool {
    [
      .matroskaChapters, .matroskaPlainChapters, .matroskaChapterTags, .riffPlaces, .id3Places,
    ].contains(type)
  }
}
