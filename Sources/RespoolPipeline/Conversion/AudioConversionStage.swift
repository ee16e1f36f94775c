package import RespoolMedia

/// Converts audio to the encoder's format, on a timeline without gaps.
///
/// Frames have the times of their source. If these leave a gap or overlap, silence is inserted or audio
/// samples are dropped, so that audio stays in sync with video. This happens at once for more than 40 ms.
/// From 4 ms it happens after `maximumLateFrames` frames in a row, because containers with coarse times have less
/// jitter. Nothing is dropped if the times of several consecutive frames advance less than half as fast as
/// the audio plays. Overlapping audio jumps back once, and a clock that is slow for longer is broken.
package final class AudioConversionStage: Stage {
  private let output: AudioFormat
  private let timeBase: Rational
  private let startsAtZero: Bool
  private let next: any Stage<Frame>

  private var input: AudioFormat?
  private var converter: AudioConverter?
  /// Expected position of the next input frame, in audio samples at the input's rate.
  private var expected: Int64 = 0
  private var lateFrames = 0
  private let maximumLateFrames = 25
  /// Offset that `startsAtZero` subtracted, in audio samples of the output.
  private var skipped: Int64 = 0
  /// Time of the next output frame, in audio samples of the output, continued across converters.
  private var nextOutput: Int64?

  /// Silence inserted to keep audio in sync, in seconds.
  package private(set) var insertedSeconds = 0.0
  package private(set) var droppedSeconds = 0.0
  /// Time of the source at which the first correction happened, in seconds.
  package private(set) var firstCorrection: Double?
  /// Number of frames after a gap too long to be accepted.
  package private(set) var ignoredGaps = 0
  private var heardSeconds = 0.0
  /// Number of frames kept whole because times advanced more slowly than the audio plays.
  package private(set) var slowTimestampFrames = 0
  private var crawl = Crawl()
  /// `true` counts samples above full scale, which integer formats clip.
  package var countsClipping = false
  /// Number of audio samples that were clipped.
  package private(set) var clippedSamples = 0
  /// Greatest magnitude of the clipped samples; 1 is full scale.
  package private(set) var peak = 0.0

  /// Creates a stage for frames with times in `timeBase`.
  ///
  /// `startsAtZero`: the first audio sample gets the time 0, for audio that is the only track of its file.
  package init(
    output: AudioFormat, timeBase: Rational, startsAtZero: Bool = false, to next: any Stage<Frame>
  ) {
    self.startsAtZero = startsAtZero
    self.output = output
    self.timeBase = timeBase
    self.next = next
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    let audioFormat = AudioFormat(frame)
    if audioFormat != input { try start(audioFormat, at: frame) }
    guard var frame = try onTime(frame) else { return }
    expected += Int64(frame.sampleCount)
    heardSeconds += Double(frame.sampleCount) / Double(max(1, frame.sampleRate))
    frame.pts = nil
    if countsClipping {
      let overload = frame.overload
      clippedSamples += overload.count
      peak = max(peak, overload.peak)
    }
    try convert(frame)
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    try drain()
    try next.finish()
  }

  private func start(_ audioFormat: AudioFormat, at frame: Frame) throws(MediaError) {
    try drain()
    input = audioFormat
    converter = try AudioConverter(from: audioFormat, to: output)
    let inUnit = Rational(1, Int32(clamping: audioFormat.sampleRate))
    let outUnit = Rational(1, Int32(clamping: output.sampleRate))
    if let nextOutput {
      expected = outUnit.convert(nextOutput + skipped, to: inUnit)
    } else {
      let pts = frame.pts ?? 0
      expected = timeBase.convert(pts, to: inUnit)
      skipped = startsAtZero ? timeBase.convert(pts, to: outUnit) : 0
      nextOutput = startsAtZero ? 0 : timeBase.convert(pts, to: outUnit)
    }
  }

  /// Returns the part of the frame that is to be heard, after inserting silence for a gap before it.
  private func onTime(_ frame: Frame) throws(MediaError) -> Frame? {
    guard let pts = frame.pts, frame.sampleRate > 0 else { return frame }
    let rate = Int64(frame.sampleRate)
    let unit = Rational(1, Int32(clamping: frame.sampleRate))
    let time = timeBase.convert(pts, to: unit)
    let isCrawling = crawl.continues(at: time, count: frame.sampleCount)
    let late = time &- expected
    let size = late.magnitude
    if size * 1000 <= UInt64(rate) * 4 {
      lateFrames = 0
      return frame
    }
    lateFrames += 1
    guard size * 1000 > UInt64(rate) * 40 || lateFrames >= maximumLateFrames else { return frame }
    lateFrames = 0
    if late > 0 {
      try insertSilence(late, like: frame)
      return frame
    }
    if isCrawling {
      slowTimestampFrames += 1
      return frame
    }
    firstCorrection = firstCorrection ?? Double(expected) / Double(rate)
    let drop = Int(min(UInt64(frame.sampleCount), size))
    droppedSeconds += Double(drop) / Double(rate)
    return frame.droppingSamples(front: drop, back: 0, timeBase: timeBase)
  }

  /// Detects times that repeatedly advance more slowly than the audio plays.
  private struct Crawl {
    private var last: (time: Int64, count: Int)?
    private var length = 0

    /// Returns `true` if times are slow again; `time` and `count` of a frame are in audio samples.
    mutating func continues(at time: Int64, count: Int) -> Bool {
      if let last {
        let isSlow = time &- last.time < Int64(last.count / 2)
        length = isSlow ? length + 1 : 0
      }
      last = (time, count)
      return length > 1
    }
  }

  private func insertSilence(_ count: Int64, like frame: Frame) throws(MediaError) {
    // The audio present limits silence, not a number in the file. A gap is at most an hour, and all gaps together
    // an hour plus a hundred times the audio heard. A clock that jumps further is broken and is ignored.
    let seconds = Double(count) / Double(frame.sampleRate)
    guard seconds <= 3600, insertedSeconds + seconds <= 3600 + 100 * heardSeconds else {
      ignoredGaps += 1
      return
    }
    firstCorrection = firstCorrection ?? Double(expected) / Double(frame.sampleRate)
    insertedSeconds += seconds
    try AudioFormat(frame).silence(count) { (block) throws(MediaError) in
      expected += Int64(block.sampleCount)
      try convert(block)
    }
  }

  private func convert(_ frame: Frame) throws(MediaError) {
    guard let converter, let converted = try converter.convert(frame) else { return }
    try hand(on: converted)
  }

  private func drain() throws(MediaError) {
    guard let converter, let rest = try converter.drain() else { return }
    self.converter = nil
    try hand(on: rest)
  }

  private func hand(on frame: Frame) throws(MediaError) {
    var frame = frame
    frame.pts = nextOutput
    frame.duration = Int64(frame.sampleCount)
    nextOutput = (nextOutput ?? 0) + Int64(frame.sampleCount)
    try next.consume(frame)
  }
}
