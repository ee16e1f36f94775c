public import RespoolMedia
import Synchronization

/// Media with tracks on one time line: a file or a composition.
///
/// A file is opened at the first question about it. Methods block if they have to read; `load` returns the same
/// values without blocking.
// Sendable: every stored property is constant and Sendable, here and in subclasses. Unchecked, because the compiler
// checks only classes without a superclass and subclasses.
public class Asset: @unchecked Sendable {
  /// Path of the file.
  ///
  /// `nil` for a composition.
  public let path: String?
  /// `true` if the asset is a file; ``Composition`` overrides it.
  var isFile: Bool { true }
  /// Size in bytes; `nil` if the asset is not a file that can be opened.
  var fileSize: Int64? { path.flatMap { try? FileSource(path: $0).size } }
  /// The files that the asset is made of, each once.
  var sources: [Asset] { [self] }
  /// `true` if times and durations are measured from the media and not taken from a header.
  ///
  /// This is so for compositions, and for files opened with `prefersPreciseDurationAndTiming`.
  public let providesPreciseDurationAndTiming: Bool
  private let registry: PluginRegistry?
  private let descriptionCache = Mutex<Result<MediaDescription, MediaError>?>(nil)
  /// The tracks that are in use, by index.
  ///
  /// Weak, because a track holds its asset.
  private let tracksInUse = Mutex<[Int: WeakTrack]>([:])
  /// Loaded values.
  ///
  /// `nil` if the values can change, so that each load computes them again.
  let propertyCache: LoadedProperties?
  /// The sample index of each track that needed one, by track index.
  let sampleIndexes = Mutex<[Int: SampleIndex]>([:])

  /// Creates an asset for a file without opening it; errors are thrown by the first method that reads.
  ///
  /// The header of a file may have no duration, or one that was written before the file was complete. With
  /// `prefersPreciseDurationAndTiming` the first question reads all packets and measures durations. For formats
  /// without sample tables that takes as long as reading the whole file.
  public init(
    path: String, registry: PluginRegistry = .standard,
    prefersPreciseDurationAndTiming: Bool = false
  ) {
    self.path = path
    self.registry = registry
    self.providesPreciseDurationAndTiming = prefersPreciseDurationAndTiming
    propertyCache = LoadedProperties()
  }

  /// Returns an asset of the same file with `prefersPreciseDurationAndTiming`.
  ///
  /// Each call creates an asset, which reads the file again. Returns the asset itself if its times are precise already.
  func measured() -> Asset {
    guard let path, let registry, !providesPreciseDurationAndTiming else { return self }
    return Asset(path: path, registry: registry, prefersPreciseDurationAndTiming: true)
  }

  /// Creates an asset that is not a file; for subclasses that override the methods below.
  init() {
    path = nil
    registry = nil
    providesPreciseDurationAndTiming = true
    propertyCache = nil
  }

  /// Returns the description of the media: its tracks, times and metadata.
  ///
  /// Throws `io` if the file cannot be opened, `unsupported` if no plugin reads it, `malformed` if it is damaged.
  public func mediaDescription() throws(MediaError) -> MediaDescription {
    // Compositions override this method.
    guard let path, let registry else { return MediaDescription(format: "") }
    let result = descriptionCache.withLock { cached in
      if let cached { return cached }
      let fresh: Result<MediaDescription, MediaError>
      do throws(MediaError) {
        let demuxer = try registry.openDemuxer(try FileSource(path: path))
        let measures = providesPreciseDurationAndTiming
        fresh = .success(measures ? try demuxer.measuredMedia() : demuxer.media)
      } catch { fresh = .failure(error.inFile(path)) }
      cached = fresh
      return fresh
    }
    return try result.get()
  }

  /// Returns the tracks in file order; the same objects as long as they are in use.
  public func tracks() throws(MediaError) -> [AssetTrack] {
    let tracks = try mediaDescription().tracks
    return tracksInUse.withLock { tracksInUse in
      tracks.enumerated().map { index, description in
        if let track = tracksInUse[index]?.track { return track }
        let track = AssetTrack(asset: self, index: index, description)
        tracksInUse[index] = WeakTrack(track: track)
        return track
      }
    }
  }

  /// Returns `true` if a track is one of the asset's tracks.
  func contains(_ track: AssetTrack) -> Bool { track.asset === self }

  private struct WeakTrack: Sendable { weak let track: AssetTrack? }

  /// Returns the length of the asset's time line: no track ends later.
  ///
  /// Indefinite if the file does not store it.
  ///
  /// In units of the time base of the track that ends last, so that times add up exactly; otherwise a fraction of a
  /// second in lowest terms.
  public func duration() throws(MediaError) -> MediaTime {
    let media = try mediaDescription()
    guard let nanoseconds = media.duration else { return .indefinite }
    let last = media.tracks.compactMap(\.presentationEnd).map { MediaTime($0.ticks, $0.timeBase) }
      .filter(\.isNumeric).max()
    // The duration in nanoseconds may be rounded up.
    if let last, let end = last.ticks(.nanoseconds),
      nanoseconds <= end || nanoseconds - end <= 1
    {
      return last
    }
    let second: Int64 = 1_000_000_000
    let divisor = second.greatestCommonDivisor(max(0, nanoseconds))
    return MediaTime(
      value: nanoseconds / divisor, timescale: Int32(truncatingIfNeeded: second / divisor))
  }

  /// Registry that opens the file and its decoders.
  ///
  /// `nil` for a composition, whose source files have their own.
  package var fileRegistry: PluginRegistry? { registry }
}

extension Asset {
  /// Returns the tracks of a media type, without covers: these are metadata (`commonKeyArtwork`).
  public func tracks(withMediaType type: MediaType) throws(MediaError) -> [AssetTrack] {
    try tracksWithoutCovers().filter { $0.mediaType == type }
  }

  /// Returns the tracks that have a characteristic, without covers: these are metadata (`commonKeyArtwork`).
  ///
  /// AVFoundation has no tracks for covers either.
  public func tracks(withMediaCharacteristic characteristic: MediaCharacteristic)
    throws(MediaError) -> [AssetTrack]
  {
    try tracksWithoutCovers().filter { $0.hasMediaCharacteristic(characteristic) }
  }

  private func tracksWithoutCovers() throws(MediaError) -> [AssetTrack] {
    try tracks().filter { !$0.description.disposition.contains(.attachedPicture) }
  }

  /// Returns the track with the file's own number for it, or `nil`.
  public func track(withTrackID identifier: Int64) throws(MediaError) -> AssetTrack? {
    try tracks().first { $0.trackID == identifier }
  }

  public func chapters() throws(MediaError) -> [MediaDescription.Chapter] {
    try mediaDescription().chapters
  }

  /// Returns the groups of tracks of which only one is meant to be played at a time.
  ///
  /// Files do not store which tracks are alternatives. Several audio tracks form a group, and so do several subtitle
  /// tracks.
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
// Sendable: adds no state to its superclass.
public final class URLAsset: Asset, @unchecked Sendable {}
