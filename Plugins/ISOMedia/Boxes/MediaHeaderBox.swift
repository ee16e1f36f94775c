import RespoolPlugin

/// `mdhd`: time scale, duration and language of a track (ISO/IEC 14496-12 8.4.2).
struct MediaHeaderBox: Box {
  static let type: FourCC = "mdhd"
  var creationTime: UInt64 = 0
  var modificationTime: UInt64 = 0
  var timeScale: UInt32
  /// In units of the time scale.
  ///
  /// All ones if unknown.
  var duration: UInt64
  /// Three letters of 5 bits each, or a QuickTime language number below 0x400.
  ///
  /// Default `und`.
  var languageCode: UInt16 = 0x55C4
  var quality: UInt16 = 0
}

extension MediaHeaderBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    let version = try reader.versionAndFlags().version
    creationTime = try reader.number(version: version)
    modificationTime = try reader.number(version: version)
    timeScale = try reader.big()
    let length = try reader.number(version: version)
    duration = version != 1 && length == UInt32.max ? .max : length
    languageCode = try reader.big()
    quality = try reader.big()
  }

  func write(to writer: inout BoxWriter) {
    let version: UInt8 =
      max(duration, creationTime, modificationTime) > UInt32.max && duration != .max ? 1 : 0
    writer.versionAndFlags(version)
    writer.number(creationTime, version: version)
    writer.number(modificationTime, version: version)
    writer.u32(timeScale)
    writer.number(duration, version: version)
    writer.u16(languageCode)
    writer.u16(quality)
  }
}

extension MediaHeaderBox {
  /// The language as ISO 639-2.
  ///
  /// `nil` if unknown.
  var language: String? { Self.language(ofCode: languageCode, isMacintosh: true) }

  /// Returns the language of a code: three letters of five bits each, or a Macintosh language number if
  /// `isMacintosh`.
  ///
  /// `nil` if unknown.
  static func language(ofCode code: UInt16, isMacintosh: Bool = false) -> String? {
    if code < 0x400 {
      let index = Int(code)
      return isMacintosh && index < macintoshLanguages.count ? macintoshLanguages[index] : nil
    }
    if code == 0x7FFF { return nil }
    var text = ""
    for shift in [10, 5, 0] as [UInt16] {
      let letter = UInt8(code >> shift & 0x1F) + 0x60
      guard (0x61...0x7A).contains(letter) else { return nil }
      text.unicodeScalars.append(Unicode.Scalar(letter))
    }
    return text
  }

  /// The language code of `und`.
  static let undetermined: UInt16 = 0x55C4

  /// Returns the ISO 639-2/T code (14496-12 8.4.2.3) of a language or of the primary subtag of a BCP 47 tag.
  ///
  /// Returns `und` if there is no three-letter code.
  static func code(ofLanguage language: String) -> UInt16 {
    let primary = language.prefix { $0 != "-" && $0 != "_" }.lowercased()
    let letters = Array((LanguageCode(primary)?.terminological ?? primary).utf8)
    guard letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) else {
      return undetermined
    }
    return letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }

  /// Languages by number (QuickTime File Format, "Language code values").
  private static let macintoshLanguages: [String] = [
    "eng", "fra", "ger", "ita", "dut", "sve", "spa", "dan", "por", "nor", "heb", "jpn", "ara",
    "fin", "gre", "ice", "mlt", "tur", "hrv", "chi", "urd", "hin", "tha", "kor", "lit", "pol",
    "hun", "est", "lav", "sme", "fao", "per", "rus", "chi", "dut", "gle", "alb", "ron", "ces",
    "slk", "slv", "yid", "srp", "mac", "bul", "ukr", "bel", "uzb", "kaz", "aze", "aze", "arm",
    "geo", "mol", "kir", "tgk", "tuk", "mon", "mon", "pus", "kur", "kas", "snd", "tib", "nep",
    "san", "mar", "ben", "asm", "guj", "pan", "ori", "mal", "kan", "tam", "tel", "sin", "bur",
    "khm", "lao", "vie", "ind", "tgl", "may", "may", "amh", "tir", "orm", "som", "swa", "kin",
    "run", "nya", "mlg", "epo",
  ]
}
