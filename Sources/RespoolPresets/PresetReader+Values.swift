import RespoolMedia

/// Readers of values by type.
///
/// Each reports a wrong value and returns `nil` for it.
extension PresetReader {
  /// Returns the text of a scalar; `nil` if the key is missing or its value is not a scalar.
  mutating func text(_ key: String, in node: PresetNode) -> String? {
    guard let entry = node[key] else { return nil }
    return text(of: entry, expecting: "text")
  }

  private mutating func text(of entry: PresetNode.Entry, expecting what: String) -> String? {
    if let text = entry.value.text, !text.isEmpty { return text }
    // An empty value has the position of the next token, so the position of its key is reported.
    let place = entry.value.text == nil ? entry.value.place : entry.keyPlace
    report(place, "\(entry.key) is \(entry.value.kindText)", "it takes \(what)")
    return nil
  }

  mutating func choice<Value: RawRepresentable & CaseIterable>(
    _ key: String, in node: PresetNode, or more: String = ""
  ) -> Value? where Value.RawValue == String {
    guard let entry = node[key] else { return nil }
    let words = Value.allCases.map(\.rawValue)
    let what = "one of " + words.joined(separator: ", ") + more
    guard let text = text(of: entry, expecting: what) else { return nil }
    if let value = Value(rawValue: text) { return value }
    report(
      entry.value.place, "\(key) is \"\(text)\"",
      Spelling.nearest(to: text, among: words).map { "did you mean \($0)?" } ?? "it takes \(what)")
    return nil
  }

  mutating func flag(_ key: String, in node: PresetNode) -> Bool? {
    guard let entry = node[key],
      let text = text(of: entry, expecting: "true or false")
    else { return nil }
    switch text {
    case "true": return true
    case "false": return false
    default:
      let advice =
        switch text.lowercased() {
        case "yes", "on", "y": "write true"
        case "no", "off", "n": "write false"
        default: "it takes true or false"
        }
      report(entry.value.place, "\(key) is \"\(text)\"", advice)
      return nil
    }
  }

  mutating func integer(_ key: String, in node: PresetNode, within bounds: ClosedRange<Int>)
    -> Int?
  {
    let what = "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    guard let entry = node[key], let text = text(of: entry, expecting: what) else { return nil }
    if let number = Int(text), bounds.contains(number) { return number }
    reportValue(of: entry, text, expecting: what)
    return nil
  }

  mutating func number(_ key: String, in node: PresetNode, within bounds: ClosedRange<Double>)
    -> Double?
  {
    let what =
      "a number from \(bounds.lowerBound.decimalText) to "
      + bounds.upperBound.decimalText
    guard let entry = node[key], let text = text(of: entry, expecting: what) else { return nil }
    if let number = Self.decimal(text), bounds.contains(number) { return number }
    reportValue(of: entry, text, expecting: what)
    return nil
  }

  /// Returns a loudness in LUFS, or that it is only stated in tags.
  mutating func loudness(_ key: String, in node: PresetNode) -> Preset.Loudness? {
    let (bounds, word) = (Preset.Loudness.targets, Preset.Loudness.tagsWord)
    let what =
      "LUFS from \(bounds.lowerBound.decimalText) to \(bounds.upperBound.decimalText), such as -16, or "
      + word
    guard let entry = node[key], let text = text(of: entry, expecting: what) else { return nil }
    if text == word { return .tags }
    if let number = Self.decimal(text), bounds.contains(number) { return .target(number) }
    reportValue(of: entry, text, expecting: what)
    return nil
  }

  mutating func bitRate(_ key: String, in node: PresetNode) -> Int64? {
    let what = "bits a second, such as 160k or 2.5M"
    guard let entry = node[key], let text = text(of: entry, expecting: what) else { return nil }
    let place = entry.value.place
    var digits = text[...]
    var factor = 1.0
    switch text.last {
    case "k", "K": factor = 1e3
    case "M", "m": factor = 1e6
    default: break
    }
    if factor > 1 { digits = digits.dropLast() }
    guard let number = Self.decimal(String(digits)), number > 0 else {
      reportValue(of: entry, text, expecting: what)
      return nil
    }
    let rate = (number * factor).rounded()
    guard rate >= 1000 else {
      report(place, "\(key) is \(text) bits a second", "did you mean \(text)k?")
      return nil
    }
    guard rate <= 1e9 else {
      report(place, "\(key) is \"\(text)\"", "it takes at most 1000M")
      return nil
    }
    return Int64(rate)
  }

  /// Returns a number of bytes, such as `8M`, `10MB` or `2GiB`.
  mutating func bytes(_ key: String, in node: PresetNode, within bounds: ClosedRange<Int64>)
    -> Int64?
  {
    let what = "bytes, such as 8M, 10MB or 2GiB"
    guard let entry = node[key], let text = text(of: entry, expecting: what) else { return nil }
    guard let number = ConditionParser.amount(text) else {
      reportValue(of: entry, text, expecting: what)
      return nil
    }
    guard let value = Int64(exactly: number.rounded()), bounds.contains(value) else {
      report(entry.value.place, "\(key) is \"\(text)\"", "it takes from 10 kB to 1000 TB")
      return nil
    }
    return value
  }

  mutating func size(_ key: String, in node: PresetNode) -> Preset.Size? {
    let what = "width and height in pixels, such as 1280x720"
    guard let entry = node[key], let text = text(of: entry, expecting: what) else { return nil }
    let place = entry.value.place
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else {
      reportValue(of: entry, text, expecting: what)
      return nil
    }
    guard (16...16384).contains(width), (16...16384).contains(height) else {
      report(place, "\(key) is \"\(text)\"", "each side takes from 16 to 16384 pixels")
      return nil
    }
    guard width % 2 == 0, height % 2 == 0 else {
      report(
        place, "\(key) \(text) has an odd side", "use even ones: \(width & ~1)x\(height & ~1)")
      return nil
    }
    return Preset.Size(width, height)
  }

  mutating func frameRate(_ key: String, in node: PresetNode) -> Rational? {
    let what = "frames a second from 1 to 1000, such as 30, 29.97 or 30000/1001"
    guard let entry = node[key], let text = text(of: entry, expecting: what) else { return nil }
    if let rate = Self.rate(text), (1...1000).contains(rate.doubleValue) { return rate }
    reportValue(of: entry, text, expecting: what)
    return nil
  }

  private static func rate(_ text: String) -> Rational? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, let numerator = Int32(parts[0]), let denominator = Int32(parts[1]) {
      let rate = Rational(numerator, denominator)
      return rate.isPositive ? rate.reduced : nil
    }
    guard parts.count == 1, let number = decimal(text), number > 0, number <= 1000 else {
      return nil
    }
    // 23.98, 29.97 and 59.94 stand for the rates of NTSC, which have no short decimal.
    for whole: Int32 in [24, 30, 48, 60, 120] {
      let exact = Double(whole) * 1000 / 1001
      if (number - exact).magnitude < 0.006 { return Rational(whole * 1000, 1001) }
    }
    return Rational(Int32((number * 1000).rounded()), 1000).reduced
  }

  mutating func pixelFormats(_ key: String, in node: PresetNode) -> [PixelFormat] {
    let example = "it takes names such as yuv420p"
    return names(key, in: node, example).compactMap { (text, place) in
      if let format = PixelFormat(name: text) { return format }
      let nearest = Spelling.nearest(to: text, among: PixelFormat.allCases.map(\.name))
      report(
        place, "there is no pixel format \(text)",
        Self.adviceOnWord(text, as: key) ?? nearest.map { "did you mean \($0)?" } ?? example)
      return nil
    }
  }

  /// Returns extensions of files without a dot.
  mutating func extensions(_ key: String, in node: PresetNode) -> [String] {
    let example = "it takes extensions such as mkv, in lower case and without a dot"
    return names(key, in: node, example).compactMap { (text, place) in
      guard text == text.lowercased(), !text.contains(where: { "./ ".contains($0) }) else {
        report(place, "\(key) contains \"\(text)\"", example)
        return nil
      }
      return text
    }
  }

  /// Returns the names of a list, or a single name, with their places.
  private mutating func names(_ key: String, in node: PresetNode, _ example: String)
    -> [(text: String, place: PresetNode.Place)]
  {
    guard let entry = node[key] else { return [] }
    var values = [entry.value]
    if case .sequence(let list) = entry.value.content { values = list }
    if values.isEmpty { report(entry.value.place, "\(key) is an empty list", example) }
    return values.compactMap { value in
      if let text = value.text, !text.isEmpty { return (text, value.place) }
      report(
        value.text == nil ? value.place : entry.keyPlace, "\(key) is \(value.kindText)", example)
      return nil
    }
  }

  mutating func options(_ key: String, in node: PresetNode) -> [PluginOption] {
    guard let entry = node[key] else { return [] }
    guard case .mapping(let entries) = entry.value.content else {
      report(
        entry.value.text == "" ? entry.keyPlace : entry.value.place,
        "\(key) is \(entry.value.kindText)", "it takes a mapping, such as {preset: medium}")
      return []
    }
    return entries.compactMap { entry in
      text(of: entry, expecting: "text or a number").map { PluginOption(entry.key, $0) }
    }
  }

  /// Returns the mapping of a section; `nil` if the key is missing, `none` or wrong.
  mutating func section(_ key: String, in node: PresetNode) -> PresetNode? {
    guard let entry = node[key] else { return nil }
    if case .mapping = entry.value.content { return entry.value }
    if entry.value.text != "none" {
      report(
        entry.value.text == "" ? entry.keyPlace : entry.value.place,
        "\(key) is \(entry.value.kindText)",
        entry.value.text.flatMap { Self.adviceOnWord($0, as: key) }
          ?? "it takes a mapping with codec and so on, or none")
    }
    return nil
  }

  /// Returns a decimal number.
  ///
  /// Exponents, hexadecimal numbers and names such as `nan` are refused.
  static func decimal(_ text: String) -> Double? {
    let isPlain = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D
    }
    return isPlain ? Double(text) : nil
  }
}
