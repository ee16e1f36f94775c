import RespoolMedia

/// WebVTT cues (W3C): text with tags and entities, and settings for their position.
enum WebVTT {
  // MARK: Reading

  static func caption(in text: String, settings: String) -> CaptionReading {
    let bytes = Array(text.utf8)
    var markup = MarkupText()
    var (start, index) = (0, 0)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<"),
        let mark = MarkupText.mark(in: bytes, at: index, closing: ">")
      {
        markup.append(bytes[start..<index])
        read(tag: mark.content, into: &markup)
        (start, index) = (mark.end, mark.end)
      } else if bytes[index] == UInt8(ascii: "&"),
        let end = bytes[index..<min(bytes.count, index + 12)].firstIndex(of: UInt8(ascii: ";")),
        let text = entity(String(decoding: bytes[index + 1..<end], as: UTF8.self))
      {
        markup.append(bytes[start..<index])
        markup.append(text)
        (start, index) = (end + 1, end + 1)
      } else {
        index += 1
      }
    }
    markup.append(bytes[start...])
    var caption = Caption(markup.styled, timeRange: .invalid)
    for name in WebVTTSettings.read(settings, into: &caption) { markup.skip(name) }
    return CaptionReading(caption: caption, skipped: markup.skipped)
  }

  /// Returns the names of the blocks in a header (4.1) that other formats cannot store.
  static func parts(ofHeader bytes: [UInt8]) -> [String] {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let names = [
      "STYLE": "its style sheet", "REGION": "its regions", "NOTE": "comments",
    ]
    var parts = lines.compactMap { names[String($0.prefix { !$0.isWhitespace })] }
    // The first line may have a title after the signature; lines of metadata may follow until an empty line.
    let signature = "WEBVTT"
    let isSigned = lines.first?.drop { $0 == "\u{FEFF}" }.hasPrefix(signature) == true
    let header = isSigned ? lines.prefix { !$0.isEmpty } : []
    let title = header.first?.drop { $0 == "\u{FEFF}" }.dropFirst(signature.count) ?? ""
    let others = header.dropFirst().filter { line in
      names[String(line.prefix { !$0.isWhitespace })] == nil
    }
    if title.contains(where: { !$0.isWhitespace }) || !others.isEmpty {
      parts.append("lines of its header")
    }
    return parts
  }

  private static func read(tag: String, into markup: inout MarkupText) {
    let isClosing = tag.hasPrefix("/")
    let words = tag.dropFirst(isClosing ? 1 : 0)
    let parts = words.prefix { !$0.isWhitespace }.split(separator: ".")
    guard let name = parts.first.map(String.init), name.first?.isNumber != true else {
      // Karaoke timestamps; an empty tag ends nothing.
      if !tag.isEmpty, !isClosing { markup.skip("timestamp") }
      return
    }
    guard !isClosing else { return markup.close(name) }
    var hasOtherClasses = false
    markup.open(name) { style in
      switch name {
      case "b": style.fontWeight = .bold
      case "i": style.fontStyle = .italic
      case "u": style.decoration.insert(.underline)
      default: break
      }
      for part in parts.dropFirst() {
        if let color = Self.color(of: part) {
          style.textColor = color
        } else if part.hasPrefix("bg_"), let color = Self.color(of: part.dropFirst(3)) {
          style.backgroundColor = color
        } else {
          hasOtherClasses = true
        }
      }
    }
    if hasOtherClasses { markup.skip("classes") }
    if !["b", "i", "u", "c"].contains(name) { markup.skip(name) }
  }

  /// The eight colors whose classes need no style sheet (5.1, "Default text colors").
  private static let colors: [(name: String, color: VideoColor)] = [
    ("white", .white), ("black", .black), ("lime", VideoColor(red: 0, green: 1, blue: 0)),
    ("cyan", VideoColor(red: 0, green: 1, blue: 1)), ("red", VideoColor(red: 1, green: 0, blue: 0)),
    ("yellow", VideoColor(red: 1, green: 1, blue: 0)),
    ("magenta", VideoColor(red: 1, green: 0, blue: 1)),
    ("blue", VideoColor(red: 0, green: 0, blue: 1)),
  ]

  private static func color(of name: some StringProtocol) -> VideoColor? {
    colors.first { $0.name == name }?.color
  }

  private static let entities = [
    "amp": "&", "lt": "<", "gt": ">", "nbsp": "\u{A0}", "lrm": "\u{200E}", "rlm": "\u{200F}",
    "quot": "\"", "apos": "'",
  ]

  private static func entity(_ name: String) -> String? {
    if let text = entities[name] { return text }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    return UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
      .flatMap(Unicode.Scalar.init).map { String($0) }
  }

  /// Returns the cues of an MP4 sample: a box for each, or one that marks an empty sample (14496-30 7.4).
  static func captions(inBoxes sample: [UInt8]) throws(MediaError) -> [CaptionReading] {
    var reader = ByteReader(sample)
    var readings: [CaptionReading] = []
    while reader.remaining >= 8 {
      guard let (type, body) = try box(from: &reader) else { break }
      guard type == "vttc" else { continue }
      var cue = body
      var (text, settings) = ("", "")
      while cue.remaining >= 8, let (type, body) = try box(from: &cue) {
        var body = body
        switch type {
        case "payl": text = try body.text(body.remaining)
        case "sttg": settings = try body.text(body.remaining)
        default: break
        }
      }
      readings.append(caption(in: text, settings: settings))
    }
    return readings
  }

  private static func box(from reader: inout ByteReader) throws(MediaError) -> (FourCC, ByteReader)?
  {
    let size = Int(try reader.big(UInt32.self))
    let type = FourCC(rawValue: try reader.big(UInt32.self))
    guard size >= 8 else { return nil }
    return (type, try reader.sub(size - 8))
  }

  // MARK: Writing

  static func cue(_ caption: Caption) -> (text: String, settings: String) {
    var text = ""
    for (piece, style) in caption.styled.pieces {
      var tags: [(String, String)] = []
      let foreground = style.textColor.flatMap(name(of:))
      let background = style.backgroundColor.flatMap(name(of:)).map { "bg_" + $0 }
      let classes = [foreground, background].compactMap(\.self)
      if !classes.isEmpty { tags.append(("c." + classes.joined(separator: "."), "c")) }
      if style.fontWeight == .bold { tags.append(("b", "b")) }
      if style.fontStyle == .italic { tags.append(("i", "i")) }
      if style.decoration.contains(.underline) { tags.append(("u", "u")) }
      text += tags.map { "<\($0.0)>" }.joined() + escaped(piece)
      text += tags.reversed().map { "</\($0.1)>" }.joined()
    }
    return (text, WebVTTSettings.text(caption))
  }

  private static func name(of color: VideoColor) -> String? {
    colors.first { $0.color == color }?.name
  }

  /// Escapes a text; an empty line, which would end the cue, gets a no-break space.
  private static func escaped(_ text: Substring) -> String {
    var escaped = ""
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\n" where last == "\n": escaped += "&nbsp;\n"
      default: escaped.unicodeScalars.append(scalar)
      }
      last = scalar
    }
    return escaped
  }
}
