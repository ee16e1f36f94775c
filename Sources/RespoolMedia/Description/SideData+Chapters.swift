extension FourCC {
  /// Side data of a file: a mark that the chapters are also a text track, which Apple's players show (QuickTime File
  /// Format, "Chapter lists").
  public static let chapterTrack: FourCC = "chap"
  /// Side data of a file: the body of Matroska's Chapters element (RFC 9559 5.1.7).
  ///
  /// It contains data that the flat list of chapters cannot store: editions, nesting, flags, titles in several
  /// languages. It is valid only together with the list it was read with.
  public static let matroskaChapters: FourCC = "MKch"
  /// Side data of a file: the body of the Chapters element if the flat list lacks only the default flag of its one
  /// edition.
  public static let matroskaPlainChapters: FourCC = "MKcp"
  /// Side data of a file: Matroska's Tag elements whose targets are chapters or editions (RFC 9559 5.1.8).
  public static let matroskaChapterTags: FourCC = "MKct"
  /// Side data of a file: the sample rate of FLAC in 4 bytes, and the body of its CUESHEET block (RFC 9639 8.7), which
  /// states more than the chapters.
  public static let flacCueSheet: FourCC = "FLcs"
}

extension SideData {
  /// `true` for records with further data of chapters or with other times of the file.
  ///
  /// Code that changes the list of chapters or the times must remove these records.
  package var isAboutChapters: Bool {
    [
      .matroskaChapters, .matroskaPlainChapters, .matroskaChapterTags, .riffPlaces, .id3Places,
      .flacCueSheet,
    ].contains(type)
  }
}
