/// The codes of a language: ISO 639-1 has two letters; ISO 639-2 has three, for some languages in two forms.
///
/// Containers differ: MP4 needs the terminological form (`deu`), Matroska the bibliographic one (`ger`), BCP 47
/// the two-letter code if there is one (`de`). The table has languages with two-letter codes that occur in media.
public struct LanguageCode: Hashable, Sendable {
  /// ISO 639-1.
  public let twoLetters: String
  /// ISO 639-2/T.
  public let terminological: String
  /// ISO 639-2/B.
  public let bibliographic: String

  /// Finds the language of `code`, in any of the three forms; `nil` if it is unknown.
  public init?(_ code: some StringProtocol) {
    guard let found = Self.byCode[code.lowercased()] else { return nil }
    self = found
  }

  /// Returns a BCP 47 tag in its usual letter case, such as `zh-Hant-TW` (RFC 5646 2.1.1).
  public static func tag(_ text: String) -> String {
    text.lowercased().split(separator: "-").enumerated().map { index, part in
      switch (index, part.count) {
      case (1..., 2): part.uppercased()
      case (1..., 4): part.prefix(1).uppercased() + part.dropFirst()
      default: String(part)
      }
    }.joined(separator: "-")
  }

  private init(row: Substring) {
    let codes = row.split(separator: " ").map(String.init)
    (twoLetters, terminological) = (codes[0], codes[1])
    bibliographic = codes.last ?? codes[1]
  }

  private static let byCode: [String: LanguageCode] = {
    var result: [String: LanguageCode] = [:]
    for row in table.split(whereSeparator: { ",\n".contains($0) }) {
      let code = LanguageCode(row: row)
      for name in [code.twoLetters, code.terminological, code.bibliographic] { result[name] = code }
    }
    return result
  }()

  /// ISO 639-1, ISO 639-2/T, and ISO 639-2/B where that differs.
  private static let table = """
    ar ara,bg bul,bn ben,ca cat,cs ces cze,cy cym wel,da dan,de deu ger,el ell gre,en eng,es spa,et est
    eu eus baq,fa fas per,fi fin,fr fra fre,ga gle,gl glg,he heb,hi hin,hr hrv,hu hun,hy hye arm,id ind
    is isl ice,it ita,ja jpn,ka kat geo,ko kor,la lat,lt lit,lv lav,mk mkd mac,ms msa may,my mya bur
    nb nob,nl nld dut,nn nno,no nor,pl pol,pt por,ro ron rum,ru rus,sk slk slo,sl slv,sq sqi alb,sr srp
    sv swe,ta tam,th tha,tr tur,uk ukr,ur urd,vi vie,zh zho chi
    """
}
