package import RespoolMedia

/// Requests a key frame at the start of each interval, whatever the frame rate is.
///
/// Intervals are counted from time 0, so that a run that begins later requests the same key frames.
package final class KeyFrameStage: Stage {
  /// Number of ticks of `timeBase` in an interval.
  private let interval: Double
  private let next: any Stage<Frame>
  private var lastNumber: Int64?

  /// Creates a stage for frames whose times are in `timeBase`; `interval` is in seconds, above 0.
  package init(every interval: Double, timeBase: Rational, to next: any Stage<Frame>) {
    self.interval = interval / timeBase.doubleValue
    self.next = next
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    guard let pts = frame.pts else { return try next.consume(frame) }
    var frame = frame
    // A millionth of an interval makes up for the rounding of decimal intervals such as 0.1.
    let number = Int64(exactly: (Double(pts) / interval + 1e-6).rounded(.down)) ?? 0
    if let lastNumber, number > lastNumber { frame.flags.insert(.mustBeKey) }
    lastNumber = number
    try next.consume(frame)
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) { try next.finish() }
}
