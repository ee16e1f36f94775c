public import RespoolMedia

/// What a reader gives of several picture tracks: the pictures that a video composition makes of them.
public final class AssetReaderVideoCompositionOutput: AssetReaderOutput, @unchecked Sendable {
  public let videoTracks: [AssetTrack]
  /// Nil: planar Y'CbCr of 8 or 10 bits, as the sources need it.
  ///
  /// Such formats are rendered in; pictures are converted to any other, such as BGRA.
  public let pixelFormat: PixelFormat?
  /// Nil: that of the composition's render size times its scale.
  ///
  /// Pictures are rendered at that size and stretched to any other.
  public let width: Int?
  /// As for the width.
  public let height: Int?
  private var composition: VideoComposition?
  private var compositor: (any VideoCompositing)?

  /// Reading fails with `invalidArgument` for a side outside 1 to 32,768.
  public init(
    videoTracks: [AssetTrack], pixelFormat: PixelFormat? = nil, width: Int? = nil,
    height: Int? = nil
  ) {
    self.videoTracks = videoTracks
    self.pixelFormat = pixelFormat
    (self.width, self.height) = (width, height)
    super.init(mediaType: .video)
  }

  /// How the pictures become one; has to be set before reading starts.
  ///
  /// The tracks of metadata that its compositor reads are found in the asset by their numbers.
  ///
  /// Reading fails with `invalidArgument` where it does not say, for every time at which the tracks have
  /// something in the range that is read, what is shown, or shows tracks that the asset does not have.
  public var videoComposition: VideoComposition? {
    get { lock.locked { composition } }
    set { lock.locked { composition = newValue } }
  }

  /// The custom compositor that renders; nil until reading has started, and where there is none.
  public var customVideoCompositor: (any VideoCompositing)? { lock.locked { compositor } }

  override var tracks: [AssetTrack] { videoTracks }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError) -> any SampleSource {
    guard videoTracks.allSatisfy({ $0.mediaType == .video }) else {
      throw MediaError(.invalidArgument, "only pictures can be composed")
    }
    guard let composition = videoComposition else {
      throw MediaError(.invalidArgument, "there is no video composition to read by")
    }
    let asset = reader?.asset ?? videoTracks.first?.asset
    let metadata = try asset.map { asset throws(MediaError) in
      try composition.metadataTracks(in: asset)
    }
    if let asset = reader?.asset {
      for range in ranges { try composition.check(videoTracks, of: asset, in: range) }
    }
    let stream = try CompositionStream(
      videoTracks, composition, metadata: metadata ?? [], pixelFormat: pixelFormat, width: width,
      height: height,
      ranges: ranges, threads: threads)
    lock.locked { compositor = stream.renderer.customVideoCompositor }
    return stream
  }
}

extension AssetTrack {
  /// What a video composition has to know of it.
  public var compositionSource: VideoCompositionSource {
    var source = VideoCompositionSource(
      trackID: trackID, track: description, timeRange: timeRange)
    guard let composed = self as? CompositionTrack else { return source }
    for segment in composed.compositionSegments {
      guard let track = composed.source(of: segment) else { continue }
      let (clip, last) = (track.compositionSource, source.clips.last)
      let before = last.map { ($0.width, $0.height) } ?? (source.naturalWidth, source.naturalHeight)
      guard before != (clip.naturalWidth, clip.naturalHeight) else { continue }
      source.clips.append(
        VideoCompositionSource.Clip(
          start: segment.timeMapping.target.start, width: clip.naturalWidth,
          height: clip.naturalHeight))
    }
    return source
  }
}

extension VideoComposition {
  /// Shows the picture tracks of an asset as it says: upright, the first on top.
  ///
  /// Throws where the asset cannot be read.
  public convenience init(propertiesOf asset: Asset) throws(MediaError) {
    self.init(propertiesOf: try asset.compositionSources())
  }

  /// Makes what `init(propertiesOf:)` does; the task waits, no thread of Swift's does.
  ///
  /// Every instruction is like `prototypeInstruction` but for its time range and its layers. Of
  /// ``MutableVideoComposition`` it makes one that can be changed. Throws where the asset cannot be read.
  public static func videoComposition(
    withPropertiesOf asset: Asset, prototypeInstruction: VideoCompositionInstruction? = nil
  ) async throws(MediaError) -> Self {
    Self(
      configuration: try await Configuration(
        for: asset, prototypeInstruction: prototypeInstruction))
  }
}

extension VideoComposition.Configuration {
  /// Shows the picture tracks of an asset as the file says, as `VideoComposition(propertiesOf:)` does.
  ///
  /// Every instruction is like `prototypeInstruction` but for its time range and its layers. The task
  /// waits, no thread of Swift's does. Throws where the asset cannot be read.
  public init(for asset: Asset, prototypeInstruction: VideoCompositionInstruction? = nil)
    async throws(MediaError)
  {
    let sources = try await PlainThread.result("composition") { () throws(MediaError) in
      try asset.compositionSources()
    }
    self.init(propertiesOf: sources, prototype: prototypeInstruction)
  }
}

extension Asset {
  /// The picture tracks that a composition of it shows; blocks.
  fileprivate func compositionSources() throws(MediaError) -> [VideoCompositionSource] {
    try tracks(withMediaType: .video).filter {
      !$0.description.disposition.contains(.attachedPicture)
    }.map(\.compositionSource)
  }
}
