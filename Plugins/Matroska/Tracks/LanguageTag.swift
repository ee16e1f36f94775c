import RespoolPlugin

/// A language in the two forms that Matroska stores.
struct LanguageTag {
  /// ISO 639-2, bibliographic form.
  ///
  /// `und` if unknown, because readers would otherwise assume English.
  var iso639: String
  /// The shortest form, as BCP 47 requires (RFC 5646 2.2.1).
  ///
  /// `nil` if unknown.
  var bcp47: String?

  init(_ language: String?) {
    let tag = language ?? ""
    let parts = tag.split(whereSeparator: { $0 == "-" || $0 == "_" })
    let primary = parts.first.map { $0.lowercased() } ?? ""
    let isTag = !tag.isEmpty && tag.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 }
    guard isTag, primary.allSatisfy(\.isLetter) else {
      iso639 = "und"
      return
    }
    iso639 = LanguageCode(primary)?.bibliographic ?? (primary.count == 3 ? primary : "und")
    guard primary != "und" else { return }
    let shortest = LanguageCode(primary)?.twoLetters ?? primary
    bcp47 = ([shortest] + parts.dropFirst().map(String.init)).joined(separator: "-")
  }

  /// Returns `true` if both tags name the same language.
  static func isSame(_ a: String?, _ b: String?) -> Bool {
    let (a, b) = (LanguageTag(a).bcp47, LanguageTag(b).bcp47)
    return a != nil && a == b
  }

  /// Returns the language from both elements.
  ///
  /// `nil` if undetermined.
  ///
  /// The ISO 639-2 form is preferred if the other has no additional information.
  static func spoken(iso639: String, bcp47: String?) -> String? {
    let plain = iso639.isEmpty || iso639 == "und" ? nil : iso639
    guard let bcp47, !bcp47.isEmpty, bcp47 != "und" else { return plain }
    if let plain, let known = LanguageCode(bcp47), known == LanguageCode(plain) { return plain }
    return bcp47
  }
}
