/// Text that is shown over a stretch of time.
///
/// What is not said of its look or place is as the player has it.
public struct Caption: Hashable, Sendable {
  public enum FontWeight: Hashable, Sendable { case unknown, normal, bold }

  public enum FontStyle: Hashable, Sendable { case unknown, normal, italic }

  public struct Decoration: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let underline = Decoration(rawValue: 1)
    public static let lineThrough = Decoration(rawValue: 2)
    public static let overline = Decoration(rawValue: 4)
  }

  /// Where the lines of a text lie in its region; start and end as it is read.
  public enum TextAlignment: Hashable, Sendable { case start, end, center, left, right }

  var styled: StyledText
  /// When it is shown.
  ///
  /// The duration is invalid only in a group that lasts until the next one.
  public var timeRange: TimeRange
  public var textAlignment: TextAlignment?
  /// Where in the picture it is shown.
  public var region: CaptionRegion?

  public init(_ text: String, timeRange: TimeRange) {
    self.init(StyledText(text), timeRange: timeRange)
  }

  init(_ styled: StyledText, timeRange: TimeRange) {
    self.styled = styled
    self.timeRange = timeRange
  }

  /// Lines end with a line feed.
  ///
  /// A new text keeps the styles at their places, counted in Unicode scalars; those behind its end go.
  public var text: String {
    get { styled.text }
    set { styled.replaceText(newValue) }
  }
}

/// Where in the picture a caption is shown.
public struct CaptionRegion: Hashable, Sendable {
  /// Where in the region's height the lines are: at the top, in the middle, at the bottom.
  public enum DisplayAlignment: Hashable, Sendable { case before, center, after }

  /// The corner at the top left, in percent of the picture's size from its own.
  public var origin: CaptionPoint
  /// In percent of the picture's size.
  public var size: CaptionSize
  public var displayAlignment: DisplayAlignment

  public init(origin: CaptionPoint, size: CaptionSize, displayAlignment: DisplayAlignment) {
    (self.origin, self.size) = (origin, size)
    self.displayAlignment = displayAlignment
  }

  /// The whole picture, with the lines where `displayAlignment` says.
  init(_ displayAlignment: DisplayAlignment) {
    self.init(
      origin: CaptionPoint(x: 0, y: 0), size: CaptionSize(width: 100, height: 100),
      displayAlignment: displayAlignment)
  }

  /// The upper part of the picture.
  public static let top = CaptionRegion(.before)
  /// The middle of the picture.
  public static let middle = CaptionRegion(.center)
  /// The lower part of the picture, where captions are unless something else is said.
  public static let bottom = CaptionRegion(.after)
}

/// A place in a picture, in percent of its size.
public struct CaptionPoint: Hashable, Sendable {
  public var x, y: Double
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A size in percent of a picture's.
public struct CaptionSize: Hashable, Sendable {
  public var width, height: Double
  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}
