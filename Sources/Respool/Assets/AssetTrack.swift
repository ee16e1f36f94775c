public import RespoolMedia

/// One track of an asset.
// Sendable: immutable; a composition track keeps its mutable state behind a lock.
public class AssetTrack: @unchecked Sendable {
  private let file: Asset?
  private weak let composition: Asset?
  /// Index of the track in the asset's tracks when it was created, from 0.
  public let index: Int
  private let stored: TrackDescription
  let properties = LoadedProperties()

  /// Creates a track of a file.
  init(asset: Asset, index: Int, _ track: TrackDescription) {
    file = asset
    composition = nil
    self.index = index
    stored = track
  }

  /// Creates a track of a composition, which owns it.
  init(composition: Asset, index: Int, _ track: TrackDescription) {
    file = nil
    self.composition = composition
    self.index = index
    stored = track
  }

  /// The asset of the track.
  ///
  /// `nil` if the track was part of a composition that no longer exists.
  public var asset: Asset? { file ?? composition }

  /// Description of the track; times are in its time base.
  var description: TrackDescription { stored }

  /// `true` if its samples are those of one track of a file; a composition track has those of its segments.
  var isOfFile: Bool { true }

  /// The file tracks that the track is made of, one for each segment.
  var sources: [AssetTrack] { [self] }

  /// Returns the segments of file tracks that the track shows within a range.
  func pieces(in range: TimeRange) -> [TrackRange] {
    [TrackRange(track: self, source: range, target: nil)]
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
    first.furtherFormats = []
    return FormatDescription(first)
  }
  /// The sample descriptions of the track, one for each format that its samples have.
  public var formatDescriptions: [FormatDescription] {
    description.formats.map { FormatDescription($0) }
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

/// Mapping of a range of media to a range of a time line.
public struct TimeMapping: Hashable, Sendable {
  /// Range in the media.
  ///
  /// Invalid for an empty segment.
  public var source: TimeRange
  public var target: TimeRange

  public init(source: TimeRange, target: TimeRange) {
    self.source = source
    self.target = target
  }
}

/// A part of a track's time line.
public class AssetTrackSegment: @unchecked Sendable {
  public let timeMapping: TimeMapping

  init(timeMapping: TimeMapping) { self.timeMapping = timeMapping }

  /// `true` if the segment has no media: nothing is shown or heard.
  public var isEmpty: Bool { !timeMapping.source.isValid }
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
