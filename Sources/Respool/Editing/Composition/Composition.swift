public import RespoolMedia
import Synchronization

/// An asset whose tracks are made of segments of other assets' tracks.
///
/// The segments are references: files are opened when the composition is read.
// Sendable: every stored property is constant and Sendable.
public class Composition: Asset, @unchecked Sendable {
  struct State {
    var tracks: [MutableCompositionTrack] = []
    var naturalSize: (width: Double, height: Double)?
    var nextIdentifier: Int64 = 1
    /// Metadata of the whole file, if the composition stands for a file.
    var metadata: [MetadataEntry] = []
    var nativeTags: [NativeTag] = []
    var chapters: [MediaDescription.Chapter] = []
    /// `true` if a source has its chapters in a text track too, as Apple's players need.
    var hasChapterTrack = false
  }

  let state = Mutex(State())

  override init() { super.init() }

  override var isFile: Bool { false }

  override var sources: [Asset] {
    var seen: Set<ObjectIdentifier> = []
    return compositionTracks.flatMap(\.sources).compactMap(\.asset)
      .filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// Returns the tracks in the order in which they were added.
  public override func tracks() -> [AssetTrack] { compositionTracks }

  var compositionTracks: [MutableCompositionTrack] { state.withLock { $0.tracks } }

  override func contains(_ track: AssetTrack) -> Bool {
    compositionTracks.contains { $0 === track }
  }

  /// Returns the end of the longest track.
  public override func duration() -> MediaTime {
    compositionTracks.map(\.timeRange.end).max() ?? .zero
  }

  /// The frame size.
  ///
  /// Default: the greatest width and the greatest height among the video tracks.
  public var naturalSize: (width: Double, height: Double) {
    if let size = state.withLock({ $0.naturalSize }) { return size }
    return compositionTracks.filter { $0.mediaType == .video }.reduce((0, 0)) {
      (max($0.0, $1.naturalSize.width), max($0.1, $1.naturalSize.height))
    }
  }

  /// Returns the description that the composition would have as a file.
  public override func mediaDescription() -> MediaDescription {
    let duration = duration().convertScale(1_000_000_000, method: .default)
    let state = state.withLock { $0 }
    var media = MediaDescription(
      format: MediaDescription.editedFormat, tracks: state.tracks.map(\.description),
      metadata: state.metadata,
      chapters: state.chapters, duration: duration.isNumeric ? duration.value : nil)
    media.nativeTags = state.nativeTags
    if state.hasChapterTrack { media.sideData = [SideData(.chapterTrack, [1])] }
    media.references = state.tracks.enumerated().flatMap { index, track in
      track.associations.map {
        TrackReference(track: index, type: FourCC($0.type.rawValue), trackID: $0.trackID)
      }
    }
    return media
  }
}

/// A composition that can be changed.
// Sendable: every stored property is constant and Sendable.
public final class MutableComposition: Composition, @unchecked Sendable {
  /// Lock for changing or copying all tracks, so that they stay in step when several threads edit.
  private let edits = Mutex(())

  public override init() { super.init() }

  /// The tracks, for editing.
  public var mutableTracks: [MutableCompositionTrack] { compositionTracks }

  /// The frame size.
  public override var naturalSize: (width: Double, height: Double) {
    get { super.naturalSize }
    set { state.withLock { $0.naturalSize = newValue } }
  }

  /// Adds an empty track and returns it.
  ///
  /// `nil` for a media type that cannot be composed. If `preferredTrackID` is `nil`, below 1 or in use, the track
  /// gets an identifier that has not been used before.
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

  /// Removes a track and the associations of other tracks with it.
  public func removeTrack(_ track: CompositionTrack) {
    let (left, isGone) = state.withLock { state in
      let count = state.tracks.count
      state.tracks.removeAll { $0 === track }
      return (state.tracks, state.tracks.count < count)
    }
    guard isGone else { return }
    for other in left { other.removeTrackAssociations(toTrackID: track.trackID) }
  }

  /// Returns a track into which segments of `track` can be inserted.
  ///
  /// `nil` if there is no such track.
  public func mutableTrack(compatibleWith track: AssetTrack) -> MutableCompositionTrack? {
    compositionTracks.first { $0.mediaType == track.mediaType }
  }

  /// Inserts a range of all of an asset's tracks at `time`; segments after `time` move later.
  ///
  /// Inserts video, audio, text and timed metadata tracks, but no covers. Adds tracks if there are too few of a
  /// media type. Tracks without a counterpart in the asset get an empty segment, so that all stay in step. Blocks
  /// while the asset is opened. Throws as the track's method does, and if the asset cannot be read; the
  /// composition is then unchanged.
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

  /// Inserts an empty segment into all tracks.
  public func insertEmptyTimeRange(_ range: TimeRange) {
    edits.withLock { _ in for track in compositionTracks { track.insertEmptyTimeRange(range) } }
  }

  /// Removes a range from all tracks.
  public func removeTimeRange(_ range: TimeRange) {
    edits.withLock { _ in for track in compositionTracks { track.removeTimeRange(range) } }
  }

  /// Changes the speed of a range of all tracks, so that it lasts `duration`.
  public func scaleTimeRange(_ range: TimeRange, toDuration duration: MediaTime) {
    edits.withLock { _ in
      for track in compositionTracks { track.scaleTimeRange(range, toDuration: duration) }
    }
  }

  /// Returns a copy that does not change when this composition does.
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
