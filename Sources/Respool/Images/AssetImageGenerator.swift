public import RespoolMedia
import Synchronization

/// Generator of still images from an asset's first video track, as AVAssetImageGenerator.
///
/// It seeks for each image and decodes only from the sync sample before it. The images of a photo are the photo.
public struct AssetImageGenerator: Sendable {
  public let asset: Asset
  /// `true` to apply the rotation and flip of the track.
  ///
  /// Default `false`.
  public var appliesPreferredTrackTransform = false
  /// Size that images are scaled down to fit into; they are never enlarged.
  ///
  /// A side of zero is not limited.
  public var maximumSize = VideoDimensions.zero

  /// Maximum distance of an earlier frame, which is used if no frame is shown at the requested time.
  ///
  /// Default infinite.
  ///
  /// A frame shown at the requested time is always used, however early it began.
  public var requestedTimeToleranceBefore = MediaTime.positiveInfinity
  /// Maximum distance of a later frame, which is used if no earlier one is found.
  ///
  /// Default infinite.
  public var requestedTimeToleranceAfter = MediaTime.positiveInfinity

  /// Treatment of frames with high dynamic range (PQ, HLG).
  public enum DynamicRangePolicy: Hashable, Sendable, CaseIterable {
    /// Tone-maps them to BT.709.
    case forceSDR
    /// Keeps their code values and sets their color description on the images.
    case matchSource
  }

  /// Treatment of frames with high dynamic range.
  ///
  /// Default `forceSDR`.
  public var dynamicRangePolicy = DynamicRangePolicy.forceSDR

  let track: AssetTrack

  /// `true` if the asset is a photo, which is shown at all times.
  package var isOfStillImage: Bool { track.description.disposition.contains(.stillImage) }

  /// Throws errors of reading the asset, and `invalidArgument` if it has no video track other than covers.
  public init(asset: Asset) throws(MediaError) {
    self.asset = asset
    let tracks = try asset.tracks().filter {
      $0.description.kind == .video && !$0.description.disposition.contains(.attachedPicture)
    }
    guard let track = tracks.first(where: \.description.isMovingPicture) ?? tracks.first else {
      throw MediaError(.invalidArgument, "the file has no video", file: asset.path)
    }
    self.track = track
  }

  /// Returns the range from the first frame to the end of the last; that of the asset if the track stores none.
  ///
  /// That of a photo is its first millisecond. Throws `unsupported` if the range is unknown.
  public func timeRange() throws(MediaError) -> TimeRange {
    guard !isOfStillImage else {
      return TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1000))
    }
    let known = try track.shownRange()
    if known.isValid, known.start.isNumeric, known.duration.isNumeric, !known.isEmpty {
      return known
    }
    let whole = try asset.duration()
    guard whole.isNumeric, whole > .zero else {
      throw MediaError(.unsupported, "the file states no duration", file: asset.path)
    }
    return TimeRange(start: .zero, end: whole)
  }

  /// Makes an image for each time, on `threads` threads, and passes it to `handler` with the index of the time.
  ///
  /// Consecutive times that are decoded from the same sample share the decoding. `handler` is called on these
  /// threads, concurrently and in any order. The first error ends the work. `cancellation` may be used from another
  /// thread; the method then throws `cancelled`.
  public func images(
    at times: [MediaTime], threads: Int, cancelledBy cancellation: ReadCancellation? = nil,
    handler: @escaping @Sendable (Int, PixelBuffer) throws(MediaError) -> Void
  ) throws(MediaError) {
    let begins = Mutex<[MediaTime?]>(Array(repeating: nil, count: times.count))
    try inParallel(times.count, threads) { (index) throws(MediaError) in
      try cancellation?.check()
      let begin = try decodingBegin(for: times[index])
      begins.withLock { $0[index] = begin }
    }
    let known = begins.withLock { $0 }
    var groups: [Range<Int>] = []
    for index in times.indices {
      if let last = groups.last, let begin = known[index], begin == known[index - 1],
        times[index] >= times[index - 1]
      {
        groups[groups.count - 1] = last.lowerBound..<index + 1
      } else {
        groups.append(index..<index + 1)
      }
    }
    try inParallel(groups.count, threads) { [groups] (group) throws(MediaError) in
      try images(at: times, groups[group], cancellation, handler)
    }
  }

  private func inParallel(
    _ count: Int, _ threads: Int, _ work: @escaping @Sendable (Int) throws(MediaError) -> Void
  ) throws(MediaError) {
    let state = Shared()
    var workers: [PlainThread] = []
    defer { for worker in workers { worker.join() } }
    for _ in 0..<max(1, min(threads, count)) {
      workers.append(
        try PlainThread(name: "images") {
          while let index = state.take(count) {
            do throws(MediaError) { try work(index) } catch { state.fail(error) }
          }
        })
    }
    for worker in workers { worker.join() }
    if let failure = state.failure { throw failure }
  }

  /// State shared by the threads.
  private final class Shared: Sendable {
    private let state = Mutex<(next: Int, failure: MediaError?)>((0, nil))

    var failure: MediaError? { state.withLock { $0.failure } }

    /// Returns the index of the next item of work; `nil` if none is left or one failed.
    func take(_ count: Int) -> Int? {
      state.withLock { state in
        guard state.failure == nil, state.next < count else { return nil }
        state.next += 1
        return state.next - 1
      }
    }

    func fail(_ error: MediaError) {
      state.withLock { if $0.failure == nil { $0.failure = error } }
    }
  }
}

extension AssetImageGenerator {
  /// Returns the presentation time of the first packet that is decoded for an image; `nil` if there is no packet.
  private func decodingBegin(for time: MediaTime) throws(MediaError) -> MediaTime? {
    guard time.isNumeric else { return nil }
    return try stored(at: time) { $0.copyNextSampleBuffer()?.presentationTimeStamp }
  }

  /// Makes images for ascending times, decoding once.
  private func images(
    at times: [MediaTime], _ group: Range<Int>, _ cancellation: ReadCancellation?,
    _ handler: (Int, PixelBuffer) throws(MediaError) -> Void
  ) throws(MediaError) {
    try cancellation?.check()
    guard group.count > 1, let last = group.last else {
      for index in group { try handler(index, try shownFrame(at: times[index]).image) }
      return
    }
    let (reader, output) = try started(
      TimeRange(
        start: times[group.lowerBound], end: times[last] + MediaTime(value: 1, timescale: 1000)),
      settings: .video())
    defer { reader.cancelReading() }
    var next = group.lowerBound
    /// Passes on `shown` for the times before `end`; for times at which it is not shown, searches nearby frames.
    func give(_ shown: SampleBuffer?, before end: MediaTime) throws(MediaError) {
      while next < group.upperBound, times[next] < end {
        let time = times[next]
        if let shown, let image = shown.imageBuffer, shown.presentationTimeStamp <= time,
          !shown.duration.isNumeric || shown.presentationTimeStamp + shown.duration > time
        {
          try handler(next, try converted(image.frame))
        } else {
          try handler(next, try shownFrame(at: time).image)
        }
        next += 1
      }
    }
    var shown: SampleBuffer?
    while next < group.upperBound, let sample = output.copyNextSampleBuffer() {
      try cancellation?.check()
      try give(shown, before: sample.presentationTimeStamp)
      shown = sample
    }
    if let error = reader.error { throw error }
    try give(shown, before: .positiveInfinity)
  }

  func first(in range: TimeRange) throws(MediaError) -> Shown? {
    try read(range) { $0.copyNextSampleBuffer() }
  }

  func last(in range: TimeRange) throws(MediaError) -> Shown? {
    try read(range) { output in
      var last: SampleBuffer?
      while let sample = output.copyNextSampleBuffer() { last = sample }
      return last
    }
  }

  private func read(_ range: TimeRange, _ choose: (AssetReaderTrackOutput) -> SampleBuffer?)
    throws(MediaError) -> Shown?
  {
    let (reader, output) = try started(range, settings: .video())
    defer { reader.cancelReading() }
    if let sample = choose(output), let image = sample.imageBuffer {
      return Shown(try converted(image.frame), sample.presentationTimeStamp)
    }
    if let error = reader.error { throw error }
    return nil
  }

  /// Size of the images according to the track.
  ///
  /// `nil` if the track stores no size.
  ///
  /// A track may also have frames of other sizes.
  public var imageSize: VideoDimensions? {
    var (width, height) = track.naturalSize
    guard width > 0, height > 0 else { return nil }
    if appliesPreferredTrackTransform, track.preferredTransform.orientation.swapsAxes {
      (width, height) = (height, width)
    }
    return reduced(width: width, height: height)
  }

  /// Returns a size scaled down to fit into `maximumSize`.
  private func reduced(width: Double, height: Double) -> VideoDimensions {
    var scale = 1.0
    if maximumSize.width > 0 { scale = min(scale, Double(maximumSize.width) / width) }
    if maximumSize.height > 0 { scale = min(scale, Double(maximumSize.height) / height) }
    func side(_ length: Double) -> Int { Int(min(max(1, (length * scale).rounded()), 32768)) }
    return VideoDimensions(width: side(width), height: side(height))
  }

  private func converted(_ frame: Frame) throws(MediaError) -> PixelBuffer {
    var frame = frame
    if appliesPreferredTrackTransform {
      frame = try FrameRotator(
        from: VideoFormat(frame), orientation: track.preferredTransform.orientation
      ).rotate(frame)
    }
    let aspect = frame.sampleAspect.isPositive ? frame.sampleAspect.doubleValue : 1
    let size = reduced(width: Double(frame.width) * aspect, height: Double(frame.height))
    let isMapped = frame.color.isHighDynamicRange && dynamicRangePolicy == .forceSDR
    let converter = try FrameConverter(
      from: VideoFormat(frame),
      to: VideoFormat(
        pixelFormat: .rgb24, width: size.width, height: size.height,
        color: isMapped
          ? ColorDescription(primaries: H273.Primaries.bt709, transfer: H273.Transfer.bt709)
          : .unspecified))
    var image = try converter.convert(frame)
    image.sampleAspect = Rational(1, 1)
    guard let buffer = PixelBuffer(image) else {
      throw MediaError(.internal, "the decoded frame has no usable pixel format", file: asset.path)
    }
    return buffer
  }
}
