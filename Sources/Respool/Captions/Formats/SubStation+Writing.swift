import RespoolMedia

extension SubStation {
  /// Returns the header of a script for captions that are drawn on frames with an aspect ratio.
  ///
  /// Letters are as large as FFmpeg draws them: 16 of 288 rows. They are smaller on frames that are narrower than 4:3, so
  /// that lines have room for as many of them.
  static func header(aspect: Double) -> String {
    let rows = 288.0
    let aspect = min(max(aspect, 0.1), 10)
    let size = 16 * min(1, aspect / (4 / 3.0))
    return """
      [Script Info]
      ScriptType: v4.00+
      PlayResX: \(Int((rows * aspect).rounded()))
      PlayResY: \(Int(rows))
      ScaledBorderAndShadow: yes
      WrapStyle: 0

      [V4+ Styles]
      Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, \
      Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, \
      Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
      Style: Default,sans-serif,\(size.decimalText),&H00FFFFFF,&H00FFFFFF,&H00000000,&H00000000,\
      0,0,0,0,100,100,0,0,1,\((size / 16).decimalText),0,2,12,12,12,1

      [Events]
      Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

      """
  }

  /// Returns a caption as a line in the form of Matroska, of the style `Default`.
  ///
  /// Colors behind letters are left out.
  static func line(_ caption: Caption, order: Int) -> String {
    let number = Overrides.number(of: caption)
    var text = number == 2 ? "" : "{\\an\(number)}"
    var before = StyledText.Style.plain
    for (piece, style) in caption.styled.pieces {
      if style != before { text += "{\\r\(overrides(style))}" }
      before = style
      text += escaped(piece)
    }
    return "\(order),0,Default,,0,0,0,,\(text)"
  }

  private static func overrides(_ style: StyledText.Style) -> String {
    var tags = ""
    if style.fontWeight == .bold { tags += "\\b1" }
    if style.fontStyle == .italic { tags += "\\i1" }
    if style.decoration.contains(.underline) { tags += "\\u1" }
    if style.decoration.contains(.lineThrough) { tags += "\\s1" }
    if let color = style.textColor {
      let bytes = [color.blue, color.green, color.red].map { part in
        let text = String(Int((min(max(part, 0), 1) * 255).rounded()), radix: 16, uppercase: true)
        return text.count == 1 ? "0" + text : text
      }
      tags += "\\c&H\(bytes.joined())&"
    }
    return tags
  }

  /// Returns text in which nothing is a tag or an escape.
  private static func escaped(_ text: Substring) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\N"
      case "\r", "\0": continue
      case "{", "}": result += "\\" + String(scalar)
      // A word joiner, which has no width, keeps the letter after it from being an escape.
      case "\\": result += "\\\u{2060}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
