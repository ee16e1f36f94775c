/// An image or a text over the pictures of a composition: a watermark or a title.
///
/// Times are those of the composition, lengths points of its render size. Colours are code values
/// of the pictures that it is drawn onto.
public struct Overlay: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    /// A PNG file, with alpha or without; one pixel is one point unless a size is given.
    case image(path: String)
    case text(OverlayText)
  }

  public var content: Content
  public var position: OverlayPosition
  /// How wide it is drawn; nil as it is, or as the height asks for.
  public var width: OverlayLength?
  /// How high it is drawn; nil as it is, or as the width asks for.
  public var height: OverlayLength?
  /// 0 to 1.
  public var opacity: Double
  /// When it is seen; nil always.
  public var timeRange: TimeRange?
  /// How long it takes to appear at the start of the time range.
  public var fadeIn: MediaTime
  /// How long it takes to disappear before the end of the time range, if that ends.
  public var fadeOut: MediaTime
  /// Changes over time, in any order; see ``Keyframe``.
  public var keyframes: [Keyframe]

  public init(
    _ content: Content, position: OverlayPosition = OverlayPosition(.center),
    width: OverlayLength? = nil, height: OverlayLength? = nil, opacity: Double = 1,
    timeRange: TimeRange? = nil, fadeIn: MediaTime = .zero, fadeOut: MediaTime = .zero,
    keyframes: [Keyframe] = []
  ) {
    self.content = content
    self.position = position
    self.width = width
    self.height = height
    self.opacity = opacity
    self.timeRange = timeRange
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.keyframes = keyframes
  }

  /// What an overlay is like at a time; between two keyframes it changes linearly.
  ///
  /// Before the first and after the last it is as that one says. What a keyframe leaves out is not
  /// changed by it.
  public struct Keyframe: Hashable, Sendable {
    public var time: MediaTime
    /// In place of the offsets of the position; the anchor stays.
    public var offset: OverlayOffset?
    /// In place of the overlay's opacity, 0 to 1.
    public var opacity: Double?
    /// A change of size about the anchor; 1 is as large as it is otherwise.
    public var scale: Double?

    public init(
      at time: MediaTime, offset: OverlayOffset? = nil, opacity: Double? = nil,
      scale: Double? = nil
    ) {
      self.time = time
      self.offset = offset
      self.opacity = opacity
      self.scale = scale
    }
  }
}
