/// A text and its style; lengths are points of the render size.
public struct OverlayText: Hashable, Sendable {
  /// Horizontal alignment of the lines of a text.
  public enum Alignment: Hashable, Sendable { case left, center, right }

  /// A line around the letters.
  public struct Outline: Hashable, Sendable {
    public var color: VideoColor
    /// Width beyond the letters.
    public var width: Double

    public init(color: VideoColor = .black, width: Double) {
      self.color = color
      self.width = width
    }
  }

  /// A second copy of the letters, drawn behind them.
  public struct Shadow: Hashable, Sendable {
    public var color: VideoColor
    public var x: Double
    public var y: Double

    public init(
      color: VideoColor = VideoColor(red: 0, green: 0, blue: 0, alpha: 0.6), x: Double, y: Double
    ) {
      self.color = color
      self.x = x
      self.y = y
    }
  }

  /// The text, in which line breaks begin new lines.
  public var text: String

  /// Font name for Pango, such as `DejaVu Sans Bold`; if there is no such font, the nearest is used.
  public var font: String
  /// Size of the em.
  public var size: Double
  public var color: VideoColor
  public var outline: Outline?
  public var shadow: Shadow?
  public var alignment: Alignment
  /// Width at which lines are broken, between words or within a longer word.
  ///
  /// `nil` to break lines only at line breaks of the text.
  public var wrapWidth: OverlayLength?

  public init(
    _ text: String, font: String = "Sans", size: Double, color: VideoColor = .white,
    outline: Outline? = nil, shadow: Shadow? = nil, alignment: Alignment = .left,
    wrapWidth: OverlayLength? = nil
  ) {
    self.text = text
    self.font = font
    self.size = size
    self.color = color
    self.outline = outline
    self.shadow = shadow
    self.alignment = alignment
    self.wrapWidth = wrapWidth
  }
}
