/// An image or a text over the frames of a composition: a watermark or a title.
///
/// Times are those of the composition, lengths points of its render size. Colors are code values
/// of the frames onto which it is drawn.
public struct Overlay: Hashable, Sendable {
  /// Content of an overlay: an image or a text.
  public enum Content: Hashable, Sendable {
    /// A PNG file, with alpha or without; one pixel is one point unless a size is given.
    case image(path: String)
    case text(OverlayText)
  }

  public var content: Content
  public var position: OverlayPosition
  /// Drawn width.
  ///
  /// `nil` for the natural width, or for the width in proportion to `height`.
  public var width: OverlayLength?
  /// Drawn height.
  ///
  /// `nil` for the natural height, or for the height in proportion to `width`.
  public var height: OverlayLength?
  /// 0 to 1.
  public var opacity: Double
  /// Time range in which the overlay is visible.
  ///
  /// `nil` for always.
  public var timeRange: TimeRange?
  /// Duration of the fade-in at the start of the time range.
  public var fadeIn: MediaTime
  /// Duration of the fade-out before the end of the time range, if that has an end.
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

  /// Values of an overlay at a time; between two keyframes they change linearly.
  ///
  /// Before the first and after the last keyframe, its values hold. A keyframe does not change values that are
  /// `nil`.
  public struct Keyframe: Hashable, Sendable {
    public var time: MediaTime
    /// Replacement for the offset of the position; the anchor stays.
    public var offset: OverlayOffset?
    /// Replacement for the overlay's opacity, 0 to 1.
    public var opacity: Double?
    /// Scale about the anchor; 1 is the normal size.
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
