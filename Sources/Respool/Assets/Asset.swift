public import RespoolMedia
import Synchronization

/// A file of media, opened when something about it is first asked.
public final class Asset: Sendable {
  public let path: String
  let registry: PluginRegistry
  private let loaded = Mutex<Result<MediaDescription, MediaError>?>(nil)

  /// Never fails; what is wrong with the file comes with the first question.
  public init(path: String, registry: PluginRegistry) {
    self.path = path
    self.registry = registry
  }

  /// What is in the file; blocks while it is opened for the first time.
  public func load() throws(MediaError) -> MediaDescription {
    let result = loaded.withLock { cached in
      if let cached { return cached }
      let fresh: Result<MediaDescription, MediaError>
      do throws(MediaError) {
        fresh = .success(try registry.openDemuxer(try FileSource(path: path)).media)
      } catch { fresh = .failure(error.inFile(path)) }
      cached = fresh
      return fresh
    }
    return try result.get()
  }

  /// The tracks in the order of the file.
  public func tracks() throws(MediaError) -> [AssetTrack] {
    try load().tracks.enumerated().map { AssetTrack(asset: self, index: $0.offset, $0.element) }
  }

  public func tracks(withMediaType type: MediaType) throws(MediaError) -> [AssetTrack] {
    try tracks().filter { $0.mediaType == type }
  }

  /// Indefinite where the file does not say.
  public func duration() throws(MediaError) -> MediaTime {
    guard let nanoseconds = try load().duration else { return .indefinite }
    return MediaTime(value: nanoseconds, timescale: 1_000_000_000)
  }

  public func metadata() throws(MediaError) -> [MetadataEntry] { try load().metadata }
}

/// One track of an asset.
public final class AssetTrack: Sendable {
  public let asset: Asset
  /// Its place in the file, from 0.
  public let index: Int
  public let formatDescription: FormatDescription

  init(asset: Asset, index: Int, _ track: TrackDescription) {
    self.asset = asset
    self.index = index
    formatDescription = FormatDescription(track)
  }

  var description: TrackDescription { formatDescription.track }

  /// The file's own number for the track.
  public var trackID: Int64 { description.id }
  public var mediaType: MediaType { formatDescription.mediaType }
  public var languageCode: String? { description.language }
  /// The picture's size with square pixels, before the preferred transform; zero for sound.
  public var naturalSize: (width: Double, height: Double) {
    let aspect = description.sampleAspect
    let stretch = aspect.isPositive ? aspect.doubleValue : 1
    return (Double(description.width) * stretch, Double(description.height))
  }
  /// How the picture is to be turned; not applied to decoded pictures.
  public var preferredTransform: DisplayMatrix { description.displayMatrix }
  /// 0 where not known.
  public var nominalFrameRate: Double { description.frameRate.doubleValue }
  /// Bits a second; 0 where not known.
  public var estimatedDataRate: Int64 { description.bitRate }
  /// What of the movie's time line the track takes up; invalid where the file does not say.
  public var timeRange: TimeRange {
    TimeRange(
      start: MediaTime(description.start ?? 0, description.timeBase),
      duration: MediaTime(description.duration, description.timeBase))
  }
}
