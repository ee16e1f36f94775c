extension VideoColor {
  /// Reads `#rgb`, `#rrggbb`, also with opacity or without `#`, or one of the 16 names of HTML 4 (6.5).
  init?(captionText text: some StringProtocol) {
    let name = text.lowercased()
    guard let color = RGBAColor(Self.names[name] ?? name) else { return nil }
    self.init(bytes: [color.red, color.green, color.blue, color.alpha])
  }

  /// Creates a color from bytes of red, green, blue and opacity, of which 255 is full.
  init(bytes: some Collection<UInt8>) {
    let parts = bytes.map { Double($0) / 255 }
    self.init(
      red: parts.first ?? 0, green: parts.dropFirst().first ?? 0,
      blue: parts.dropFirst(2).first ?? 0, alpha: parts.dropFirst(3).first ?? 1)
  }

  /// Bytes of red, green, blue and opacity, of which 255 is full.
  var bytes: [UInt8] {
    [red, green, blue, alpha].map { part in
      part > 0 ? UInt8((min(part, 1) * 255).rounded()) : 0
    }
  }

  /// The color as `#rrggbb`, without its opacity.
  var captionText: String {
    let bytes = bytes
    return RGBAColor(red: bytes[0], green: bytes[1], blue: bytes[2]).hexText
  }

  private static let names = [
    "black": "#000000", "silver": "#c0c0c0", "gray": "#808080", "white": "#ffffff",
    "maroon": "#800000", "red": "#ff0000", "purple": "#800080", "fuchsia": "#ff00ff",
    "green": "#008000", "lime": "#00ff00", "olive": "#808000", "yellow": "#ffff00",
    "navy": "#000080", "blue": "#0000ff", "teal": "#008080", "aqua": "#00ffff",
  ]
}
