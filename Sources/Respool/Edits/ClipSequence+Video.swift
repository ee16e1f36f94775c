import RespoolMedia

extension ClipSequence {
  /// Returns the video composition of the sequence; `nil` if no clip has video.
  static func videoComposition(
    _ clips: [Clip], _ composition: MutableComposition, _ crossfade: MediaTime
  ) throws(MediaError) -> VideoComposition? {
    let sources = clips.compactMap { $0.video?.visibleSource }
    guard let first = sources.first else { return nil }
    let result = MutableVideoComposition()
    result.renderSize = first.renderSize
    let rate = sources.map(\.nominalFrameRate).filter(\.isPositive)
      .max { $0.doubleValue < $1.doubleValue }?.reduced
    result.frameDuration =
      rate.map { MediaTime(value: Int64($0.denominator), timescale: $0.numerator) }
      ?? MediaTime(value: 1, timescale: 30)
    // Frames keep the times that they have in their clips, which need not be multiples of a frame duration.
    var lanes: [Int64] = []
    for lane in clips.compactMap({ $0.videoLane?.trackID }) where !lanes.contains(lane) {
      lanes.append(lane)
    }
    result.lead(by: lanes)
    guard result.renderSize.width > 0, result.renderSize.height > 0 else {
      throw MediaError(.malformed, "the first clip states no frame size")
    }
    var instructions: [MutableVideoCompositionInstruction] = []
    for (index, clip) in clips.enumerated() {
      let layer = Layer(clip, result.renderSize)
      let before = index > 0 ? crossfade : .zero
      let after = index < clips.count - 1 ? crossfade : .zero
      let alone = TimeRange(start: clip.range.start + before, end: clip.range.end - after)
      if !alone.isEmpty {
        instructions.append(
          MutableVideoCompositionInstruction(
            timeRange: alone, layerInstructions: try [layer?.shown()].compactMap { $0 }))
      }
      if after > .zero {
        let overlap = TimeRange(start: alone.end, end: clip.range.end)
        instructions.append(
          MutableVideoCompositionInstruction(
            timeRange: overlap,
            layerInstructions: try fade(
              layer, into: Layer(clips[index + 1], result.renderSize), over: overlap)))
      }
    }
    result.instructions = instructions
    return result
  }

  /// Returns a sentence about a clip whose frame size, pixel aspect ratio or rotation differs from the first clip's;
  /// `nil` if there is none.
  static func formatDifference(_ clips: [Clip]) -> String? {
    let shown = clips.compactMap { clip in clip.video.map { ($0, clip.fileName) } }
    guard let (first, name) = shown.first else { return nil }
    func summary(_ track: AssetTrack) -> String {
      let source = track.description
      let rotation = source.displayMatrix == .identity ? "" : ", rotated"
      let aspect = source.sampleAspect.isPositive ? source.sampleAspect : Rational(1, 1)
      return "\(source.width)x\(source.height)"
        + (aspect == Rational(1, 1) ? "" : ", pixel aspect ratio \(aspect)") + rotation
        + (source.cleanAperture.map { ", clean aperture \($0)" } ?? "")
    }
    for (track, other) in shown.dropFirst() {
      let (mine, its) = (summary(first), summary(track))
      if mine != its { return "the video is \(mine) in \(name) and \(its) in \(other)" }
      if track.description.displayMatrix != first.description.displayMatrix {
        return "the rotation in \(other) differs from that in \(name)"
      }
    }
    return nil
  }

  /// A clip as a layer of the frame.
  private struct Layer {
    let trackID: Int64
    private let part: Rectangle?
    private let transform: Transform
    let place: Rectangle

    /// `nil` for a clip without video.
    init?(_ clip: Clip, _ size: VideoDimensions) {
      guard let video = clip.video, let lane = clip.videoLane else { return nil }
      let source = video.visibleSource
      part = video.visiblePart
      trackID = lane.compositionSource.trackID
      transform = source.placement(within: size)
      place = transform.bounds(
        of: Rectangle(x: 0, y: 0, width: source.naturalWidth, height: source.naturalHeight))
    }

    func shown(from start: Double = 1, to end: Double = 1, over range: TimeRange? = nil)
      throws(MediaError) -> VideoCompositionLayerInstruction
    {
      let layer = MutableVideoCompositionLayerInstruction(trackID: trackID)
      try layer.show(part, by: transform)
      if let range {
        try layer.setOpacityRamp(fromStartOpacity: start, toEndOpacity: end, timeRange: range)
      }
      return layer
    }

    func covers(_ other: Layer) -> Bool {
      place.x <= other.place.x && place.y <= other.place.y && place.maxX >= other.place.maxX
        && place.maxY >= other.place.maxY
    }
  }

  /// Returns the layers of a crossfade, the topmost first.
  ///
  /// If the upper layer covers the lower one, which is opaque, the result is exactly the blend of both. That includes
  /// the bars beside a smaller clip.
  private static func fade(_ old: Layer?, into new: Layer?, over range: TimeRange)
    throws(MediaError) -> [VideoCompositionLayerInstruction]
  {
    guard let old, let new else {
      return try [
        old?.shown(from: 1, to: 0, over: range), new?.shown(from: 0, to: 1, over: range),
      ].compactMap { $0 }
    }
    if old.covers(new) { return [try old.shown(from: 1, to: 0, over: range), try new.shown()] }
    if new.covers(old) { return [try new.shown(from: 0, to: 1, over: range), try old.shown()] }
    // One clip has bars at top and bottom, the other at the sides: neither may appear at once.
    return [
      try old.shown(from: 1, to: 0, over: range), try new.shown(from: 0, to: 1, over: range),
    ]
  }
}

extension VideoCompositionSource {
  /// Size of the upright frame with even sides.
  var renderSize: VideoDimensions {
    var source = self
    source.timeRange = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    return VideoComposition(propertiesOf: [source]).renderSize
  }
}
