import RespoolMedia
import Synchronization

/// A track that is made of segments of other assets' tracks.
// Sendable: the lock protects all mutable state.
public class CompositionTrack: AssetTrack, @unchecked Sendable {
  struct State {
    var list = SegmentList()
    var transform: DisplayMatrix?
    var language: String?
    var timeScale: Int32?
    var isEnabled = true
    var volume: Float = 1
    var associations: [Association] = []
    var replacements: [CompositionTrackFormatDescriptionReplacement] = []
  }

  let state = Mutex(State())
  private let kind: TrackDescription.Kind
  private let identifier: Int64

  init(composition: Composition, index: Int, kind: TrackDescription.Kind, identifier: Int64) {
    self.kind = kind
    self.identifier = identifier
    super.init(
      composition: composition, index: index,
      TrackDescription(kind: kind, codec: "", timeBase: Rational(1, 600)))
  }

  override var isOfFile: Bool { false }

  override var sources: [AssetTrack] { compositionSegments.compactMap(\.sourceTrack) }

  override func pieces(in range: TimeRange) -> [TrackRange] {
    compositionSegments.compactMap { segment in
      let part = segment.target.intersection(range)
      guard !part.isEmpty else { return nil }
      let cut = segment.cut(to: part)
      guard let track = source(of: cut) else { return nil }
      return TrackRange(track: track, source: cut.timeMapping.source, target: part)
    }
  }

  override var references: [(type: TrackAssociationType, trackID: Int64)] {
    associations.map { ($0.type, $0.trackID) }
  }

  public override var trackID: Int64 { identifier }
  public override var mediaType: MediaType { MediaType(kind) }

  /// The description of the first segment's source track, with the values that are set for this track.
  override var description: TrackDescription {
    let state = state.withLock { $0 }
    let first = state.list.segments.first { !$0.isEmpty }.flatMap(source)
    var track =
      first?.description ?? TrackDescription(kind: kind, codec: "", timeBase: Rational(1, 600))
    track.id = identifier
    track.edits = []
    track.start = 0
    track.packetCount = nil
    let base = track.timeBase
    let duration = state.list.duration
    track.duration = Rational(1, max(1, duration.timescale)).convert(duration.value, to: base)
    if let transform = state.transform { track.displayMatrix = transform }
    if let language = state.language { track.language = language }
    if kind == .audio { track.preferredVolume = Double(state.volume) }
    if !state.isEnabled { track.disposition.insert(.disabled) }
    return track
  }

  /// The units of a second in which the track's times are best expressed.
  ///
  /// Default: the value of the first segment's source track. 600 if there is no such segment.
  public override var naturalTimeScale: Int32 {
    let state = state.withLock { $0 }
    if let scale = state.timeScale { return scale }
    return state.list.segments.lazy.compactMap(\.sourceTrack).first?.naturalTimeScale ?? 600
  }

  /// The range from zero to the end of the last segment.
  public override var timeRange: TimeRange {
    TimeRange(start: .zero, duration: state.withLock { $0.list.duration })
  }

  /// The volume at which the track is to be played.
  ///
  /// Default: 1. The values in the source files are ignored.
  public override var preferredVolume: Float { state.withLock { $0.volume } }

  public override var segments: [AssetTrackSegment] { compositionSegments }

  /// The segments, which start at zero and have no gaps.
  public var compositionSegments: [CompositionTrackSegment] {
    state.withLock { $0.list.segments }
  }

  /// The different format descriptions of the source tracks, as in their files.
  public override var formatDescriptions: [FormatDescription] {
    var seen = Set<FormatDescription>()
    return compositionSegments.compactMap(\.sourceTrack).flatMap(\.formatDescriptions)
      .filter { seen.insert($0).inserted }
  }

  public override func segment(forTrackTime time: MediaTime) -> CompositionTrackSegment? {
    compositionSegments.closest(to: time)
  }
}
