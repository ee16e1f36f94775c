public import RespoolMedia
import Synchronization

/// Media with tracks on one time line: a file, opened when something about it is first asked, or a
/// composition.
///
/// Methods block where they have to read; `load` does the same for code that must not block.
// Sendable: what is loaded is behind a lock, and subclasses keep what changes behind theirs.
public class Asset: @unchecked Sendable {
  /// Of the file; nil for a composition.
  public let path: String?
  /// Whether durations are found by going through the whole file, where its header could be wrong or silent.
  let measures: Bool
  private let registry: PluginRegistry?
  private let loaded = Mutex<Result<MediaDescription, MediaError>?>(nil)
  /// The tracks that somebody holds, by their places; they hold the asset.
  private let known = Mutex<[Int: WeakTrack]>([:])
  let properties = LoadedProperties()
  /// Where the samples of tracks lie, by their places among the tracks.
  let sampleIndexes = Mutex<[Int: SampleIndex]>([:])

  /// Never fails; what is wrong with the file comes with the first question.
  ///
  /// Files may not say how long they last, or say it of what was there when they were begun. With
  /// `prefersPreciseDurationAndTiming` the first question goes through all packets, and durations are those of
  /// what is there; for formats without tables that takes as long as reading the file.
  public init(
    path: String, registry: PluginRegistry = .standard,
    prefersPreciseDurationAndTiming: Bool = false
  ) {
    self.path = path
    self.registry = registry
    measures = prefersPreciseDurationAndTiming
  }

  /// The file with `prefersPreciseDurationAndTiming`; itself where it is none.
  var measured: Asset {
    guard let path, let registry, !measures else { return self }
    return Asset(path: path, registry: registry, prefersPreciseDurationAndTiming: true)
  }

  /// For an asset that is no file and overrides what follows.
  init() {
    path = nil
    registry = nil
    measures = false
  }

  /// What is in it.
  ///
  /// Throws `io` where the file cannot be opened, `unsupported` where no plugin reads it, `malformed`
  /// where it is broken.
  public func mediaDescription() throws(MediaError) -> MediaDescription {
    guard let path, let registry else { return MediaDescription(format: "") }
    let result = loaded.withLock { cached in
      if let cached { return cached }
      let fresh: Result<MediaDescription, MediaError>
      do throws(MediaError) {
        let demuxer = try registry.openDemuxer(try FileSource(path: path))
        fresh = .success(measures ? try demuxer.measuredMedia() : demuxer.media)
      } catch { fresh = .failure(error.inFile(path)) }
      cached = fresh
      return fresh
    }
    return try result.get()
  }

  /// The tracks in the order of the file; the same objects as long as somebody holds them.
  public func tracks() throws(MediaError) -> [AssetTrack] {
    let tracks = try mediaDescription().tracks
    return known.withLock { known in
      tracks.enumerated().map { index, description in
        if let track = known[index]?.track { return track }
        let track = AssetTrack(asset: self, index: index, description)
        known[index] = WeakTrack(track: track)
        return track
      }
    }
  }

  private struct WeakTrack: Sendable { weak let track: AssetTrack? }

  /// Length of the asset's time line: no track ends later.
  ///
  /// Indefinite if the file does not say.
  ///
  /// In units of the track that ends last, so that times add up exactly; otherwise a fraction of a
  /// second in lowest terms.
  public func duration() throws(MediaError) -> MediaTime {
    let media = try mediaDescription()
    guard let nanoseconds = media.duration else { return .indefinite }
    let last = media.tracks.compactMap(\.presentationEnd).map { MediaTime($0.ticks, $0.timeBase) }
      .filter(\.isNumeric).max()
    if let last, let end = last.ticks(Rational(1, 1_000_000_000)),
      nanoseconds <= end || nanoseconds - end <= 1
    {
      return last
    }
    var (divisor, rest) = (Int64(1_000_000_000), max(0, nanoseconds))
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    return MediaTime(
      value: nanoseconds / divisor, timescale: Int32(truncatingIfNeeded: 1_000_000_000 / divisor))
  }

  /// What opens the file and its decoders; nil for a composition, whose parts have their own.
  package var fileRegistry: PluginRegistry? { registry }
}

extension Asset {
  /// The tracks of a kind, without covers: these are metadata (`commonKeyArtwork`).
  public func tracks(withMediaType type: MediaType) throws(MediaError) -> [AssetTrack] {
    try tracks().filter {
      $0.mediaType == type && !$0.description.disposition.contains(.attachedPicture)
    }
  }

  /// The tracks that have a characteristic.
  public func tracks(withMediaCharacteristic characteristic: MediaCharacteristic)
    throws(MediaError) -> [AssetTrack]
  {
    try tracks().filter { $0.hasMediaCharacteristic(characteristic) }
  }

  /// The track with the file's own number, or nil.
  public func track(withTrackID identifier: Int64) throws(MediaError) -> AssetTrack? {
    try tracks().first { $0.trackID == identifier }
  }

  public func chapters() throws(MediaError) -> [MediaDescription.Chapter] {
    try mediaDescription().chapters
  }

  /// The tracks of each kind of which only one is meant to be played at a time.
  ///
  /// Files do not say which tracks are alternatives; sound and subtitles in several languages are.
  public func trackGroups() throws(MediaError) -> [TrackGroup] {
    let tracks = try tracks()
    return [MediaType.audio, .subtitle].compactMap { type in
      let alternatives = tracks.filter { $0.mediaType == type }
      return alternatives.count > 1 ? TrackGroup(trackIDs: alternatives.map(\.trackID)) : nil
    }
  }
}

/// Tracks of which one is to be played at a time.
public struct TrackGroup: Hashable, Sendable {
  public var trackIDs: [Int64]
  public init(trackIDs: [Int64]) { self.trackIDs = trackIDs }
}

/// An asset that is a file.
public final class URLAsset: Asset, @unchecked Sendable {}
