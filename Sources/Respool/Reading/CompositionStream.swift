import RespoolMedia

/// The frames of a video composition, rendered ahead on a thread of its own.
final class CompositionStream: SampleStream {
  private let queue = SampleQueue(limit: 24 << 20)
  let renderer: VideoCompositionRenderer
  private let sources: [TrackStream]

  init(
    _ tracks: [AssetTrack], _ composition: VideoComposition, metadata: [AssetTrack] = [],
    pixelFormat: PixelFormat?, width: Int?, height: Int?, ranges: [TimeRange], threads: Int
  ) throws(MediaError) {
    let described = tracks.map(\.compositionSource)
    let rendered = pixelFormat.flatMap { CompositionTarget.canRender($0) ? $0 : nil }
    renderer = try VideoCompositionRenderer(
      composition, sources: described, pixelFormat: rendered)
    let isConverted = pixelFormat != rendered || width != nil || height != nil
    let conversion =
      isConverted ? PixelBufferConverter(to: pixelFormat, width: width, height: height) : nil
    // Finds unsupported pixel formats and invalid sizes before reading begins.
    if let conversion {
      try conversion.prepare(
        for: try CompositionTarget(
          composition, sources: described, compositor: renderer.customVideoCompositor,
          pixelFormat: rendered
        ).videoFormat)
    }
    var sources: [TrackStream] = []
    var shown: [ShownFrames] = []
    for track in tracks {
      let stream = try TrackStream(
        track, ranges: ranges, settings: .video(), threads: threads, copies: false)
      sources.append(stream)
      shown.append(ShownFrames(track, stream))
    }
    var held: [ShownMetadata] = []
    for track in metadata where renderer.customVideoCompositor != nil {
      let stream = try TrackStream(
        track, ranges: ranges, settings: nil, threads: 1, copies: false)
      sources.append(stream)
      held.append(ShownMetadata(trackID: track.trackID, stream: stream))
    }
    self.sources = sources
    // Reads to the end of the asset, even if only audio is left: the background is shown then. Instructions
    // may end later. A file that does not state its duration must be measured.
    var end = try tracks.first?.asset?.duration() ?? .invalid
    if !end.isNumeric { end = try tracks.first?.asset?.measured().duration() ?? .invalid }
    if !end.isNumeric { end = tracks.map(\.timeRange.end).filter(\.isNumeric).max() ?? .zero }
    let leaders = renderer.composition.configuration.timingTrackIDs.compactMap { id in
      shown.first { $0.trackID == id }
    }
    let walk = CompositionWalk(
      renderer: renderer, tracks: shown, leaders: leaders, metadata: held, ranges: ranges, end: end,
      conversion: conversion, queue: queue)
    try PlainThread(name: "compose") { [queue] in
      do throws(MediaError) {
        try walk.run()
        queue.end()
      } catch { queue.end(error) }
    }.detach()
  }

  func next() throws(MediaError) -> SampleBuffer? { try queue.next() }

  var faults: [SourceFault] { sources.flatMap(\.faults) }

  func abandon() {
    queue.abandon()
    renderer.cancel()
    for source in sources { source.abandon() }
  }

  deinit { abandon() }
}

/// The frame of a track that is shown at a time; the times must increase.
final class ShownFrames {
  let trackID: Int64
  private let track: AssetTrack
  private let stream: TrackStream
  private var current: SampleBuffer?
  private var following: SampleBuffer?
  private var hasEnded = false

  init(_ track: AssetTrack, _ stream: TrackStream) {
    self.track = track
    self.stream = stream
    trackID = track.trackID
  }

  /// Returns the frame at `time`, or `nil` if the track shows nothing then.
  func frame(at time: MediaTime) throws(MediaError) -> SampleBuffer? {
    while !hasEnded {
      if following == nil { following = try stream.next() }
      guard let next = following else {
        hasEnded = true
        break
      }
      guard next.presentationTimeStamp <= time else { break }
      current = next
      following = nil
    }
    guard let clip = track.visibleClip(at: time) else { return nil }
    // A frame that begins before the clip belongs to the clip before.
    if let current, current.presentationTimeStamp + Self.slack >= clip.start { return current }
    // The first frame of a file often comes some milliseconds late. Neither black nor the clip before
    // must be visible until then.
    if let following, following.presentationTimeStamp - time < Self.leastHole { return following }
    return nil
  }

  private static let leastHole = MediaTime(value: 1, timescale: 10)
  /// Tolerance for times that were rounded to different time bases.
  private static let slack = MediaTime(value: 1, timescale: 1000)

  /// Returns the end of the clip that is visible at `time`, or `nil` if the track is empty then.
  func shownUntil(at time: MediaTime) -> MediaTime? { track.visibleClip(at: time)?.end }

  /// `true` if no frame follows the last one that was requested.
  var showsLast: Bool { hasEnded && following == nil }

  /// Returns the time at which the next frame is due if this track sets the timing.
  ///
  /// These are the track's own times, and every `frame` while the track is empty. Returns `nil` if the track
  /// has ended.
  func next(after time: MediaTime, filling frame: MediaTime) throws(MediaError) -> MediaTime? {
    _ = try self.frame(at: time)
    let next = following?.presentationTimeStamp ?? .positiveInfinity
    return track.nextChange(after: time, nextFrame: next, filling: frame)
  }
}

/// Steps through the times of a composition and renders a frame for each.
struct CompositionWalk {
  let renderer: VideoCompositionRenderer
  let tracks: [ShownFrames]
  /// Tracks whose frames set the timing.
  let leaders: [ShownFrames]
  let metadata: [ShownMetadata]
  let ranges: [TimeRange]
  /// End of the asset.
  let end: MediaTime
  /// Conversion to the requested size, and to the requested format if it cannot be rendered in directly.
  let conversion: PixelBufferConverter?
  let queue: SampleQueue

  func run() throws(MediaError) {
    for range in ranges {
      let end = range.end.isNumeric ? min(range.end, end) : end
      if range.start < end { renderer.announce(TimeRange(start: range.start, end: end)) }
      var (time, count) = (range.start, Int64(0))
      while time < end {
        let next = min(end, try following(time, range, &count))
        try render(time, until: next)
        time = next
      }
    }
  }

  /// Returns the time at which the next frame is due.
  private func following(_ time: MediaTime, _ range: TimeRange, _ count: inout Int64)
    throws(MediaError) -> MediaTime
  {
    let composition = renderer.composition
    let frame = composition.frameDuration
    if let leader = leader(at: time), let next = try leader.next(after: time, filling: frame),
      next > time
    {
      // Moving layers go on while the leader shows its last frame to its end.
      return leader.showsLast && renderer.isMoving(from: time, to: next)
        ? min(next, time + frame) : next
    }
    count += 1
    let (value, overflow) = frame.value.multipliedReportingOverflow(by: count)
    guard !overflow else { return .positiveInfinity }
    let next = range.start + MediaTime(value: value, timescale: frame.timescale)
    return next > time ? next : time + frame
  }

  /// Returns the track whose frames set the timing: of the timing tracks that show something, the one that
  /// ends first.
  private func leader(at time: MediaTime) -> ShownFrames? {
    let shown = leaders.compactMap { leader in leader.shownUntil(at: time).map { (leader, $0) } }
    return shown.min { $0.1 < $1.1 }?.0 ?? leaders.first
  }

  private func render(_ time: MediaTime, until end: MediaTime) throws(MediaError) {
    let wanted = renderer.requiredTrackIDs(at: time)
    var frames: [Int64: PixelBuffer] = [:]
    for track in tracks where wanted.contains(track.trackID) {
      frames[track.trackID] = try track.frame(at: time)?.imageBuffer
    }
    let samples = try metadata.samples(at: time, of: renderer.requiredSampleDataTrackIDs(at: time))
    guard var composed = try renderer.render(at: time, frames: frames, samples: samples) else {
      return
    }
    if let conversion { composed = try conversion.convert(composed) }
    try queue.put(SampleBuffer(composed, at: time, duration: end - time))
  }
}
