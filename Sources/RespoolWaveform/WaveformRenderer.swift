public import RespoolMedia

/// Draws waveforms: the extremes in one color, and within them the RMS level in a lighter one.
///
/// Channels are drawn below each other. The middle of each is zero, its edges are full scale.
public struct WaveformRenderer: Sendable, Hashable {
  /// Vertical scale of a drawing.
  public enum AmplitudeScale: Sendable, Hashable {
    /// 1 draws full scale to the edge, 2 half of full scale; values beyond the edge are clipped.
    ///
    /// 0 to 1,000,000. The default is 1.
    case factor(Double)
    /// The largest value of the waveform reaches the edge.
    case fitting
  }

  /// Pixels, 1 to 32,767; width times height is at most 268,435,456.
  public var width: Int
  /// Pixels, 1 to 32,767.
  public var height: Int
  public var color: RGBAColor
  /// Color of the RMS level.
  public var rmsColor: RGBAColor
  public var background: RGBAColor
  public var amplitudeScale: AmplitudeScale

  /// Creates a renderer.
  ///
  /// `rmsColor`: `nil` selects `color` mixed with white.
  public init(
    width: Int = 1800, height: Int = 280, color: RGBAColor = .standard,
    rmsColor: RGBAColor? = nil, background: RGBAColor = .white,
    amplitudeScale: AmplitudeScale = .factor(1)
  ) {
    self.width = width
    self.height = height
    self.color = color
    var light = color.mixed(with: .white, 0.45)
    light.alpha = color.alpha
    self.rmsColor = rmsColor ?? light
    self.background = background
    self.amplitudeScale = amplitudeScale
  }

  /// Returns the bytes of a PNG file.
  ///
  /// Throws `invalidArgument` for sizes out of range, `pluginFailure` if zlib cannot be used.
  public func png(_ waveform: Waveform) throws(MediaError) -> [UInt8] {
    try PNGWriter.bytes(picture(waveform))
  }

  /// Number of shades from background to color, and from color to RMS color.
  private static let shades = 127

  /// Returns the drawing in pixels, with antialiased edges.
  ///
  /// A column shows all bins that begin in it, or else the bin that extends through it. Throws
  /// `invalidArgument` for sizes out of range.
  public func picture(_ waveform: Waveform) throws(MediaError) -> IndexedImage {
    try check()
    let palette = (0...2 * Self.shades).map { shade in
      shade <= Self.shades
        ? background.mixed(with: color, Double(shade) / Double(Self.shades))
        : color.mixed(with: rmsColor, Double(shade - Self.shades) / Double(Self.shades))
    }
    var picture = IndexedImage(width: width, height: height, palette: palette)
    for (number, channel) in waveform.channels.enumerated() {
      let lane = lane(number, of: waveform)
      for (column, bar) in Self.bars(channel, width).enumerated() {
        draw(lane.placed(bar), column, in: &picture)
      }
    }
    return picture
  }

  private func draw(_ bar: Bar<Double>, _ column: Int, in picture: inout IndexedImage) {
    let rows = max(0, Int(bar.top))..<min(height, Int(bar.bottom.rounded(.up)))
    for row in rows {
      let (above, below) = (Double(row), Double(row + 1))
      let whole = min(below, bar.bottom) - max(above, bar.top)
      let loud = max(0, min(below, bar.rmsBottom) - max(above, bar.rmsTop))
      // A row that the bar covers only partly has no shade for the RMS level.
      let shade = whole < 1 ? whole : 1 + loud
      picture[column, row] = UInt8((shade * Double(Self.shades)).rounded())
    }
  }

  private static let mostPixels = 1 << 28

  func check() throws(MediaError) {
    guard (1...32767).contains(width), (1...32767).contains(height) else {
      throw MediaError(
        .invalidArgument,
        "the drawing has the size \(width)x\(height); each side must be 1 to 32767")
    }
    guard width * height <= Self.mostPixels else {
      throw MediaError(
        .invalidArgument,
        "the drawing has the size \(width)x\(height); the maximum is \(Self.mostPixels) pixels")
    }
    if case .factor(let factor) = amplitudeScale, !(factor >= 0 && factor <= 1e6) {
      throw MediaError(
        .invalidArgument, "the amplitude scale is \(factor); it must be 0 to 1000000")
    }
  }
}
