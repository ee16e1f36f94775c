import RespoolMedia
import Synchronization

/// A track that is made of segments of other assets' tracks.
// Sendable: every stored property is constant and Sendable.
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
      asset: composition, index: index,
      TrackDescription(kind: kind, codec: "", timeBase: Rational(1, 600)), isOwned: true)
  }

  public override var isSelfContained: Bool { false }

  override var sources: [AssetTrack] { compositionSegments.compactMap(\.sourceTrack) }

  override var trackKey: Int64 { identifier }

  override func clips(in range: TimeRange) -> [TrackRange] {
    segments(in: range).compactMap { segment in
      segment.sourceTrack.map {
        TrackRange(track: $0, source: segment.timeMapping.source, target: segment.target)
      }
    }
  }

  /// Returns the segments within a range, with an empty segment for the part after the end.
  override func segments(showing range: TimeRange) -> [CompositionTrackSegment] {
    let segments = segments(in: range)
    let end = segments.last?.target.end ?? range.start
    guard end < range.end else { return segments }
    return segments + [CompositionTrackSegment(timeRange: TimeRange(start: end, end: range.end))]
  }

  /// Returns the parts of the segments within a range, with replaced format descriptions.
  private func segments(in range: TimeRange) -> [CompositionTrackSegment] {
    compositionSegments.compactMap { segment in
      let part = segment.target.intersection(range)
      guard !part.isEmpty else { return nil }
      let cut = segment.cut(to: part)
      guard let track = source(of: cut) else { return cut }
      return CompositionTrackSegment(
        track: track, sourceTimeRange: cut.timeMapping.source, targetTimeRange: part)
    }
  }

  override func visibleClip(at time: MediaTime) -> (start: MediaTime, end: MediaTime)? {
    guard let segment = compositionSegments.holding(time), !segment.isEmpty else { return nil }
    return (segment.target.start, segment.target.end)
  }

  override func nextChange(
    after time: MediaTime, nextFrame next: MediaTime, filling frame: MediaTime
  ) -> MediaTime? {
    let segments = compositionSegments
    guard let segment = segments.holding(time) else { return nil }
    let end = segment.target.end
    if segment.isEmpty { return min(end, time + frame) }
    let isLast = segments.holding(end)?.isEmpty ?? true
    return isLast ? min(next, end) : next
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

  /// The rate of the first source track.
  public override var estimatedDataRate: Int64 { sources.first?.estimatedDataRate ?? 0 }

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
