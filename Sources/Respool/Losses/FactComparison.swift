import RespoolMedia

extension MediaFact.Property {
  /// Returns `true` if a file with the values `found` states the same as one with the value `expected`.
  func isKept(_ expected: String, in found: [String]) -> Bool {
    // For many codecs, demuxers do not report these without decoding.
    if self == .bitDepth || self == .channelLayout, found.isEmpty { return true }
    return found.contains { isSame(expected, $0) }
  }

  private func isSame(_ a: String, _ b: String) -> Bool {
    if a == b { return true }
    switch self {
    case .coverCount: return (Int(a) ?? .max) <= (Int(b) ?? 0)
    case .chapterStarts, .chapterGaps, .lastChapterEnd: return Self.areSameTimes(a, b)
    case .language, .tagLanguage:
      let (a, b) = (Self.language(a), Self.language(b))
      return a.primary == b.primary && (a.rest.isEmpty || a.rest == b.rest)
    case .channelLayout:
      // Containers without a place for unknown loudspeakers have the usual ones for that number of channels.
      if let count = Self.unplacedCount(a) {
        let other = ChannelLayout(name: b)?.channelCount ?? Self.unplacedCount(b)
        return other == count
      }
      guard let a = ChannelLayout(name: a) else { return false }
      if let count = Self.unplacedCount(b) {
        return a.withOnePairAtTheBack == ChannelLayout.standard(count).withOnePairAtTheBack
      }
      guard let b = ChannelLayout(name: b) else { return false }
      // Additional silent channels lose nothing.
      let (wanted, found) = (a.withOnePairAtTheBack.mask, b.withOnePairAtTheBack.mask)
      return wanted != 0 && found & wanted == wanted
    case .tag(let name):
      switch name {
      case "creation_time", "date", "dateutc":
        // Several values of a comment are read as one text.
        return b.split(separator: ";").contains { Self.isSameDate(a, String($0)) }
      case "location": return Self.isSamePlace(a, b)
      case "track", "disc", "tracktotal", "disctotal", "compilation", "tmpo", "bpm":
        return Self.number(a) != nil && Self.number(a) == Self.number(b)
      default: return b.contains(a)
      }
    default: return false
    }
  }

  private static func isSameDate(_ a: String, _ b: String) -> Bool {
    if date(a) == date(b) { return true }
    guard let a = MetadataDate.seconds(a), let b = MetadataDate.seconds(b) else { return false }
    // Containers store whole seconds, or fractions that readers round.
    return abs(a - b) < 1
  }

  /// Returns the number of channels of a layout without known loudspeakers; `nil` for other layouts.
  private static func unplacedCount(_ layout: String) -> Int? {
    let parts = layout.split(separator: " ")
    return parts.count == 2 && parts[1].hasPrefix("channel") ? Int(parts[0]) : nil
  }

  /// Maximum difference of chapter times, in nanoseconds; no player shows less.
  static let chapterTolerance: Int64 = 20_000_000

  private static func areSameTimes(_ a: String, _ b: String) -> Bool {
    let (a, b) = (a.split(separator: " | "), b.split(separator: " | "))
    guard a.count == b.count else { return false }
    return zip(a, b).allSatisfy { a, b in
      guard let a = Double(a), let b = Double(b) else { return false }
      return abs(a - b) * 1e9 <= Double(chapterTolerance)
    }
  }

  /// Returns the primary language in its shortest form, and the region and other subtags.
  private static func language(_ tag: String) -> (primary: String, rest: String) {
    let parts = tag.lowercased().split(maxSplits: 1) { $0 == "-" || $0 == "_" }.map(String.init)
    let primary = parts.first ?? ""
    return (
      LanguageCode(primary)?.twoLetters ?? primary,
      parts.dropFirst().first?.replacing("_", with: "-") ?? ""
    )
  }

  /// Returns the date to seconds in ISO 8601, with `T` between day and time and without a UTC zone.
  private static func date(_ text: String) -> String {
    var text = text.replacing(" ", with: "T")
    if text.hasSuffix("Z") { text.removeLast() }
    if let dot = text.firstIndex(of: ".") {
      let fraction = text[text.index(after: dot)...]
      let digits = fraction.prefix { $0.isNumber }
      text = String(text[..<dot]) + String(fraction.dropFirst(digits.count))
    }
    for zone in ["+0000", "+00:00"] where text.hasSuffix(zone) { text.removeLast(zone.count) }
    return text
  }

  private static func number(_ text: String) -> Int? { Int(text.prefix { $0.isNumber }) }

  /// Compares ISO 6709 locations; `©xyz` stores ten-thousandths of a degree.
  private static func isSamePlace(_ a: String, _ b: String) -> Bool {
    let (a, b) = (degrees(a), degrees(b))
    guard a.count >= 2, b.count >= 2 else { return false }
    return zip(a, b).prefix(2).allSatisfy { abs($0 - $1) < 0.0002 }
  }

  private static func degrees(_ text: String) -> [Double] {
    var numbers: [String] = []
    for character in text {
      if character == "+" || character == "-" {
        numbers.append(String(character))
      } else if character.isNumber || character == ".", !numbers.isEmpty {
        numbers[numbers.count - 1].append(character)
      } else if character == "/" {
        break
      }
    }
    return numbers.compactMap { Double($0) }
  }
}
