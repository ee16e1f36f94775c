/// A language in the two forms that Matroska has.
struct LanguageTag {
  /// ISO 639-2, bibliographic; `und` where not known: without it, a reader would assume English.
  var iso639: String
  /// Only where ISO 639-2 does not say it all.
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
    switch primary.count {
    case 3: iso639 = primary
    case 2: iso639 = Self.threeLetters[primary] ?? "und"
    default: iso639 = "und"
    }
    if primary.count != 3 || parts.count > 1 { bcp47 = parts.joined(separator: "-") }
  }

  private static let threeLetters = [
    "ar": "ara", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "cze", "cy": "wel", "da": "dan",
    "de": "ger", "el": "gre", "en": "eng", "es": "spa", "et": "est", "eu": "baq", "fa": "per",
    "fi": "fin", "fr": "fre", "ga": "gle", "gl": "glg", "he": "heb", "hi": "hin", "hr": "hrv",
    "hu": "hun", "hy": "arm", "id": "ind", "is": "ice", "it": "ita", "ja": "jpn", "ka": "geo",
    "ko": "kor", "la": "lat", "lt": "lit", "lv": "lav", "mk": "mac", "ms": "may", "nb": "nob",
    "nl": "dut", "nn": "nno", "no": "nor", "pl": "pol", "pt": "por", "ro": "rum", "ru": "rus",
    "sk": "slo", "sl": "slv", "sq": "alb", "sr": "srp", "sv": "swe", "ta": "tam", "th": "tha",
    "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie", "zh": "chi",
  ]
}
