/// Positions of a waveform's bins in a drawing.
extension WaveformRenderer {
  /// Extent of the drawing in one column, from top to bottom.
  struct Bar<Value> {
    var top: Value
    var bottom: Value
    var rmsTop: Value
    var rmsBottom: Value
  }

  /// Strip of the drawing for one channel.
  struct Lane {
    var top: Double
    var bottom: Double
    /// Factor from a value of the waveform to its distance from the middle.
    var scale: Double

    private func place(_ value: Float) -> Double {
      let y = (top + bottom) / 2 - Double(value) * scale
      return max(top, min(bottom, y))
    }

    /// Returns the bar in drawing coordinates, at least one pixel high, with the RMS level within the
    /// extremes.
    func placed(_ bar: Bar<Float>) -> Bar<Double> {
      var placed = Bar(
        top: place(bar.top), bottom: place(bar.bottom), rmsTop: place(bar.rmsTop),
        rmsBottom: place(bar.rmsBottom))
      if placed.bottom - placed.top < 1 {
        // A whole row, so that silence is a clear line.
        let row = ((placed.top + placed.bottom) / 2).rounded(.down)
        placed.top = max(0, min(row, (bottom - 1).rounded(.down)))
        placed.bottom = placed.top + 1
      }
      placed.rmsTop = max(placed.top, min(placed.bottom, placed.rmsTop))
      placed.rmsBottom = max(placed.rmsTop, min(placed.bottom, placed.rmsBottom))
      return placed
    }
  }

  func lane(_ channel: Int, of waveform: Waveform) -> Lane {
    let lanes = Double(max(1, waveform.channels.count))
    let factor: Double
    switch amplitudeScale {
    case .factor(let value): factor = value
    case .fitting:
      let peak = Double(waveform.peak)
      factor = peak > 0 ? 1 / peak : 1
    }
    let part = Double(height) / lanes
    return Lane(
      top: part * Double(channel), bottom: part * Double(channel + 1), scale: factor * part / 2)
  }

  /// Returns a bar for each of `columns` columns, or none if there are no bins.
  ///
  /// If the values jump from one column to the next, both bars reach to the middle of the jump. The curve
  /// therefore has no gaps.
  static func bars(_ channel: Waveform.Channel, _ columns: Int) -> [Bar<Float>] {
    let alone = (0..<columns).compactMap { bar(channel, $0, of: columns) }
    var bars = alone
    for index in bars.indices.dropFirst() {
      let (before, after) = (alone[index - 1], alone[index])
      if after.bottom > before.top {
        let middle = before.top / 2 + after.bottom / 2
        bars[index - 1].top = max(bars[index - 1].top, middle)
        bars[index].bottom = min(bars[index].bottom, middle)
      } else if after.top < before.bottom {
        let middle = after.top / 2 + before.bottom / 2
        bars[index - 1].bottom = min(bars[index - 1].bottom, middle)
        bars[index].top = max(bars[index].top, middle)
      }
    }
    return bars
  }

  /// Returns the bar for the bins of one column, or `nil` if there are no bins.
  private static func bar(_ channel: Waveform.Channel, _ column: Int, of width: Int) -> Bar<Float>?
  {
    let count = channel.minima.count
    guard count > 0 else { return nil }
    let edges = BinEdges(bins: width, samples: Int64(count))
    let bins = edges.samples(in: column)
    var (least, most, power) = (Float.infinity, -Float.infinity, 0.0)
    for bin in bins {
      least = min(least, channel.minima[Int(bin)])
      most = max(most, channel.maxima[Int(bin)])
      power += Double(channel.rms[Int(bin)]) * Double(channel.rms[Int(bin)])
    }
    let rms = Float((power / Double(bins.count)).squareRoot())
    return Bar(top: most, bottom: least, rmsTop: min(rms, most), rmsBottom: max(-rms, least))
  }
}
