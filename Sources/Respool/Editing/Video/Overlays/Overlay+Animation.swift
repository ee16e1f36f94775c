extension Overlay {
  /// The state of an overlay at one time.
  struct Moment: Equatable {
    /// 0 to 1, with fades and keyframes.
    var opacity: Double
    /// Offset in pixels.
    var offset: (x: Double, y: Double)
    var scale: Double

    static func == (a: Moment, b: Moment) -> Bool {
      a.opacity == b.opacity && a.offset == b.offset && a.scale == b.scale
    }
  }

  /// Returns the state at a time.
  ///
  /// `nil` if the overlay is not visible. `pixels` converts offsets to pixels.
  func moment(at time: MediaTime, pixels: (OverlayOffset) -> (x: Double, y: Double)) -> Moment? {
    if let timeRange, !timeRange.containsTime(time) { return nil }
    let frames = keyframes.filter(\.time.isNumeric).sorted { $0.time < $1.time }
    /// Returns a property, interpolated between the keyframes that set it.
    func animated(_ value: (Keyframe) -> Double?) -> Double? {
      let known = frames.compactMap { frame in value(frame).map { (frame.time, $0) } }
      guard let first = known.first, let last = known.last else { return nil }
      guard let next = known.firstIndex(where: { $0.0 > time }) else { return last.1 }
      if next == 0 { return first.1 }
      let (from, to) = (known[next - 1], known[next])
      let part = (time - from.0).seconds / (to.0 - from.0).seconds
      return .interpolate(from.1, to.1, min(max(part, 0), 1))
    }
    let still = pixels(position.offset)
    let opacity = clamped(animated(\.opacity) ?? self.opacity) * fade(at: time)
    let scale = animated(\.scale) ?? 1
    guard opacity > 0, scale.isFinite, scale > 0 else { return nil }
    return Moment(
      opacity: opacity,
      offset: (
        animated { $0.offset.map { pixels($0).x } } ?? still.x,
        animated { $0.offset.map { pixels($0).y } } ?? still.y
      ), scale: min(scale, 1e3))
  }

  private func clamped(_ opacity: Double) -> Double {
    opacity.isNaN ? 0 : min(max(opacity, 0), 1)
  }

  private func fade(at time: MediaTime) -> Double {
    guard let timeRange else { return 1 }
    /// Returns the completed fraction of a fade, 1 if there is no fade.
    func part(_ passed: MediaTime, of duration: MediaTime) -> Double {
      guard passed.isNumeric, duration.isNumeric, duration > .zero else { return 1 }
      return clamped(passed.seconds / duration.seconds)
    }
    return min(
      part(time - timeRange.start, of: fadeIn), part(timeRange.end - time, of: fadeOut))
  }
}
