public import RespoolMedia
import Synchronization

/// The composed frames of several video tracks, as a reader's output.
// Sendable: every stored property is constant and Sendable.
public final class AssetReaderVideoCompositionOutput: AssetReaderOutput, @unchecked Sendable {
  public let videoTracks: [AssetTrack]
  /// Pixel format of the frames.
  ///
  /// `nil`: planar Y'CbCr of 8 or 10 bits, as the sources need it. Rendering uses such formats; frames are
  /// converted to any other format, such as BGRA.
  public let pixelFormat: PixelFormat?
  /// Width of the frames in pixels.
  ///
  /// Frames are rendered at the composition's render size times its scale and stretched to any other size.
  /// `nil`: the rendered size.
  public let width: Int?
  /// Height of the frames in pixels; otherwise as `width`.
  public let height: Int?
  private let composition = Mutex<VideoComposition?>(nil)
  private let compositor = Mutex<(any VideoCompositing)?>(nil)

  /// Creates an output; reading fails with `invalidArgument` if a side is not in 1 to 32,768.
  public init(
    videoTracks: [AssetTrack], pixelFormat: PixelFormat? = nil, width: Int? = nil,
    height: Int? = nil
  ) {
    self.videoTracks = videoTracks
    self.pixelFormat = pixelFormat
    (self.width, self.height) = (width, height)
    super.init(mediaType: .video)
  }

  /// The composition that renders the frames; it must be set before reading starts.
  ///
  /// The metadata tracks that its compositor reads are found in the asset by their track IDs.
  ///
  /// Reading fails with `invalidArgument` if its instructions do not cover every time of the range at which
  /// the tracks have media, or use tracks that the asset does not have.
  public var videoComposition: VideoComposition? {
    get { composition.withLock { $0 } }
    set { composition.withLock { $0 = newValue } }
  }

  /// The custom compositor that renders.
  ///
  /// `nil` until reading has started, and if the composition has no custom compositor.
  public var customVideoCompositor: (any VideoCompositing)? { compositor.withLock { $0 } }

  override var tracks: [AssetTrack] { videoTracks }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError)
    -> sending any SampleSource
  {
    guard videoTracks.allSatisfy({ $0.mediaType == .video }) else {
      throw MediaError(.invalidArgument, "only video tracks can be composed")
    }
    guard let composition = videoComposition else {
      throw MediaError(.invalidArgument, "no video composition is set")
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
    compositor.withLock { $0 = stream.renderer.customVideoCompositor }
    return stream
  }
}

extension AssetTrack {
  /// Properties of the track that a video composition needs.
  public var compositionSource: VideoCompositionSource {
    var source = VideoCompositionSource(
      trackID: trackID, track: description, timeRange: timeRange)
    for shown in clips(in: AssetReader.everything) {
      // A file's track has no target, and one size.
      guard let target = shown.target else { continue }
      let (clip, last) = (shown.track.compositionSource, source.clips.last)
      let before = last.map { ($0.width, $0.height) } ?? (source.naturalWidth, source.naturalHeight)
      guard before != (clip.naturalWidth, clip.naturalHeight) else { continue }
      source.clips.append(
        VideoCompositionSource.Clip(
          start: target.start, width: clip.naturalWidth,
          height: clip.naturalHeight))
    }
    return source
  }
}

extension VideoComposition {
  /// Creates a composition that shows the video tracks of an asset upright, the first on top.
  ///
  /// Throws if the asset cannot be read.
  public convenience init(propertiesOf asset: Asset) throws(MediaError) {
    self.init(propertiesOf: try asset.compositionSources())
  }

  /// Returns the composition that `init(propertiesOf:)` creates.
  ///
  /// Does not block a thread of the cooperative pool. Every instruction is like `prototypeInstruction` except
  /// for its time range and its layers. Called on ``MutableVideoComposition``, it returns a mutable
  /// composition. Throws if the asset cannot be read.
  public static func videoComposition(
    withPropertiesOf asset: Asset, prototypeInstruction: VideoCompositionInstruction? = nil
  ) async throws(MediaError) -> Self {
    Self(
      configuration: try await Configuration(
        for: asset, prototypeInstruction: prototypeInstruction))
  }
}

extension VideoComposition.Configuration {
  /// Creates a configuration that shows the video tracks of an asset, as `VideoComposition(propertiesOf:)`
  /// does.
  ///
  /// Every instruction is like `prototypeInstruction` except for its time range and its layers. Does not
  /// block a thread of the cooperative pool. Throws if the asset cannot be read.
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
  /// Returns the video tracks that a composition of the asset shows; blocks.
  fileprivate func compositionSources() throws(MediaError) -> [VideoCompositionSource] {
    try tracks(withMediaType: .video).filter {
      !$0.description.disposition.contains(.attachedPicture)
    }.map(\.compositionSource)
  }
}
