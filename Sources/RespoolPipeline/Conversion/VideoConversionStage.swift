package import RespoolMedia

/// Converts frames to the encoder's format: rotates them upright, scales and converts them, and limits the
/// frame rate.
///
/// Times stay those of the source: a variable frame rate stays variable.
package final class VideoConversionStage: Stage {
  private let output: VideoFormat
  private let orientation: DisplayMatrix.Orientation
  private let timeBase: Rational
  private let maximumRate: Rational?
  private let sideData: [SideData]
  private let next: any Stage<Frame>

  private var input: VideoFormat?
  private var rotator: FrameRotator?
  private var converter: FrameConverter?
  private var lastTime: Int64?
  private var lastSlot: Int64?
  /// Last frame if there is a rate limit; its duration grows when the next frame is dropped.
  private var held: Frame?
  private var sampleAspect: Rational?

  /// Number of frames dropped because their time did not increase.
  package private(set) var outOfOrderCount = 0
  /// `false` if the file does not state that its frames are interlaced.
  ///
  /// The default is `true`.
  package var statesFields = true
  /// `true` if interlaced frames were scaled in height and the file does not state that they are interlaced.
  package private(set) var hasUnstatedFields = false
  /// `true` if frames were not fully opaque and the output has no alpha channel.
  package private(set) var hasLostAlpha = false
  /// `true` if frames had closed captions.
  package private(set) var hasCaptions = false
  /// Number of frames with data of Dolby Vision, and of those without.
  package private(set) var (dolbyVisionCount, otherCount) = (0, 0)
  /// `true` if frames have timecodes that do not start at 00:00:00:00, as MPEG-2 encoders write by default.
  package private(set) var hasTimecodes = false
  /// First timecode of the frames.
  ///
  /// `nil` if they have none.
  package private(set) var firstTimecode: Timecode?

  /// Creates a stage for frames with times in `timeBase`.
  ///
  /// `sampleAspect` replaces the pixel aspect ratio of the frames. `sideData` is that of the track, in
  /// addition to the frames' own.
  package init(
    output: VideoFormat, orientation: DisplayMatrix.Orientation, sampleAspect: Rational?,
    maximumRate: Rational?, timeBase: Rational, sideData: [SideData] = [], to next: any Stage<Frame>
  ) {
    self.output = output
    self.orientation = orientation
    self.sampleAspect = sampleAspect
    self.maximumRate = maximumRate
    self.sideData = sideData
    self.timeBase = timeBase
    self.next = next
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    let pts = frame.pts ?? (lastTime.map { $0 + 1 } ?? 0)
    if let lastTime, pts <= lastTime {
      outOfOrderCount += 1
      return
    }
    if let maximumRate, maximumRate.isPositive {
      // One frame for each slot of the rate's grid; a frame belongs to the nearest slot.
      let slot = timeBase.convert(pts, to: maximumRate.inverse)
      if let lastSlot, slot <= lastSlot {
        if let start = held?.pts, frame.duration > 0 {
          held?.duration = pts - start + frame.duration
        }
        return
      }
      lastSlot = slot
    }
    lastTime = pts
    if firstTimecode == nil, let timecodes = frame.sideData[.timecodes] {
      firstTimecode = Timecode(sideData: timecodes)
      hasTimecodes = firstTimecode?.isZero != true
    }
    if !hasCaptions { hasCaptions = frame.sideData.contains(where: \.isCaptions) }
    if frame.sideData[.dolbyVisionUnit] != nil { dolbyVisionCount += 1 } else { otherCount += 1 }
    if !hasLostAlpha, output.pixelFormat.layout?.hasAlpha != true {
      hasLostAlpha = frame.isTransparent
    }
    var videoFormat = VideoFormat(frame)
    if videoFormat != input {
      input = videoFormat
      rotator =
        orientation.isUpright ? nil : try FrameRotator(from: videoFormat, orientation: orientation)
      videoFormat = rotator?.target ?? videoFormat
      if !statesFields, videoFormat.isInterlaced, videoFormat.height != output.height {
        hasUnstatedFields = true
      }
      converter = try FrameConverter(
        from: videoFormat, to: output, peak: ToneMapping.peak(of: frame.sideData + sideData))
    }
    var converted = try rotator?.rotate(frame) ?? frame
    if let converter { converted = try converter.convert(converted) }
    converted.pts = pts
    converted.duration = frame.duration
    converted.flags = frame.flags
    if let sampleAspect { converted.sampleAspect = sampleAspect }
    guard maximumRate != nil else { return try next.consume(converted) }
    let before = held
    held = converted
    if let before { try next.consume(before) }
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    if let held { try next.consume(held) }
    held = nil
    try next.finish()
  }
}
