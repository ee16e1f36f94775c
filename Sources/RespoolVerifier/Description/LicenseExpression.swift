/// A license expression of SPDX (specification 2.3, annex D), such as `Apache-2.0 AND (MIT OR GPL-2.0-or-later)`.
struct LicenseExpression {
  private var words: [Substring]
  private var position = 0

  /// Returns the problem with an expression; `nil` if it has none.
  static func problem(_ text: String) -> String? {
    var spaced = ""
    for character in text {
      spaced += "()".contains(character) ? " \(character) " : String(character)
    }
    var expression = Self(words: spaced.split(separator: " "))
    guard !expression.words.isEmpty else { return "it is empty" }
    if let problem = expression.parse() { return problem }
    guard expression.position == expression.words.count else {
      return "AND or OR is missing before \"\(expression.words[expression.position])\""
    }
    return nil
  }

  private init(words: [Substring]) { self.words = words }

  private var next: Substring? { position < words.count ? words[position] : nil }

  /// Parses terms with AND and OR between them.
  private mutating func parse(depth: Int = 0) -> String? {
    guard depth < 16 else { return "its parentheses are nested too deeply" }
    while true {
      if let problem = parseTerm(depth: depth) { return problem }
      guard let word = next, ["and", "or"].contains(word.lowercased()) else { return nil }
      position += 1
    }
  }

  private mutating func parseTerm(depth: Int) -> String? {
    guard let word = next else { return "a license is missing at its end" }
    position += 1
    if word == "(" {
      if let problem = parse(depth: depth + 1) { return problem }
      guard next == ")" else { return "a parenthesis is not closed" }
      position += 1
      return nil
    }
    if let problem = Self.problem(license: word) { return problem }
    guard next?.lowercased() == "with" else { return nil }
    position += 1
    guard let exception = next else { return "an exception is missing after WITH" }
    position += 1
    return SPDXNames.exceptions.contains(exception.lowercased())
      ? nil : "\"\(exception)\" is no exception of SPDX"
  }

  private static func problem(license word: Substring) -> String? {
    let name = word.hasSuffix("+") ? word.dropLast() : word
    if isReference(name) || SPDXNames.licenses.contains(name.lowercased()) { return nil }
    return "\"\(word)\" is no license of SPDX"
  }

  /// `true` for `LicenseRef-Mine` and `DocumentRef-Other:LicenseRef-Mine`.
  private static func isReference(_ name: Substring) -> Bool {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    let prefixes = parts.count == 2 ? ["DocumentRef-", "LicenseRef-"] : ["LicenseRef-"]
    guard parts.count == prefixes.count else { return false }
    return zip(parts, prefixes).allSatisfy { part, prefix in
      part.hasPrefix(prefix) && part.count > prefix.count
        && part.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            || $0 == 0x2D || $0 == 0x2E
        }
    }
  }
}
