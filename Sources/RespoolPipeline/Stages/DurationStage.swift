package import RespoolMedia

/// Sets missing frame durations: up to the next frame, and for the last frame the duration of the one before.
///
/// AVAssetWriterInput documents this for `append(_:)`. Otherwise the last frame of a file would have no
/// duration. A frame without a duration is held until the next one comes.
package final class DurationStage: Stage {
  private let next: any Stage<Frame>
  private var held: Frame?
  /// Time from the frame before the last to the last.
  private var duration: Int64 = 0
  private var lastTime: Int64?

  package init(to next: any Stage<Frame>) { self.next = next }

  package func consume(_ frame: Frame) throws(MediaError) {
    if let pts = frame.pts {
      if let lastTime { duration = max(0, pts &- lastTime) }
      lastTime = pts
    }
    try release()
    if frame.duration == 0 { held = frame } else { try next.consume(frame) }
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    try release()
    try next.finish()
  }

  private func release() throws(MediaError) {
    guard var frame = held else { return }
    held = nil
    frame.duration = duration
    try next.consume(frame)
  }
}
