import RespoolMedia
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("plain, naïve, 日本語, עברית 🎞", "plain, naïve, 日本語, עברית 🎞"),
    ("\u{1B}]0;title\u{7}", "\\x1b]0;title\\x07"), ("a\nb\tc\r", "a\\x0ab\\x09c\\x0d"),
    ("\u{9B}31m\u{7F}", "\\x9b31m\\x7f"), ("cod\u{202E}gpj.exe", "cod\\u{202e}gpj.exe"),
    ("\u{2066}x\u{2069}\u{200F}\u{61C}", "\\u{2066}x\\u{2069}\\u{200f}\\u{61c}"),
    ("one\u{2028}two", "one\\u{2028}two"), (PathName.text([0x61, 0xFF]), "a\\xff"),
    // U+200D joins the parts of one character, so it is not escaped.
    ("👩\u{200D}🚀", "👩\u{200D}🚀"),
  ])
  func `control characters are escaped`(_ text: String, _ shown: String) {
    #expect(text.printable() == shown)
  }

  @Test func `line breaks are kept in text of several lines`() {
    #expect("a\nb\u{1B}c".printable(keepingLines: true) == "a\nb\\x1bc")
  }
}
