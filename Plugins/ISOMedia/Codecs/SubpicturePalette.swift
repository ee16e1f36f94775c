/// The palette of DVD subtitles in MP4.
enum SubpicturePalette {
  /// Returns the 16 colors of the configuration (0, Y, Cr, Cb each) as the text that FFmpeg's decoder takes.
  static func text(_ colors: [UInt8], width: Int, height: Int) -> [UInt8] {
    guard colors.count == 64 else { return [] }
    var text = width > 0 && height > 0 ? "size: \(width)x\(height)\n" : ""
    let palette = (0..<16).map { index -> String in
      let y = Int(colors[4 * index + 1])
      let cr = Int(colors[4 * index + 2]) - 128
      let cb = Int(colors[4 * index + 3]) - 128
      let red = clip((1160 * cr / 827) + y)
      let green = clip(y - (330 * cb / 968) - (498 * cr / 697))
      let blue = clip((1814 * cb / 1024) + y)
      let hex = String(red << 16 | green << 8 | blue, radix: 16)
      return String(repeating: "0", count: 6 - hex.count) + hex
    }
    text += "palette: " + palette.joined(separator: ", ") + "\n"
    return Array(text.utf8)
  }

  private static func clip(_ value: Int) -> Int { max(0, min(255, value)) }
}
