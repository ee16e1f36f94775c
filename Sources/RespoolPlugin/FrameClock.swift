public import RespoolMedia

/// Numbers frames in whole ticks for encoders that depend on a frame rate, and restores their exact times.
///
/// A container's time base is often much finer than its frame rate (1/12800 for 25 frames per second). Some
/// encoders derive rate control and the timing in the stream from the time base. These work better with a tick
/// of one frame. Times between ticks are rounded for the encoder alone.
public struct FrameClock {
  /// Presentation time and duration of a frame.
  public struct Times: Hashable, Sendable {
    public var pts: Int64
    public var duration: Int64

    public init(pts: Int64, duration: Int64) {
      self.pts = pts
      self.duration = duration
    }
  }

  /// One tick, in seconds: a frame of the base frame rate if the track states one, else its time base.
  public let tick: Rational
  private let timeBase: Rational
  private let usualDuration: Int64
  private var origin: Int64?
  private var last: (tick: Int64, pts: Int64)?
  private var waiting: [Int64: Times] = [:]

  public init(_ track: TrackDescription) {
    timeBase = track.timeBase
    let frame = track.baseFrameRate.inverse.reduced
    let isCoarser = frame.isPositive && frame.doubleValue >= track.timeBase.doubleValue
    tick = isCoarser ? frame : track.timeBase.reduced
    let rate = track.frameRate.isPositive ? track.frameRate.inverse : tick
    usualDuration = max(1, rate.convert(1, to: timeBase))
  }

  /// Returns the tick of the next frame, which starts at 0 and always grows.
  ///
  /// Throws `invalidArgument` if the frame has no time or if its time is not greater than the last one.
  public mutating func enter(_ frame: Frame) throws(MediaError) -> Int64 {
    guard let pts = frame.pts else {
      throw MediaError(.invalidArgument, "a frame has no time; each frame needs one")
    }
    if let last, pts <= last.pts {
      throw MediaError(
        .invalidArgument, "a frame at \(pts) came after one at \(last.pts); times must increase")
    }
    let start = origin ?? pts
    origin = start
    var number = timeBase.convert(pts.subtractingReportingOverflow(start).partialValue, to: tick)
    if let last { number = max(number, last.tick &+ 1) }
    last = (number, pts)
    waiting[number] = Times(
      pts: pts, duration: frame.duration > 0 ? frame.duration : usualDuration)
    return number
  }

  /// Returns the duration of the frame that `enter` has numbered last, in ticks, 1 or more.
  public var lastDuration: Int64 {
    guard let last, let times = waiting[last.tick] else { return 1 }
    return max(1, timeBase.convert(times.duration, to: tick))
  }

  /// Returns and removes the times of the frame that `enter` numbered.
  ///
  /// An encoder with its own time unit (libvpx: 100 ns) may return a rounded number. The nearest frame within a
  /// microsecond, or within one tick, is used then. `nil` if no frame is that near.
  public mutating func leave(_ tick: Int64) -> Times? {
    if let exact = waiting.removeValue(forKey: tick) { return exact }
    guard let nearest = waiting.keys.min(by: { distance($0, tick) < distance($1, tick) }) else {
      return nil
    }
    let far = distance(nearest, tick)
    guard far <= 1 || Double(far) * self.tick.doubleValue <= 1e-6 else { return nil }
    return waiting.removeValue(forKey: nearest)
  }

  private func distance(_ a: Int64, _ b: Int64) -> UInt64 {
    a.subtractingReportingOverflow(b).partialValue.magnitude
  }
}
