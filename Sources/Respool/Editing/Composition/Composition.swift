public import RespoolMedia
import Synchronization

/// An asset whose tracks are made of pieces of other assets' tracks.
///
/// The pieces are references: files are opened when the composition is read.
// Sendable: what changes is behind the lock.
public class Composition: Asset, @unchecked Sendable {
  struct State {
    var tracks: [MutableCompositionTrack] = []
    var naturalSize: (width: Double, height: Double)?
    var nextIdentifier: Int64 = 1
    /// What it tells besides its tracks, where it stands for a file.
    var metadata: [MetadataEntry] = []
    var nativeTags: [NativeTag] = []
    var chapters: [MediaDescription.Chapter] = []
  }

  let state = Mutex(State())

  override init() { super.init() }

  /// In the order in which they were added.
  public override func tracks() -> [AssetTrack] { compositionTracks }

  var compositionTracks: [MutableCompositionTrack] { state.withLock { $0.tracks } }

  /// The end of the longest track.
  public override func duration() -> MediaTime {
    compositionTracks.map(\.timeRange.end).max() ?? .zero
  }

  /// The size of the picture; unless it is set, the greatest width and height among the tracks.
  public var naturalSize: (width: Double, height: Double) {
    if let size = state.withLock({ $0.naturalSize }) { return size }
    return compositionTracks.filter { $0.mediaType == .video }.reduce((0, 0)) {
      (max($0.0, $1.naturalSize.width), max($0.1, $1.naturalSize.height))
    }
  }

  /// What it would be as a file.
  public override func mediaDescription() -> MediaDescription {
    let duration = duration().convertScale(1_000_000_000, method: .default)
    let state = state.withLock { $0 }
    var media = MediaDescription(
      format: MediaDescription.editedFormat, tracks: state.tracks.map(\.description),
      metadata: state.metadata,
      chapters: state.chapters, duration: duration.isNumeric ? duration.value : nil)
    media.nativeTags = state.nativeTags
    media.references = state.tracks.enumerated().flatMap { index, track in
      track.associations.map {
        TrackReference(track: index, type: FourCC($0.type.rawValue), trackID: $0.trackID)
      }
    }
    return media
  }
}

/// A composition that can be changed.
public final class MutableComposition: Composition, @unchecked Sendable {
  /// Held by what changes or copies all tracks, so that they stay in step whoever else changes them.
  private let edits = Mutex(())

  public override init() { super.init() }

  /// The tracks, to be changed.
  public var mutableTracks: [MutableCompositionTrack] { compositionTracks }

  /// The size of the picture.
  public override var naturalSize: (width: Double, height: Double) {
    get { super.naturalSize }
    set { state.withLock { $0.naturalSize = newValue } }
  }

  /// A new, empty track; nil for media that cannot be composed.
  ///
  /// Without `preferredTrackID`, and where that is below 1 or another track's, it gets a number that none had.
  public func addMutableTrack(withMediaType type: MediaType, preferredTrackID: Int64? = nil)
    -> MutableCompositionTrack?
  {
    let kind: TrackDescription.Kind
    switch type {
    case .video: kind = .video
    case .audio: kind = .audio
    case .subtitle: kind = .subtitle
    case .metadata: kind = .data
    default: return nil
    }
    return state.withLock { state in
      let free = preferredTrackID.flatMap { wanted in
        wanted > 0 && !state.tracks.contains { $0.trackID == wanted } ? wanted : nil
      }
      let identifier = free ?? state.nextIdentifier
      state.nextIdentifier = max(state.nextIdentifier, identifier &+ 1)
      let track = MutableCompositionTrack(
        composition: self, index: state.tracks.count, kind: kind, identifier: identifier)
      state.tracks.append(track)
      return track
    }
  }

  /// Takes a track out; others refer to it no more.
  public func removeTrack(_ track: CompositionTrack) {
    let (left, isGone) = state.withLock { state in
      let count = state.tracks.count
      state.tracks.removeAll { $0 === track }
      return (state.tracks, state.tracks.count < count)
    }
    guard isGone else { return }
    for other in left { other.removeTrackAssociations(toTrackID: track.trackID) }
  }

  /// A track into which pieces of `track` can be put; nil where there is none.
  public func mutableTrack(compatibleWith track: AssetTrack) -> MutableCompositionTrack? {
    compositionTracks.first { $0.mediaType == track.mediaType }
  }

  /// Puts a range of all of an asset's tracks in at `time`; what is there and later moves back.
  ///
  /// Those are the tracks of pictures, sound, text and timed metadata; covers are none. Tracks are made where
  /// there are too few of a kind; those of which the asset has no counterpart get nothing for that long, so
  /// that all stay in step. Blocks while the asset is opened. Throws as the track's method does, and where the
  /// asset cannot be read; the composition is then as it was.
  public func insertTimeRangeAndWait(_ range: TimeRange, of asset: Asset, at time: MediaTime)
    throws(MediaError)
  {
    try MutableCompositionTrack.check(range)
    try MutableCompositionTrack.check(time)
    let sources = try asset.tracks().filter {
      ([.video, .audio, .subtitle].contains($0.mediaType) || $0.description.isTimedMetadata)
        && !$0.description.disposition.contains(.attachedPicture)
    }
    try edits.withLock { (_) throws(MediaError) in
      let time = time.isNumeric ? time : duration()
      var free = compositionTracks
      for source in sources {
        let target: MutableCompositionTrack
        if let index = free.firstIndex(where: { $0.mediaType == source.mediaType }) {
          target = free.remove(at: index)
        } else if let fresh = addMutableTrack(withMediaType: source.mediaType) {
          target = fresh
        } else {
          continue
        }
        try target.insertTimeRange(range, of: source, at: time)
      }
      for track in free {
        track.insertEmptyTimeRange(TimeRange(start: time, duration: range.duration))
      }
    }
  }

  /// Asynchronous version of ``insertTimeRangeAndWait(_:of:at:)``; does not block a thread of the cooperative pool.
  public func insertTimeRange(_ range: TimeRange, of asset: Asset, at time: MediaTime)
    async throws(MediaError)
  {
    try await PlainThread.result("insert") { () throws(MediaError) in
      try self.insertTimeRangeAndWait(range, of: asset, at: time)
    }
  }

  /// Puts nothing in for a while, in all tracks.
  public func insertEmptyTimeRange(_ range: TimeRange) {
    edits.withLock { _ in for track in compositionTracks { track.insertEmptyTimeRange(range) } }
  }

  /// Takes a range out of all tracks.
  public func removeTimeRange(_ range: TimeRange) {
    edits.withLock { _ in for track in compositionTracks { track.removeTimeRange(range) } }
  }

  /// Plays a range of all tracks slower or faster, so that it takes `duration`.
  public func scaleTimeRange(_ range: TimeRange, toDuration duration: MediaTime) {
    edits.withLock { _ in
      for track in compositionTracks { track.scaleTimeRange(range, toDuration: duration) }
    }
  }

  /// A composition like this one, which does not change when this one does.
  public func copy() -> MutableComposition {
    let copy = MutableComposition()
    copy.state.withLock { [state = state.withLock { $0 }] in
      $0 = state
      $0.tracks = []
    }
    edits.withLock { _ in
      for track in compositionTracks {
        let fresh = copy.addMutableTrack(
          withMediaType: track.mediaType, preferredTrackID: track.trackID)
        fresh?.state.withLock { [state = track.state.withLock { $0 }] in $0 = state }
      }
    }
    return copy
  }
}
