import RespoolPlugin

/// Presentation times of frames without a time from packets or libavcodec, as at the end of an AVI file.
///
/// Each of these frames follows the last one.
struct VideoClock {
  private var last: Int64?
  private var step: Int64 = 0

  mutating func reset() { self = VideoClock() }

  mutating func complete(_ frame: inout Frame) {
    if frame.duration > 0 { step = frame.duration }
    if let pts = frame.pts {
      if frame.duration == 0, let last, pts > last {
        step = pts.subtractingReportingOverflow(last).partialValue
      }
      last = pts
    } else if let previous = last, step > 0 {
      let (pts, overflow) = previous.addingReportingOverflow(step)
      guard !overflow else { return }
      frame.pts = pts
      last = pts
    }
  }
}
