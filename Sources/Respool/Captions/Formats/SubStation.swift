import RespoolMedia

/// Dialogue text of SubStation Alpha; reads weight, italics, decoration, color and position.
enum SubStation {
  /// Reads a line as in Matroska: the read order and seven fields, then the text (RFC 9559's codec specifications,
  /// S_TEXT/ASS).
  ///
  /// Throws `malformed` for fewer fields.
  static func caption(in line: String) throws(MediaError) -> CaptionReading {
    let bytes = Array(line.utf8)
    var (start, commas) = (0, 0)
    while start < bytes.count, commas < 8 {
      if bytes[start] == UInt8(ascii: ",") { commas += 1 }
      start += 1
    }
    guard commas == 8 else {
      throw MediaError(
        .malformed, "a line of dialogue has \((commas + 1).counting("field")); 9 are expected")
    }
    var markup = MarkupText()
    var overrides = Overrides()
    var index = start
    func flush(_ end: Int) {
      if !overrides.isDrawing { markup.append(bytes[start..<end]) }
    }
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "{"),
        let mark = MarkupText.mark(in: bytes, at: index, closing: "}")
      {
        flush(index)
        overrides.read(mark.content, into: &markup)
        (start, index) = (mark.end, mark.end)
      } else if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count,
        let text = escapes[bytes[index + 1]]
      {
        flush(index)
        if !overrides.isDrawing { markup.append(text) }
        (start, index) = (index + 2, index + 2)
      } else {
        index += 1
      }
    }
    flush(bytes.count)
    var caption = Caption(markup.styled, timeRange: .invalid)
    overrides.place(&caption)
    return CaptionReading(caption: caption, skipped: markup.skipped)
  }

  /// Returns `true` if a track's header has a style for whole lines that differs from FFmpeg's default.
  ///
  /// FFmpeg writes that default for text of other formats.
  static func hasStyles(_ header: [UInt8]) -> Bool {
    String(decoding: header, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
      guard line.hasPrefix("Style:") else { return false }
      // Name, font, size, four colors, bold, italic, underline, strike-out; the 19th is the alignment.
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count > 18, fields[1] == "Arial", fields[2] == "16",
        fields[3].lowercased().hasSuffix("ffffff"), fields[18] == "2"
      else { return true }
      return fields[7...10].contains { $0 != "0" }
    }
  }

  private static let escapes: [UInt8: String] = [
    UInt8(ascii: "N"): "\n", UInt8(ascii: "n"): "\n", UInt8(ascii: "h"): "\u{A0}",
  ]

  /// Override tags in braces in the text.
  struct Overrides {
    /// Alignment of the text, numbered as the keys of a number pad.
    ///
    /// `nil` if not set.
    private var alignment: Int?
    /// `true` if the following text is a drawing.
    private(set) var isDrawing = false

    mutating func read(_ block: String, into markup: inout MarkupText) {
      for tag in block.split(separator: "\\", omittingEmptySubsequences: false).dropFirst() {
        guard !tag.isEmpty, !read(tag, into: &markup) else { continue }
        markup.skip("\\" + Self.name(of: tag))
      }
    }

    /// Tags that are followed by text, or that begin like others.
    private static let names = [
      "alpha", "fade", "fad", "fn", "kf", "ko", "k", "K", "t", "q",
    ]

    private static func name(of tag: Substring) -> String {
      if let name = names.first(where: { tag.hasPrefix($0) }) { return name }
      // Some begin with a number, such as `3c`.
      return String(tag.prefix(1) + tag.dropFirst().prefix(while: \.isLetter))
    }

    private mutating func read(_ tag: Substring, into markup: inout MarkupText) -> Bool {
      let name = tag.hasPrefix("an") || tag.hasPrefix("1c") ? tag.prefix(2) : tag.prefix(1)
      let value = tag.dropFirst(name.count)
      let number = Int(value)
      switch (name, number) {
      case ("b", let number?):
        markup.change { $0.fontWeight = number == 1 || number >= 600 ? .bold : .unknown }
      case ("i", let number?): markup.change { $0.fontStyle = number == 0 ? .unknown : .italic }
      case ("u", let number?): markup.change { $0.decoration.set(.underline, number != 0) }
      case ("s", let number?): markup.change { $0.decoration.set(.lineThrough, number != 0) }
      case ("an", let number?) where (1...9).contains(number): alignment = alignment ?? number
      case ("a", let number?):
        // 1 to 3 from left to right, plus 4 at the top, plus 8 in the middle.
        guard [1, 2, 3, 5, 6, 7, 9, 10, 11].contains(number) else { return false }
        let row = [0, 6, 3][number / 4]
        alignment = alignment ?? number % 4 + row
      case ("p", let number?): isDrawing = number > 0
      case ("r", _): markup.change { $0 = .plain }
      case ("c", _) where value.isEmpty, ("1c", _) where value.isEmpty:
        markup.change { $0.textColor = nil }
      case ("c", _), ("1c", _):
        let digits = value.filter(\.isHexDigit)
        guard value.hasPrefix("&"), let color = UInt32(digits, radix: 16) else { return false }
        let bytes = [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) }
        markup.change { $0.textColor = VideoColor(bytes: bytes) }
      default: return false
      }
      return true
    }

    /// Sets the alignment and region of a caption to those of the tags.
    func place(_ caption: inout Caption) {
      guard let alignment else { return }
      switch alignment % 3 {
      case 1: caption.textAlignment = .left
      case 0: caption.textAlignment = .right
      default: break
      }
      switch alignment {
      case 7...9: caption.region = .top
      case 4...6: caption.region = .middle
      default: break
      }
    }

    /// Returns the alignment of a caption as a key of a number pad; 2 for the usual position.
    static func number(of caption: Caption) -> Int {
      var row = 1
      if let region = caption.region {
        let y = region.lines
        row = y < 100 / 3 ? 7 : y < 200 / 3 ? 4 : 1
      }
      switch caption.textAlignment {
      case .left, .start: return row
      case .right, .end: return row + 2
      case .center, nil: return row + 1
      }
    }
  }
}

extension Caption.Decoration {
  fileprivate mutating func set(_ line: Self, _ isSet: Bool) {
    if isSet { insert(line) } else { remove(line) }
  }
}

extension CaptionRegion {
  /// Vertical position of the edge or center that lines are aligned to, in percent of the frame's height.
  var lines: Double {
    switch displayAlignment {
    case .before: origin.y
    case .center: origin.y + size.height / 2
    case .after: origin.y + size.height
    }
  }
}
