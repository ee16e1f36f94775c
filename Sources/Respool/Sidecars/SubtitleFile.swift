public import RespoolMedia

/// A file of subtitles that belongs to a film, such as `film.pt-BR.forced.srt` beside `film.mkv`.
///
/// ``ExportSession/subtitleFiles`` adds its text to an output.
public struct SubtitleFile: Hashable, Sendable {
  public var path: String
  /// BCP 47 tag of the language; `nil` if it is unknown.
  public var language: String?
  /// Flags of the track, such as ``TrackDescription/Disposition/forced``.
  public var disposition: TrackDescription.Disposition

  public init(
    path: String, language: String? = nil, disposition: TrackDescription.Disposition = []
  ) {
    (self.path, self.language, self.disposition) = (path, language, disposition)
  }

  /// Extensions of files of subtitles, in lower case.
  package static let extensions: Set<String> = [
    "srt", "ass", "ssa", "vtt", "sup", "idx", "sub",
  ]
  /// Extensions of subtitles that are in two files or in one of several formats, and are not read.
  static let unread: Set<String> = ["idx", "sub"]

  /// The path without its extension.
  var stem: String { PathName.splitExtension(path).stem }
  /// `true` for the index of subtitles of DVDs, whose images are in a file with the extension `sub`.
  var isIndexOfDVD: Bool { PathName.splitExtension(path).extension == "idx" }
  /// `true` for the images of subtitles of DVDs, or for text in one of several formats.
  var isImagesOfDVD: Bool { PathName.splitExtension(path).extension == "sub" }

  /// Returns the name of the index or the images of DVD subtitles that a file is a part of; `nil` if there is none.
  ///
  /// `names` are those of the files of its folder, in the order of their bytes.
  package static func otherPart(of name: String, among names: [String]) -> String? {
    let (stem, suffix) = PathName.splitExtension(name)
    guard unread.contains(suffix) else { return nil }
    return related(to: stem + ".", among: names).first {
      let other = PathName.splitExtension($0)
      return other.stem == stem && unread.contains(other.extension) && other.extension != suffix
    }
  }

  /// Returns `true` if a file with this name is one of subtitles.
  package static func isOne(_ name: String) -> Bool {
    extensions.contains(PathName.splitExtension(name).extension)
  }

  /// Maximum number of files for a film; more are left out.
  package static let most = 12

  /// Words between the name of a film and the extension, beside languages.
  private static let words: [String: TrackDescription.Disposition] = [
    "forced": .forced, "default": .default, "sdh": .hearingImpaired, "cc": .hearingImpaired,
    "hi": .hearingImpaired, "commentary": .commentary,
  ]

  /// Returns the files of subtitles in the folder of a film that have its name, in the order of their names.
  ///
  /// Between the name of the film and the extension may be a language, a number and the words `forced`, `sdh`, `cc`,
  /// `hi`, `default` and `commentary`, with points between them. A file that another film's longer name fits better is not
  /// returned. Empty if the folder cannot be read.
  public static func files(beside path: String) -> [SubtitleFile] {
    files(
      of: PathName.last(path), in: PathName.folder(path),
      among: names(inFolder: PathName.folder(path)))
  }

  /// Returns the files of a film called `name`; `names` are those of all files of its folder, in the order of their bytes.
  package static func files(of name: String, in folder: String, among names: [String])
    -> [SubtitleFile]
  {
    let stem = PathName.splitExtension(name).stem
    let prefix = stem + "."
    let related = Self.related(to: prefix, among: names)
    let files = related.compactMap { other -> SubtitleFile? in
      guard other != name, let file = SubtitleFile(other, afterStem: stem) else { return nil }
      let isOfAnother = related.contains { film in
        let (longer, suffix) = PathName.splitExtension(film)
        return !extensions.contains(suffix) && longer.utf8.count > stem.utf8.count
          && other.utf8.starts(with: (longer + ".").utf8)
      }
      return isOfAnother ? nil : file
    }
    return files.prefix(most).map { file in
      var file = file
      file.path = PathName.join(folder, file.path)
      return file
    }
  }

  /// Returns the names with this beginning, which follow each other.
  private static func related(to prefix: String, among names: [String]) -> ArraySlice<String> {
    names[names.firstIndex(atOrAfter: prefix)...].prefix { $0.utf8.starts(with: prefix.utf8) }
  }

  /// Creates the file from its name; `nil` if that is not one of a file of subtitles with this stem.
  private init?(_ name: String, afterStem stem: String) {
    guard let dot = name.lastIndex(of: "."),
      Self.extensions.contains(name[name.index(after: dot)...].lowercased()),
      name.utf8.distance(from: name.startIndex, to: dot) >= stem.utf8.count
    else { return nil }
    self.init(path: name)
    let tags = name.utf8.dropFirst(stem.utf8.count + 1).prefix(
      max(0, name.utf8.distance(from: name.startIndex, to: dot) - stem.utf8.count - 1))
    guard let text = String(Substring(tags)).nilIfEmpty else { return }
    for tag in text.split(separator: ".", omittingEmptySubsequences: false) {
      // "hi" is Hindi only where another word does not state the language.
      if let flag = Self.words[tag.lowercased()], tag.lowercased() != "hi" || language != nil {
        disposition.insert(flag)
      } else if !tag.isEmpty, tag.allSatisfy({ $0.isASCII && $0.isNumber }) {
        // Counts tracks that are alike otherwise.
        continue
      } else if language == nil, let code = Self.language(tag) {
        language = code
      } else {
        return nil
      }
    }
  }

  /// Returns the tag of a language such as `en`, `ger`, `pt-BR` or `zh_Hans`; `nil` if the text is none.
  private static func language(_ text: Substring) -> String? {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
    guard let first = parts.first, let code = LanguageCode(first),
      parts.allSatisfy({ part in
        (1...8).contains(part.count)
          && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      })
    else { return nil }
    return LanguageCode.tag(
      ([code.twoLetters] + parts.dropFirst().map(String.init)).joined(separator: "-"))
  }
}

extension String {
  fileprivate var nilIfEmpty: String? { isEmpty ? nil : self }
}

extension [String] {
  /// Returns the index of the first element that is not before `text` in the order of bytes.
  fileprivate func firstIndex(atOrAfter text: String) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].utf8.lexicographicallyPrecedes(text.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
