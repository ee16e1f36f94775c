import RespoolMedia
import Testing

@Suite struct FormatTests {
  @Test func everyPixelFormatIsFoundByItsName() {
    for format in PixelFormat.allCases {
      #expect(PixelFormat(name: format.name) == format)
    }
    #expect(PixelFormat.yuv420p.name == "yuv420p")
    #expect(PixelFormat.gbrapf32le.name == "gbrapf32le")
    #expect(PixelFormat.pal8.name == "pal8")
    #expect(PixelFormat._0rgb.name == "0rgb")
  }

  @Test func timeBasesConvertExactly() {
    #expect(Rational(1, 90000).convert(90000, to: Rational(1, 1000)) == 1000)
    #expect(Rational(1, 48000).convert(312, to: Rational(1, 1000), rounding: .down) == 6)
    #expect(Rational(1, 48000).convert(-312, to: Rational(1, 1000), rounding: .down) == -7)
    #expect(Rational(1, 1).convert(.max, to: Rational(1, 90000)) == .max)
  }

  @Test(arguments: [0, 90, 180, 270]) func turnsAreRecognised(degrees: Int) {
    let turn = DisplayMatrix(clockwiseDegrees: degrees).orientation
    #expect(turn == .init(clockwiseDegrees: degrees))
  }
}

@Suite struct LanguageCodeTests {
  @Test(arguments: ["de", "deu", "ger", "GER"])
  func everyFormNamesTheLanguage(code: String) throws {
    let language = try #require(LanguageCode(code))
    #expect(language.twoLetters == "de")
    #expect(language.terminological == "deu")
    #expect(language.bibliographic == "ger")
  }

  @Test func mostLanguagesHaveOneFormOfThreeLetters() throws {
    let language = try #require(LanguageCode("en"))
    #expect(language.terminological == "eng" && language.bibliographic == "eng")
    #expect(LanguageCode("tlh") == nil && LanguageCode("") == nil && LanguageCode("de-CH") == nil)
  }
}
