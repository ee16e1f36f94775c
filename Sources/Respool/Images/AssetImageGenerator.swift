public import RespoolMedia
import Synchronization

/// Single pictures of an asset's first moving picture, as AVAssetImageGenerator makes them.
///
/// Each is found by seeking: no more is decoded than from the place before from which that can begin.
public struct AssetImageGenerator: Sendable {
  public let asset: Asset
  /// Whether pictures stand upright as the track says; false unless set.
  public var appliesPreferredTrackTransform = false
  /// A box that pictures are reduced to fit into, never enlarged; a side of zero is not limited.
  public var maximumSize = VideoDimensions.zero

  /// How much earlier than asked for a picture may be that is taken where none is shown; infinite unless set.
  ///
  /// A picture that is shown at the time is always taken, however early it began.
  public var requestedTimeToleranceBefore = MediaTime.positiveInfinity
  /// How much later it may be, where there is none before; infinite unless set.
  public var requestedTimeToleranceAfter = MediaTime.positiveInfinity

  /// What becomes of pictures of high dynamic range (PQ, HLG).
  public enum DynamicRangePolicy: Hashable, Sendable, CaseIterable {
    /// Their tones are mapped to BT.709.
    case forceSDR
    /// They keep their codes and are marked with their colour.
    case matchSource
  }

  /// Whether pictures of high dynamic range are mapped to standard range, as they are unless set.
  public var dynamicRangePolicy = DynamicRangePolicy.forceSDR

  let track: AssetTrack

  /// Throws what reading the asset throws, and `invalidArgument` where it has no moving picture.
  public init(asset: Asset) throws(MediaError) {
    self.asset = asset
    guard let track = try asset.tracks().first(where: { $0.description.isMovingPicture }) else {
      throw MediaError(.invalidArgument, "there is no moving picture in it", file: asset.path)
    }
    self.track = track
  }

  /// From the first picture to the end of the last; as long as the asset where the track does not say.
  ///
  /// Throws `unsupported` where that is not known either.
  public func timeRange() throws(MediaError) -> TimeRange {
    let known = try track.shownRange()
    if known.isValid, known.start.isNumeric, known.duration.isNumeric, !known.isEmpty {
      return known
    }
    let whole = try asset.duration()
    guard whole.isNumeric, whole > .zero else {
      throw MediaError(.unsupported, "it does not say how long it is", file: asset.path)
    }
    return TimeRange(start: .zero, end: whole)
  }

  /// Makes a picture for each time, on `threads` threads, and hands it to `handler` with the time's number.
  ///
  /// Times that follow each other and are decoded from the same place share the decoding. `handler` is
  /// called on these threads, several at once, in any order. The first error ends it, and so does
  /// `cancellation`, which another thread may use: it throws `cancelled` then.
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

  /// What the threads have in common.
  private final class Shared: Sendable {
    private let state = Mutex<(next: Int, failure: MediaError?)>((0, nil))

    var failure: MediaError? { state.withLock { $0.failure } }

    /// The number of the next picture; nil where there is none to be made.
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
  /// The time of the first packet that is decoded for a picture; nil where there is none.
  private func decodingBegin(for time: MediaTime) throws(MediaError) -> MediaTime? {
    guard time.isNumeric else { return nil }
    return try stored(at: time) { $0.copyNextSampleBuffer()?.presentationTimeStamp }
  }

  /// Makes pictures for times that grow, decoding once.
  private func images(
    at times: [MediaTime], _ group: Range<Int>, _ cancellation: ReadCancellation?,
    _ handler: (Int, PixelBuffer) throws(MediaError) -> Void
  ) throws(MediaError) {
    try cancellation?.check()
    guard group.count > 1, let last = group.last else {
      for index in group { try handler(index, try shownPicture(at: times[index]).image) }
      return
    }
    let reader = try AssetReader(asset: asset)
    reader.timeRange = TimeRange(
      start: times[group.lowerBound], end: times[last] + MediaTime(value: 1, timescale: 1000))
    let output = AssetReaderTrackOutput(track: track, settings: .video())
    output.alwaysCopiesSampleData = false
    try reader.add(output)
    reader.startReading()
    defer { reader.cancelReading() }
    var next = group.lowerBound
    /// Gives `shown` for the times up to `end`; where it is over by then, what is near is looked for.
    func give(_ shown: SampleBuffer?, before end: MediaTime) throws(MediaError) {
      while next < group.upperBound, times[next] < end {
        let time = times[next]
        if let shown, let picture = shown.imageBuffer, shown.presentationTimeStamp <= time,
          !shown.duration.isNumeric || shown.presentationTimeStamp + shown.duration > time
        {
          try handler(next, try converted(picture.frame))
        } else {
          try handler(next, try shownPicture(at: time).image)
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
    let reader = try AssetReader(asset: asset)
    reader.timeRange = range
    let output = AssetReaderTrackOutput(track: track, settings: .video())
    output.alwaysCopiesSampleData = false
    try reader.add(output)
    reader.startReading()
    defer { reader.cancelReading() }
    if let sample = choose(output), let image = sample.imageBuffer {
      return Shown(try converted(image.frame), sample.presentationTimeStamp)
    }
    if let error = reader.error { throw error }
    return nil
  }

  /// How large pictures are, by what the track says of them; nil where it says nothing.
  ///
  /// A track may have pictures of other sizes besides.
  public var pictureSize: VideoDimensions? {
    var (width, height) = track.naturalSize
    guard width > 0, height > 0 else { return nil }
    if appliesPreferredTrackTransform, track.preferredTransform.orientation.swapsAxes {
      (width, height) = (height, width)
    }
    return reduced(width: width, height: height)
  }

  /// A size made to fit into `maximumSize`.
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
      frame = try PictureRotator(
        from: PictureShape(frame), orientation: track.preferredTransform.orientation
      ).rotate(frame)
    }
    let aspect = frame.sampleAspect.isPositive ? frame.sampleAspect.doubleValue : 1
    let size = reduced(width: Double(frame.width) * aspect, height: Double(frame.height))
    let isMapped = frame.color.isHighDynamicRange && dynamicRangePolicy == .forceSDR
    let converter = try PictureConverter(
      from: PictureShape(frame),
      to: PictureShape(
        pixelFormat: .rgb24, width: size.width, height: size.height,
        color: isMapped ? ColorDescription(primaries: 1, transfer: 1) : .unspecified))
    var image = try converter.convert(frame)
    image.sampleAspect = Rational(1, 1)
    guard let buffer = PixelBuffer(image) else {
      throw MediaError(.internal, "a decoded picture is none", file: asset.path)
    }
    return buffer
  }
}
