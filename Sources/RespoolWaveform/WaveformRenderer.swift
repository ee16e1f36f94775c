public import RespoolMedia

/// Draws waveforms: the extremes in a colour, the loudness in a lighter one within them.
///
/// Channels lie below each other. The middle of each is zero, its edges are full scale.
public struct WaveformRenderer: Sendable, Hashable {
  public enum AmplitudeScale: Sendable, Hashable {
    /// 1 draws full scale to the edge, 2 half of it; what goes beyond the edge is cut. 0 to 1,000,000.
    case factor(Double)
    /// The greatest sample reaches the edge.
    case fitting
  }

  /// In pixels, 1 to 32,767, and no more than 268,435,456 together with the height.
  public var width: Int
  /// In pixels, 1 to 32,767.
  public var height: Int
  public var color: RGBAColor
  /// Of the loudness.
  public var rmsColor: RGBAColor
  public var background: RGBAColor
  public var amplitudeScale: AmplitudeScale

  /// `rmsColor`: nil for the colour with white mixed in.
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

  /// The bytes of a PNG file.
  ///
  /// Throws `invalidArgument` for sizes out of range, `pluginFailure` where zlib cannot be used.
  public func png(_ waveform: Waveform) throws(MediaError) -> [UInt8] {
    try PNGWriter.bytes(picture(waveform))
  }

  /// Shades between background and colour, and as many between that and the loudness.
  private static let shades = 127

  /// The drawing in pixels, with soft edges.
  ///
  /// A column shows all bins that begin in it, or the one that goes on through it. Throws
  /// `invalidArgument` for sizes out of range.
  public func picture(_ waveform: Waveform) throws(MediaError) -> IndexedPicture {
    try check()
    let palette = (0...2 * Self.shades).map { shade in
      shade <= Self.shades
        ? background.mixed(with: color, Double(shade) / Double(Self.shades))
        : color.mixed(with: rmsColor, Double(shade - Self.shades) / Double(Self.shades))
    }
    var picture = IndexedPicture(width: width, height: height, palette: palette)
    for (number, channel) in waveform.channels.enumerated() {
      let lane = lane(number, of: waveform)
      for (column, bar) in Self.bars(channel, width).enumerated() {
        draw(lane.placed(bar), column, in: &picture)
      }
    }
    return picture
  }

  private func draw(_ bar: Bar<Double>, _ column: Int, in picture: inout IndexedPicture) {
    let rows = max(0, Int(bar.top))..<min(height, Int(bar.bottom.rounded(.up)))
    for row in rows {
      let (above, below) = (Double(row), Double(row + 1))
      let whole = min(below, bar.bottom) - max(above, bar.top)
      let loud = max(0, min(below, bar.rmsBottom) - max(above, bar.rmsTop))
      // A row that the bar only touches has no place for a shade of its loudness.
      let shade = whole < 1 ? whole : 1 + loud
      picture[column, row] = UInt8((shade * Double(Self.shades)).rounded())
    }
  }

  private static let mostPixels = 1 << 28

  func check() throws(MediaError) {
    guard (1...32767).contains(width), (1...32767).contains(height) else {
      throw MediaError(
        .invalidArgument, "a drawing of \(width)x\(height); each side may be 1 to 32767")
    }
    guard width * height <= Self.mostPixels else {
      throw MediaError(
        .invalidArgument, "a drawing of \(width)x\(height); \(Self.mostPixels) pixels can be drawn")
    }
    if case .factor(let factor) = amplitudeScale, !(factor >= 0 && factor <= 1e6) {
      throw MediaError(
        .invalidArgument, "an amplitude scale of \(factor); 0 to 1000000 can be drawn")
    }
  }
}
