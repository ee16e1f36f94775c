import RespoolMedia

/// Side data and durations of the frames in a filter, for the frames that come out.
///
/// A frame that comes out gets the side data of the last frame that came in up to its time. Captions of frames
/// that were left out are added. A further frame for the same frame, such as a second field, gets neither
/// captions nor timecodes again. A filter's own side data is kept.
struct PassedSideData {
  private let input: Rational
  private let output: Rational
  private let changesTimes: Bool
  /// Frames in the filter, in order of time, with times in the time base of the output.
  private var waiting: [(time: Int64, duration: Int64, sideData: [SideData])] = []
  private var latest: [SideData] = []

  init(from input: Rational, to output: Rational, changesTimes: Bool) {
    (self.input, self.output, self.changesTimes) = (input, output, changesTimes)
  }

  /// Adds a frame that goes in.
  mutating func add(_ frame: Frame) {
    guard let pts = frame.pts else { return }
    waiting.append(
      (
        input.convert(pts, to: output), input.convert(frame.duration, to: output), frame.sideData
      ))
  }

  /// Completes a frame that comes out.
  mutating func complete(_ frame: inout Frame) {
    guard let time = frame.pts else { return }
    let passed = waiting.prefix { $0.time <= time }
    waiting.removeFirst(passed.count)
    if let last = passed.last {
      latest = last.sideData
      if frame.duration == 0, !changesTimes, last.time == time { frame.duration = last.duration }
    }
    guard frame.sideData.isEmpty else { return }
    let captions = passed.dropLast().flatMap { $0.sideData.filter(\.isCaptions) }
    frame.sideData =
      passed.isEmpty
      ? latest.filter { !$0.isCaptions && $0.type != .timecodes } : captions + latest
  }
}
