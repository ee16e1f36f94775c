public import RespoolMedia

extension WaveformRenderer {
  /// Returns the drawing as an SVG document: for each channel a path of the extremes and one of the RMS
  /// level.
  ///
  /// Bars are as wide as bins, or one pixel wide if there are more bins than pixels. Throws `invalidArgument`
  /// for sizes out of range.
  public func svg(_ waveform: Waveform) throws(MediaError) -> String {
    try check()
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" preserveAspectRatio="none">

      """
    if background.alpha > 0 {
      text += "<rect width=\"\(width)\" height=\"\(height)\"\(Self.fill(background))/>\n"
    }
    for (number, channel) in waveform.channels.enumerated() {
      let columns = min(width, channel.minima.count)
      guard columns > 0 else { continue }
      let lane = lane(number, of: waveform)
      let bars = Self.bars(channel, columns).map(lane.placed)
      text += path(bars.map { ($0.top, $0.bottom) }, color)
      text += path(bars.map { ($0.rmsTop, $0.rmsBottom) }, rmsColor)
    }
    return text + "</svg>\n"
  }

  /// Returns a path along the upper ends to the right and back along the lower ends.
  private func path(_ bars: [(top: Double, bottom: Double)], _ color: RGBAColor) -> String {
    guard let first = bars.first else { return "" }
    var text = "<path\(Self.fill(color)) d=\"M0 \(Self.number(first.top))"
    func x(_ bar: Int) -> String {
      Self.number(Double(bar) * Double(width) / Double(bars.count))
    }
    for (index, bar) in bars.enumerated() {
      if index > 0, bar.top != bars[index - 1].top { text += "V\(Self.number(bar.top))" }
      text += "H\(x(index + 1))"
    }
    for (index, bar) in bars.enumerated().reversed() {
      text += "V\(Self.number(bar.bottom))H\(x(index))"
    }
    return text + "Z\"/>\n"
  }

  private static func fill(_ color: RGBAColor) -> String {
    let opacity =
      color.alpha == 255 ? "" : " fill-opacity=\"\(number(Double(color.alpha) / 255))\""
    return " fill=\"\(color.hexText)\"\(opacity)"
  }

  /// Returns a number with at most two decimals; `value` is never negative here.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = (hundredths / 100, hundredths % 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
