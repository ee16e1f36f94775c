/// The captions that are shown together for a stretch of time; none where nothing is shown.
///
/// Groups of a track follow each other without a gap. A new one begins wherever a caption appears or goes,
/// so that a caption may be in several groups.
public struct CaptionGroup: Hashable, Sendable {
  /// In the order of the track.
  public let captions: [Caption]
  public let timeRange: TimeRange

  public init(captions: [Caption], timeRange: TimeRange) {
    (self.captions, self.timeRange) = (captions, timeRange)
  }

  /// A stretch of time in which nothing is shown.
  public init(timeRange: TimeRange) { self.init(captions: [], timeRange: timeRange) }
}

/// Makes groups of captions that may overlap.
public struct CaptionGrouper: Sendable {
  /// Those that are not yet over at `position`.
  private var captions: [Caption] = []
  /// Where the next group begins.
  private var position: MediaTime

  /// The first group begins at `start`; what captions show before is left out.
  public init(startingAt start: MediaTime = .zero) { position = start }

  /// More could not be read; each of them is in every group that it lasts through.
  private static let mostAtOnce = 256

  /// Adds a caption; one whose time range has no numbers, or that is over, is left out, as are those beyond
  /// 256 that wait or are shown.
  public mutating func add(_ caption: Caption) {
    let range = caption.timeRange
    guard range.start.isNumeric, range.duration.isNumeric, range.end > position,
      range.duration > .zero, captions.count < Self.mostAtOnce
    else { return }
    captions.append(caption)
  }

  /// The groups that end at or before `time`; later ones need captions that may still come.
  public mutating func flushAddedCaptions(upTo time: MediaTime) -> [CaptionGroup] {
    var groups: [CaptionGroup] = []
    while let next = captions.lazy.map(nextChange).min(), next <= time {
      let shown = captions.filter { $0.timeRange.start <= position }
      groups.append(
        CaptionGroup(captions: shown, timeRange: TimeRange(start: position, end: next)))
      position = next
      captions.removeAll { $0.timeRange.end <= next }
    }
    return groups
  }

  /// The rest of the time up to `time`, in which nothing is shown; nil where captions still wait.
  mutating func flushEmptyGroup(upTo time: MediaTime) -> CaptionGroup? {
    guard captions.isEmpty, time.isNumeric, time > position else { return nil }
    defer { position = time }
    return CaptionGroup(timeRange: TimeRange(start: position, end: time))
  }

  /// When a caption appears, or where it has, goes.
  private func nextChange(of caption: Caption) -> MediaTime {
    let range = caption.timeRange
    return range.start > position ? range.start : range.end
  }
}
