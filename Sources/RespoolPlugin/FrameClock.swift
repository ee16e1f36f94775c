public import RespoolMedia

/// Numbers pictures in whole ticks for encoders that reason about frame rates, and gives their exact
/// times back.
///
/// A container's time base is often much finer than its frame rate (1/12800 for 25 pictures a second).
/// Encoders that take their rate control, and the timing that they write into the stream, from the time
/// base do better with a tick of one frame. Times off that grid are rounded for the encoder alone.
public struct FrameClock {
  /// When a picture is shown.
  public struct Times: Hashable, Sendable {
    public var pts: Int64
    public var duration: Int64

    public init(pts: Int64, duration: Int64) {
      self.pts = pts
      self.duration = duration
    }
  }

  /// One tick, in seconds: a frame of the base frame rate where the track states one, else its time
  /// base.
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

  /// The tick of the next picture: from 0 on and always growing.
  ///
  /// Throws `invalidArgument` for a picture without a time and for times that do not grow.
  public mutating func enter(_ frame: Frame) throws(MediaError) -> Int64 {
    guard let pts = frame.pts else {
      throw MediaError(.invalidArgument, "a picture came without a time; each needs one")
    }
    if let last, pts <= last.pts {
      throw MediaError(
        .invalidArgument, "a picture at \(pts) came after one at \(last.pts); times must grow")
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

  /// The times of the picture that `enter` numbered, which is forgotten.
  ///
  /// An encoder that keeps time in units of its own (libvpx: 100 ns) may give a number back rounded: the
  /// nearest within a microsecond, or within one tick, is meant.
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
