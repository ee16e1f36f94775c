import RespoolMedia

/// A reader of the text of a ``MediaCondition``.
struct ConditionParser {
  private enum Token: Equatable {
    case word(String)
    case quoted(String)
    case symbol(String)

    var text: String {
      switch self {
      case .word(let text), .quoted(let text), .symbol(let text): text
      }
    }
  }

  private let text: String
  /// Kind of the track that the condition is about; `nil` if it is about a file.
  private let kind: TrackDescription.Kind?
  private var tokens: [(token: Token, position: Int)] = []
  private var next = 0
  /// Number of parentheses and `not` around the current place.
  private var depth = 0

  private static let greatestDepth = 64

  init(_ text: String, ofTrack kind: TrackDescription.Kind?) {
    (self.text, self.kind) = (text, kind)
  }

  mutating func parse() throws(MediaError) -> MediaCondition.Node {
    try tokenize()
    let node = try disjunction()
    if next < tokens.count { throw wrong("\"\(tokens[next].token.text)\" is not expected here") }
    return node
  }

  // MARK: Words

  private mutating func tokenize() throws(MediaError) {
    let characters = Array(text)
    var index = 0
    while index < characters.count {
      let (start, character) = (index, characters[index])
      index += 1
      if character.isWhitespace { continue }
      switch character {
      case "\"", "'":
        guard let end = characters[index...].firstIndex(of: character) else {
          throw wrong("a quotation mark is missing", at: start)
        }
        tokens.append((.quoted(String(characters[index..<end])), start))
        index = end + 1
      case "(", ")": tokens.append((.symbol(String(character)), start))
      case "=", "!", "<", ">":
        var symbol = String(character)
        if index < characters.count, characters[index] == "=" {
          symbol += "="
          index += 1
        }
        tokens.append((.symbol(symbol), start))
      default:
        while index < characters.count, !characters[index].isWhitespace,
          !"()=!<>\"'".contains(characters[index])
        {
          index += 1
        }
        tokens.append((.word(String(characters[start..<index])), start))
      }
    }
  }

  private func isNext(_ word: String) -> Bool {
    guard next < tokens.count, case .word(let text) = tokens[next].token else { return false }
    return text.lowercased() == word
  }

  private mutating func skip(_ word: String) -> Bool {
    guard isNext(word) else { return false }
    next += 1
    return true
  }

  private mutating func skip(symbol: String) -> Bool {
    guard next < tokens.count, tokens[next].token == .symbol(symbol) else { return false }
    next += 1
    return true
  }

  /// Returns an error at a position in the text, by default at the next word.
  private func wrong(_ reason: String, at position: Int? = nil) -> MediaError {
    let position = position ?? (next < tokens.count ? tokens[next].position : text.count)
    return MediaError(
      .invalidArgument, "the condition \"\(text)\" is wrong at character \(position + 1): \(reason)"
    )
  }

  // MARK: Rules

  private mutating func disjunction() throws(MediaError) -> MediaCondition.Node {
    var nodes = [try conjunction()]
    while skip("or") { nodes.append(try conjunction()) }
    return nodes.count == 1 ? nodes[0] : .any(nodes)
  }

  private mutating func conjunction() throws(MediaError) -> MediaCondition.Node {
    var nodes = [try negation()]
    while skip("and") { nodes.append(try negation()) }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  private mutating func negation() throws(MediaError) -> MediaCondition.Node {
    guard depth < Self.greatestDepth else { throw wrong("it is nested too deep") }
    depth += 1
    defer { depth -= 1 }
    if skip("not") { return .not(try negation()) }
    guard skip(symbol: "(") else { return try comparison() }
    let node = try disjunction()
    guard skip(symbol: ")") else { throw wrong("\")\" is missing") }
    return node
  }

  private mutating func comparison() throws(MediaError) -> MediaCondition.Node {
    guard next < tokens.count, case .word(let name) = tokens[next].token else {
      throw wrong("a property such as \(kind == nil ? "video.height" : "codec") is missing")
    }
    guard let property = MediaProperty(name, ofTrack: kind) else {
      let ofTrack = kind.map { MediaProperty.ofTrack($0) } ?? []
      let properties = ofTrack + MediaProperty.all.filter { !ofTrack.contains($0) }
      let advice = Spelling.advice(
        for: name, among: properties.map(\.name), kind: "a property")
      throw wrong("there is no property \(name); \(advice)")
    }
    next += 1
    guard let comparison = try operation() else { return .has(property) }
    let isOrdered = !comparison.isForTexts
    switch property.kind {
    case .text where isOrdered, .language where isOrdered, .container where isOrdered,
      .truth where isOrdered:
      throw wrong("\(property.name) cannot be compared by \(comparison.rawValue)")
    case .number where comparison == .contains, .amount where comparison == .contains,
      .time where comparison == .contains, .truth where comparison == .contains:
      throw wrong("\(property.name) is no text that contains another")
    default:
      let decimals = next < tokens.count ? Self.comparedDecimals(tokens[next].token.text) : 0
      var value = try value(of: property, isPart: comparison == .contains)
      // Users may write FFmpeg's names, such as matroska.
      if property.kind == .container, comparison != .contains, case .text(let name) = value {
        value = .text(MediaDescription.plainContainerName(name))
      }
      return .compares(property, comparison, value, decimals: decimals)
    }
  }

  private mutating func operation() throws(MediaError) -> MediaCondition.Comparison? {
    if skip("contains") { return .contains }
    guard next < tokens.count, case .symbol(let symbol) = tokens[next].token, symbol != ")",
      symbol != "("
    else { return nil }
    if symbol == "=" { throw wrong("a comparison is written ==") }
    guard let comparison = MediaCondition.Comparison(rawValue: symbol) else {
      throw wrong("\(symbol) is no comparison")
    }
    next += 1
    return comparison
  }

  /// Reads a value; `isPart` is `true` if it may be any part of the text of the property.
  private mutating func value(of property: MediaProperty, isPart: Bool) throws(MediaError)
    -> MediaProperty.Value
  {
    guard next < tokens.count else { throw wrong("a value is missing") }
    let token = tokens[next].token
    if case .symbol = token { throw wrong("a value is missing") }
    let value: MediaProperty.Value? =
      switch property.kind {
      case .text, .container: .text(token.text)
      case .language: isPart ? .language(token.text) : Self.language(token.text)
      case .truth: ["true": true, "false": false][token.text.lowercased()].map { .truth($0) }
      case .number: Self.number(token.text, units: [:])
      case .time: Self.number(token.text, units: ["s": 1, "m": 60, "min": 60, "h": 3600])
      case .amount: Self.number(token.text, units: Self.amounts)
      }
    guard let value else {
      let example =
        switch property.kind {
        case .text, .container, .number: "a number"
        case .language: "a code such as en, eng or pt-BR"
        case .truth: "true or false"
        case .time: "a time such as 90s, 10m or 1.5h"
        case .amount: "an amount such as 500k, 8M or 2GiB"
        }
      throw wrong("\(property.name) is compared with \(example), not \"\(token.text)\"")
    }
    next += 1
    return value
  }

  /// Powers of 1000 and of 1024 (IEC 80000-13), also with a B for bytes.
  private static let amounts: [String: Double] = {
    var units: [String: Double] = ["b": 1]
    for (power, letter) in ["k", "m", "g", "t"].enumerated() {
      for end in ["", "b"] {
        units[letter + end] = (0...power).reduce(1) { value, _ in value * 1000 }
        units[letter + "i" + end] = (0...power).reduce(1) { value, _ in value * 1024 }
      }
    }
    return units
  }()

  /// Returns a number of bytes or bits per second, such as `8M`; `nil` if the text is none.
  static func amount(_ text: String) -> Double? {
    guard case .number(let value)? = number(text, units: amounts) else { return nil }
    return value
  }

  private static func number(_ text: String, units: [String: Double]) -> MediaProperty.Value? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
    let unit = text[digits.endIndex...].lowercased()
    guard let number = Double(digits), number.isFinite, let factor = unit.isEmpty ? 1 : units[unit]
    else { return nil }
    return .number(number * factor)
  }

  /// Returns a language; `nil` if the text is no code (ISO 639, BCP 47).
  private static func language(_ text: String) -> MediaProperty.Value? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    // Codes of ISO 639-3 are not in the table.
    let isCode = parts[0].count == 3 || LanguageCode(parts[0]) != nil
    let isTag = parts.allSatisfy { part in
      (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
    return isCode && isTag ? .language(text) : nil
  }

  /// Returns the number of decimals that a written number has, at most six; six for whole numbers and those with a unit.
  private static func comparedDecimals(_ text: String) -> Int {
    guard let point = text.firstIndex(of: "."), let number = Double(text),
      number != number.rounded()
    else { return 6 }
    return min(text[point...].count - 1, 6)
  }
}
