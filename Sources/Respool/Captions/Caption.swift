/// Text that is shown for a range of time.
///
/// The player chooses style and position if they are not set.
public struct Caption: Hashable, Sendable {
  /// Weight of the letters of a caption.
  public enum FontWeight: Hashable, Sendable { case unknown, normal, bold }

  /// Slant of the letters of a caption.
  public enum FontStyle: Hashable, Sendable { case unknown, normal, italic }

  /// Lines under, through and over the letters of a caption.
  public struct Decoration: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let underline = Decoration(rawValue: 1)
    public static let lineThrough = Decoration(rawValue: 2)
    public static let overline = Decoration(rawValue: 4)
  }

  /// Alignment of lines in their region; start and end follow the reading direction.
  public enum TextAlignment: Hashable, Sendable { case start, end, center, left, right }

  var styled: StyledText
  /// Range of time in which the caption is shown.
  ///
  /// The duration is invalid only in a group that lasts until the next one.
  public var timeRange: TimeRange
  public var textAlignment: TextAlignment?
  /// Part of the frame in which the caption is shown.
  public var region: CaptionRegion?

  public init(_ text: String, timeRange: TimeRange) {
    self.init(StyledText(text), timeRange: timeRange)
  }

  init(_ styled: StyledText, timeRange: TimeRange) {
    self.styled = styled
    self.timeRange = timeRange
  }

  /// The text, with line feeds between lines.
  ///
  /// A new text keeps the styles at their positions, counted in Unicode scalars. Styles after its end are removed.
  public var text: String {
    get { styled.text }
    set { styled.replaceText(newValue) }
  }
}

/// Part of the frame in which a caption is shown.
public struct CaptionRegion: Hashable, Sendable {
  /// Vertical alignment of lines in the region: top, center or bottom.
  public enum DisplayAlignment: Hashable, Sendable { case before, center, after }

  /// The top left corner, from that of the frame.
  ///
  /// In percent of the frame's size.
  public var origin: CaptionPoint
  /// In percent of the frame's size.
  public var size: CaptionSize
  public var displayAlignment: DisplayAlignment

  public init(origin: CaptionPoint, size: CaptionSize, displayAlignment: DisplayAlignment) {
    (self.origin, self.size) = (origin, size)
    self.displayAlignment = displayAlignment
  }

  /// Creates a region of the whole frame with a vertical alignment.
  init(_ displayAlignment: DisplayAlignment) {
    self.init(
      origin: CaptionPoint(x: 0, y: 0), size: CaptionSize(width: 100, height: 100),
      displayAlignment: displayAlignment)
  }

  /// The upper part of the frame.
  public static let top = CaptionRegion(.before)
  /// The middle of the frame.
  public static let middle = CaptionRegion(.center)
  /// The lower part of the frame, the usual region of captions.
  public static let bottom = CaptionRegion(.after)
}

/// A point in a frame, in percent of the frame's size.
public struct CaptionPoint: Hashable, Sendable {
  public var x, y: Double
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A size in percent of the frame's size.
public struct CaptionSize: Hashable, Sendable {
  public var width, height: Double
  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}
