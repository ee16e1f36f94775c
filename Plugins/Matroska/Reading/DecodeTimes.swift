/// A generator of decoding times for a track whose blocks have only presentation times.
///
/// With reorder depth `n`, each frame gets the presentation time of the frame that is shown `n` frames
/// earlier.
struct DecodeTimes {
  /// Maximum number of frames that are decoded before a frame and shown after it.
  let depth: Int
  /// Duration of a frame; positive.
  let step: Int64
  /// Presentation times that are still unused, lowest first.
  private var waiting: [Int64] = []
  private var first: Int64?
  private var last: Int64?

  init(depth: Int, step: Int64) { (self.depth, self.step) = (depth, max(1, step)) }

  /// Returns the decoding time of the next frame.
  mutating func next(_ presentation: Int64) -> Int64 {
    guard depth > 0 else { return presentation }
    let start = first ?? presentation
    first = start
    let place = waiting.lastIndex { $0 <= presentation }.map { $0 + 1 } ?? 0
    waiting.insert(presentation, at: place)
    var time: Int64
    if waiting.count > depth {
      time = waiting.removeFirst()
    } else {
      let ahead = step.multipliedReportingOverflow(by: Int64(depth - waiting.count + 1))
      time = start.subtractingClamped(ahead.overflow ? 0 : ahead.partialValue)
    }
    if let last, time <= last { time = last.addingClamped(1) }
    // More frames are out of order than the stream claims.
    time = min(time, presentation)
    last = max(last ?? time, time)
    return time
  }

  mutating func reset() { (waiting, first, last) = ([], nil, nil) }
}
