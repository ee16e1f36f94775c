/// SubRip text: lines, some HTML tags, and tags of SubStation Alpha that players accept.
///
/// There is no standard. Tags that are not supported here are text.
enum SubRip {
  static func caption(in text: String) -> CaptionReading {
    let bytes = Array(text.utf8)
    var markup = MarkupText()
    var overrides = SubStation.Overrides()
    var (start, index) = (0, 0)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<"),
        let mark = MarkupText.mark(in: bytes, at: index, closing: ">"), let tag = Tag(mark.content)
      {
        markup.append(bytes[start..<index])
        tag.apply(to: &markup)
        (start, index) = (mark.end, mark.end)
      } else if bytes[index] == UInt8(ascii: "{"),
        let mark = MarkupText.mark(in: bytes, at: index, closing: "}"),
        mark.content.utf8.first == UInt8(ascii: "\\")
      {
        markup.append(bytes[start..<index])
        overrides.read(mark.content, into: &markup)
        (start, index) = (mark.end, mark.end)
      } else {
        index += 1
      }
    }
    markup.append(bytes[start...])
    var caption = Caption(markup.styled, timeRange: .invalid)
    overrides.place(&caption)
    return CaptionReading(caption: caption, skipped: markup.skipped)
  }

  /// A supported tag.
  private struct Tag {
    private let name: String
    private let isClosing: Bool
    private let attributes: Substring

    init?(_ content: String) {
      isClosing = content.hasPrefix("/")
      let words = content.dropFirst(isClosing ? 1 : 0)
      let name = words.prefix { !$0.isWhitespace }.lowercased()
      guard ["b", "i", "u", "s", "font"].contains(name) else { return nil }
      self.name = name
      attributes = words.dropFirst(name.count)
    }

    func apply(to markup: inout MarkupText) {
      guard !isClosing else { return markup.close(name) }
      switch name {
      case "b": markup.open(name) { $0.fontWeight = .bold }
      case "i": markup.open(name) { $0.fontStyle = .italic }
      case "u": markup.open(name) { $0.decoration.insert(.underline) }
      case "s": markup.open(name) { $0.decoration.insert(.lineThrough) }
      default:
        let color = value(of: "color").flatMap { VideoColor(captionText: $0) }
        markup.open(name) { style in
          if let color { style.textColor = color }
        }
        for attribute in ["face", "size"] where value(of: attribute) != nil {
          markup.skip("font \(attribute)")
        }
      }
    }

    private func value(of attribute: String) -> String? {
      for word in attributes.split(whereSeparator: \.isWhitespace) {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == attribute else { continue }
        return parts[1].filter { $0 != "\"" && $0 != "'" }
      }
      return nil
    }
  }

  static func text(_ caption: Caption) -> String {
    let number = SubStation.Overrides.number(of: caption)
    var text = number == 2 ? "" : "{\\an\(number)}"
    for (piece, style) in caption.styled.pieces {
      var tags: [(String, String)] = []
      if let color = style.textColor {
        tags.append(("font color=\"\(color.captionText)\"", "font"))
      }
      if style.fontWeight == .bold { tags.append(("b", "b")) }
      if style.fontStyle == .italic { tags.append(("i", "i")) }
      if style.decoration.contains(.underline) { tags.append(("u", "u")) }
      if style.decoration.contains(.lineThrough) { tags.append(("s", "s")) }
      text += tags.map { "<\($0.0)>" }.joined() + piece
      text += tags.reversed().map { "</\($0.1)>" }.joined()
    }
    return text
  }
}
