package import RespoolMedia
import RespoolProcessing

/// Passes frames through a filter, each in the format that the filter accepts.
///
/// The filter keeps the format of the first frame; others are converted to it. A filter that only measures
/// gets the frames, but does not change them.
package final class FilterStage: Stage {
  private var filter: FilterInstance
  /// Description of the frames that the filter was opened for.
  private var input: TrackDescription
  /// Time base of the frames that come out.
  private let timeBase: Rational
  private let reopen: (TrackDescription) throws(MediaError) -> FilterInstance
  private let next: any Stage<Frame>

  private var hasBegun = false
  private var converter: FrameToFilter?
  private var sideData: PassedSideData
  private var lastTime: Int64?

  /// Number of frames left out because their time did not increase.
  package private(set) var outOfOrderCount = 0
  /// Measurements of the filter, complete after `finish`.
  package private(set) var results: [FilterResult] = []

  /// Creates a stage with an open filter, whose output track has the time base of the frames that come out.
  ///
  /// `reopen` opens the filter for frames that differ from the description `input`.
  package init(
    _ filter: FilterInstance, input: TrackDescription, to next: any Stage<Frame>,
    reopen: @escaping (TrackDescription) throws(MediaError) -> FilterInstance
  ) {
    (self.filter, self.input, self.reopen, self.next) = (filter, input, reopen, next)
    timeBase = filter.track.timeBase
    sideData = PassedSideData(
      from: input.timeBase, to: timeBase,
      changesTimes: filter.factory.description.flags.contains(.changesTimes))
  }

  private var measuresOnly: Bool { filter.factory.description.flags.contains(.measuresOnly) }

  package func consume(_ frame: Frame) throws(MediaError) {
    if !hasBegun { try begin(with: frame) }
    let time = frame.pts ?? (lastTime.map { $0 + 1 } ?? 0)
    if let lastTime, time <= lastTime {
      // Filters need times that increase.
      if measuresOnly { try next.consume(frame) } else { outOfOrderCount += 1 }
      return
    }
    lastTime = time
    var converted = try converter?.convert(frame) ?? frame
    (converted.pts, converted.duration) = (time, frame.duration)
    if measuresOnly {
      try filter.filter(converted) { _ in }
      return try next.consume(frame)
    }
    if frame.kind == .video { sideData.add(converted) }
    try filter.filter(converted, handOn)
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    if hasBegun {
      if measuresOnly { try filter.filter(nil) { _ in } } else { try filter.filter(nil, handOn) }
      results = filter.results
    }
    try next.finish()
  }

  /// Opens the filter again if the first frame is not as the track describes its frames.
  private func begin(with frame: Frame) throws(MediaError) {
    hasBegun = true
    var actual = input
    if frame.kind == .video {
      (actual.width, actual.height) = (frame.width, frame.height)
      actual.pixelFormat = frame.pixelFormat
      if frame.sampleAspect.isPositive { actual.sampleAspect = frame.sampleAspect }
      actual.color = frame.color
      if let order = frame.fieldOrder { actual.fieldOrder = order }
    } else {
      (actual.sampleRate, actual.channelLayout) = (frame.sampleRate, frame.channelLayout)
      actual.sampleFormat = frame.sampleFormat
    }
    actual = actual.accepted(by: filter.factory.description)
    if actual != input {
      filter = try reopen(actual)
      input = actual
    }
    converter = FrameToFilter(input)
  }

  private func handOn(_ result: Frame) throws(MediaError) {
    var frame = result
    frame.pts = frame.pts.map { filter.track.timeBase.convert($0, to: timeBase) }
    frame.duration = filter.track.timeBase.convert(frame.duration, to: timeBase)
    if frame.kind == .video { sideData.complete(&frame) }
    try next.consume(frame)
  }
}

/// Conversion of frames to the format that a filter was opened for.
///
/// Audio comes in that format, from an ``AudioConversionStage``.
private final class FrameToFilter {
  private let track: TrackDescription
  private var converter: FrameConverter?

  init(_ track: TrackDescription) { self.track = track }

  /// Returns the converted frame.
  func convert(_ frame: Frame) throws(MediaError) -> Frame {
    let format = VideoFormat(frame)
    guard frame.kind == .video,
      format.pixelFormat != track.pixelFormat || format.color != track.color
        || (format.width, format.height) != (track.width, track.height)
    else { return frame }
    if converter?.source != format {
      converter = try FrameConverter(
        from: format,
        to: VideoFormat(
          pixelFormat: track.pixelFormat, width: track.width, height: track.height,
          color: track.color))
    }
    return try converter?.convert(frame) ?? frame
  }
}
