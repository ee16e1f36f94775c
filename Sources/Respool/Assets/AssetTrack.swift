public import RespoolMedia

/// One track of an asset.
// Sendable: every stored property is constant and Sendable.
public class AssetTrack: @unchecked Sendable {
  private let file: Asset?
  private weak let composition: Asset?
  /// Index of the track in the asset's tracks when it was created, from 0.
  public let index: Int
  private let stored: TrackDescription
  /// Loaded values.
  ///
  /// `nil` if the values can change, so that each load computes them again.
  let propertyCache: LoadedProperties?

  /// Creates a track of a file, or one that a composition owns.
  init(asset: Asset, index: Int, _ track: TrackDescription, isOwned: Bool = false) {
    file = isOwned ? nil : asset
    composition = isOwned ? asset : nil
    self.index = index
    stored = track
    propertyCache = isOwned ? nil : LoadedProperties()
  }

  /// The asset of the track.
  ///
  /// `nil` if the track was part of a composition that no longer exists.
  public var asset: Asset? { file ?? composition }

  /// Description of the track; times are in its time base.
  var description: TrackDescription { stored }

  /// `true` if all samples are in the asset's own file.
  ///
  /// `false` for a composition track, whose samples are those of its segments.
  ///
  /// Demuxers return no samples that are stored in other files.
  public var isSelfContained: Bool { true }

  /// The file tracks that the track is made of, one for each segment.
  var sources: [AssetTrack] { [self] }

  /// The value that distinguishes the track from other tracks of the asset.
  var trackKey: Int64 { Int64(index) }

  /// Returns the clips that the track shows within a range.
  func clips(in range: TimeRange) -> [TrackRange] {
    [TrackRange(track: self, source: range, target: nil)]
  }

  /// Returns the segments with which another track shows a range of this one, without gaps.
  ///
  /// Only their durations count; inserting sets their start times.
  func segments(showing range: TimeRange) -> [CompositionTrackSegment] {
    let whole = timeRange
    let there = whole.isValid && whole.duration.isNumeric ? range.intersection(whole) : range
    func empty(_ start: MediaTime, _ end: MediaTime) -> [CompositionTrackSegment] {
      guard start < end else { return [] }
      return [
        CompositionTrackSegment(
          timeRange: TimeRange(start: start - range.start, end: end - range.start))
      ]
    }
    guard !there.isEmpty else { return empty(range.start, range.end) }
    let shown = CompositionTrackSegment(
      track: self, sourceTimeRange: there,
      targetTimeRange: TimeRange(start: there.start - range.start, duration: there.duration))
    return empty(range.start, there.start) + [shown] + empty(there.end, range.end)
  }

  /// Returns the start and the end of the clip that is visible at a time.
  ///
  /// `nil` if nothing is. Players keep the last frame of a file visible as long as an instruction shows it.
  func visibleClip(at time: MediaTime) -> (start: MediaTime, end: MediaTime)? {
    let range = timeRange
    let isVisible = !range.isValid || !range.start.isNumeric || time >= range.start
    return isVisible ? (.negativeInfinity, .positiveInfinity) : nil
  }

  /// Returns the time at which the track shows something else than at `time`.
  ///
  /// `next` is the time of its next frame. While the track is empty, that is every `frame`. `nil` if the track has
  /// ended.
  func nextChange(after time: MediaTime, nextFrame next: MediaTime, filling frame: MediaTime)
    -> MediaTime?
  {
    let range = timeRange
    guard range.isValid, range.start.isNumeric else { return next.isNumeric ? next : nil }
    if time < range.start { return min(next, time + frame) }
    if next.isNumeric { return next }
    return range.end.isNumeric && time < range.end ? range.end : nil
  }

  /// References to other tracks of its asset.
  ///
  /// Empty if the container or its plugin does not report them.
  var references: [(type: TrackAssociationType, trackID: Int64)] {
    do throws(MediaError) {
      return try asset?.mediaDescription().references.filter { $0.track == index }.map {
        (TrackAssociationType(rawValue: $0.type.description), $0.trackID)
      } ?? []
    } catch { return [] }
  }

  /// The first of its sample descriptions.
  public var formatDescription: FormatDescription {
    var first = description
    first.furtherSampleDescriptions = []
    return FormatDescription(first)
  }
  /// The sample descriptions of the track, one for each format that its samples have.
  public var formatDescriptions: [FormatDescription] {
    description.sampleDescriptions.map { FormatDescription($0) }
  }
  /// The file's own number for the track.
  public var trackID: Int64 { description.id }
  public var mediaType: MediaType { MediaType(description.kind) }
  /// ISO 639-2/T code, whichever form the file has, if that standard has a code for the language.
  public var languageCode: String? {
    description.language.map { tag in
      let primary = tag.prefix { $0 != "-" && $0 != "_" }
      return LanguageCode(primary)?.terminological ?? String(primary)
    }
  }
  /// BCP 47 tag.
  ///
  /// `nil` if the file has a three-letter code instead, or no language.
  public var extendedLanguageTag: String? {
    description.language.flatMap { $0.utf8.count == 3 ? nil : $0 }
  }
  /// Size of a frame with square pixels, before the preferred transform.
  ///
  /// Zero for audio.
  public var naturalSize: (width: Double, height: Double) {
    let aspect = description.sampleAspect
    let stretch = aspect.isPositive ? aspect.doubleValue : 1
    return (Double(description.width) * stretch, Double(description.height))
  }
  /// Rotation and flip for display; not applied to decoded frames.
  public var preferredTransform: DisplayMatrix { description.displayMatrix }
  /// Units per second of the track's time base.
  public var naturalTimeScale: Int32 { description.timeBase.denominator }
  /// Frames per second.
  ///
  /// 0 if unknown.
  public var nominalFrameRate: Double { description.frameRate.doubleValue }
  /// Frame duration at the lowest rate on which all presentation times fall.
  ///
  /// Invalid if unknown.
  public var minFrameDuration: MediaTime {
    let rate =
      description.baseFrameRate.isPositive ? description.baseFrameRate : description.frameRate
    return rate.isPositive ? MediaTime(1, rate.inverse) : .invalid
  }
  /// `true` if decoding order differs from presentation order.
  public var requiresFrameReordering: Bool { description.reorderDepth > 0 }
  /// Bit rate in bits per second.
  ///
  /// 0 if unknown.
  ///
  /// The rate that the file stores, else the size of all samples over the track's duration. The latter blocks while
  /// all packets are read, once for each track.
  public var estimatedDataRate: Int64 {
    if description.bitRate > 0 { return description.bitRate }
    do throws(MediaError) {
      let own = timeRange.duration
      let duration = own.isNumeric && own > .zero ? own : try asset?.duration() ?? .invalid
      guard duration.isNumeric, duration > .zero else { return 0 }
      let bits = try Double(totalSampleDataLength()) * 8 / duration.seconds
      return Int64(exactly: bits.rounded()) ?? 0
    } catch { return 0 }
  }

  /// Playback volume that the file asks for.
  ///
  /// 1 is full volume and the default if the file stores none.
  ///
  /// Reading and mixing do not apply it.
  public var preferredVolume: Float { description.preferredVolume.map { Float($0) } ?? 1 }
  public var isEnabled: Bool {
    // Containers mark the captions that are shown by default; others are shown if a viewer selects them.
    description.kind == .subtitle
      ? description.disposition.contains(.default) : !description.disposition.contains(.disabled)
  }

  /// Range of the asset's time line that the track covers.
  ///
  /// If the file stores no duration of the track (Matroska does not), the range extends to the end of the asset.
  /// Invalid if that is unknown too. Blocks while the asset is opened.
  public var timeRange: TimeRange {
    let track = description
    let start = MediaTime(track.start ?? 0, track.timeBase)
    let stated = MediaTime(track.duration, track.timeBase)
    if stated.isNumeric { return TimeRange(start: start, duration: stated) }
    let end = (try? asset?.duration())?.ticks(track.timeBase)
    let length = end.flatMap { $0 > (track.start ?? 0) ? $0 - (track.start ?? 0) : nil }
    return TimeRange(start: start, duration: MediaTime(length, track.timeBase))
  }

  /// Edit list of the track: mappings from its media to the asset's time line.
  ///
  /// One segment for the whole track if the file has no edit list.
  public var segments: [AssetTrackSegment] {
    let track = description
    guard !track.edits.isEmpty else {
      return [AssetTrackSegment(timeMapping: TimeMapping(source: timeRange, target: timeRange))]
    }
    return track.edits.map { edit in
      let target = TimeRange(
        start: MediaTime(edit.presentationStart, track.timeBase),
        duration: MediaTime(edit.duration, track.timeBase))
      guard let start = edit.mediaStart else {
        return AssetTrackSegment(timeMapping: TimeMapping(source: .invalid, target: target))
      }
      let source = TimeRange(
        start: MediaTime(start, track.timeBase),
        duration: edit.rate == 1 ? target.duration : target.duration.scaled(by: edit.rate))
      return AssetTrackSegment(timeMapping: TimeMapping(source: source, target: target))
    }
  }

  /// Returns the segment at a time of the asset, or else the closest one.
  ///
  /// `nil` for a time that is not numeric, and if there are no segments.
  public func segment(forTrackTime time: MediaTime) -> AssetTrackSegment? {
    segments.closest(to: time)
  }

  public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
    let track = description
    switch characteristic {
    case .visual: return track.kind == .video || track.kind == .subtitle
    case .audible: return track.kind == .audio
    case .legible: return track.kind == .subtitle
    case .frameBased: return track.kind == .video
    case .containsOnlyForcedSubtitles:
      return track.kind == .subtitle && track.disposition.contains(.forced)
    case .describesVideoForAccessibility:
      return track.kind == .audio && track.disposition.contains(.visualImpaired)
    case .transcribesSpokenDialogForAccessibility:
      return track.kind == .subtitle && track.disposition.contains(.hearingImpaired)
    case .isOriginalContent: return track.disposition.contains(.original)
    default: return false
    }
  }
}

/// A characteristic of a track's media, such as whether it can be seen or heard.
public struct MediaCharacteristic: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let visual = MediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
  public static let audible = MediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
  public static let legible = MediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
  public static let frameBased = MediaCharacteristic(rawValue: "AVMediaCharacteristicFrameBased")
  public static let containsOnlyForcedSubtitles = MediaCharacteristic(
    rawValue: "public.subtitles.forced-only")
  public static let describesVideoForAccessibility = MediaCharacteristic(
    rawValue: "public.accessibility.describes-video")
  public static let transcribesSpokenDialogForAccessibility = MediaCharacteristic(
    rawValue: "public.accessibility.transcribes-spoken-dialog")
  public static let isOriginalContent = MediaCharacteristic(rawValue: "public.original-content")
}
