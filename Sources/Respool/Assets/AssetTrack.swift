public import RespoolMedia

/// One track of an asset.
// Sendable: immutable; a composition's track keeps what changes behind a lock.
public class AssetTrack: @unchecked Sendable {
  private let file: Asset?
  private weak let composition: Asset?
  /// Its place among the asset's tracks when it was asked for, from 0.
  public let index: Int
  private let stored: TrackDescription
  let properties = LoadedProperties()

  /// A track of a file.
  init(asset: Asset, index: Int, _ track: TrackDescription) {
    file = asset
    composition = nil
    self.index = index
    stored = track
  }

  /// A track of a composition, which owns it.
  init(composition: Asset, index: Int, _ track: TrackDescription) {
    file = nil
    self.composition = composition
    self.index = index
    stored = track
  }

  /// Nil where the composition is gone that the track was part of.
  public var asset: Asset? { file ?? composition }

  /// What is known of it; times in its time base.
  var description: TrackDescription { stored }

  /// `true` if its samples are those of one track of a file; a composition's are those of its pieces.
  var isOfFile: Bool { true }

  /// The tracks of files that it is made of, piece by piece.
  var sources: [AssetTrack] { [self] }

  /// What of files' tracks it shows within a range.
  func pieces(in range: TimeRange) -> [TrackPiece] {
    [TrackPiece(track: self, source: range, target: nil)]
  }

  /// How it refers to other tracks of its asset; empty where the container or its plugin does not tell.
  var references: [(type: TrackAssociationType, trackID: Int64)] {
    do throws(MediaError) {
      return try asset?.mediaDescription().references.filter { $0.track == index }.map {
        (TrackAssociationType(rawValue: $0.type.description), $0.trackID)
      } ?? []
    } catch { return [] }
  }

  /// The first of its formats.
  public var formatDescription: FormatDescription {
    var first = description
    first.furtherFormats = []
    return FormatDescription(first)
  }
  /// One for each form that the samples have.
  public var formatDescriptions: [FormatDescription] {
    description.formats.map { FormatDescription($0) }
  }
  /// The file's own number for the track.
  public var trackID: Int64 { description.id }
  public var mediaType: MediaType { MediaType(description.kind) }
  /// ISO 639-2/T, whichever form the file has, where that has a code for it.
  public var languageCode: String? {
    description.language.map { tag in
      let primary = tag.prefix { $0 != "-" && $0 != "_" }
      return LanguageCode(primary)?.terminological ?? String(primary)
    }
  }
  /// BCP 47; nil where the file has no such tag, but a code or nothing.
  public var extendedLanguageTag: String? {
    description.language.flatMap { $0.utf8.count == 3 ? nil : $0 }
  }
  /// The picture's size with square pixels, before the preferred transform; zero for sound.
  public var naturalSize: (width: Double, height: Double) {
    let aspect = description.sampleAspect
    let stretch = aspect.isPositive ? aspect.doubleValue : 1
    return (Double(description.width) * stretch, Double(description.height))
  }
  /// How the picture is to be turned; not applied to decoded pictures.
  public var preferredTransform: DisplayMatrix { description.displayMatrix }
  /// Units a second in which the track counts time.
  public var naturalTimeScale: Int32 { description.timeBase.denominator }
  /// Frames a second; 0 where not known.
  public var nominalFrameRate: Double { description.frameRate.doubleValue }
  /// The time between pictures at the lowest rate that tells every time; invalid where not known.
  public var minFrameDuration: MediaTime {
    let rate =
      description.baseFrameRate.isPositive ? description.baseFrameRate : description.frameRate
    return rate.isPositive ? MediaTime(1, rate.inverse) : .invalid
  }
  /// Whether pictures are stored in another order than they are shown in.
  public var requiresFrameReordering: Bool { description.reorderDepth > 0 }
  /// How loud it is meant to be played, as the file says; 1 is full, and what holds where it says nothing.
  ///
  /// Nothing that is read or mixed is made louder or softer by it.
  public var preferredVolume: Float { description.preferredVolume.map { Float($0) } ?? 1 }
  public var isEnabled: Bool { !description.disposition.contains(.disabled) }

  /// What of the movie's time line the track takes up.
  ///
  /// To the end of the asset where the file does not say how long the track is, as Matroska does not; invalid
  /// where it does not say that either. Blocks while the asset is opened.
  public var timeRange: TimeRange {
    let track = description
    let start = MediaTime(track.start ?? 0, track.timeBase)
    let told = MediaTime(track.duration, track.timeBase)
    if told.isNumeric { return TimeRange(start: start, duration: told) }
    let end = (try? asset?.duration())?.ticks(track.timeBase)
    let length = end.flatMap { $0 > (track.start ?? 0) ? $0 - (track.start ?? 0) : nil }
    return TimeRange(start: start, duration: MediaTime(length, track.timeBase))
  }

  /// How the asset's time line is made of the track's media.
  ///
  /// One segment for the whole track where the file has no edits.
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

  /// The segment at a time of the asset, or where there is none the closest to it.
  ///
  /// Nil for a time that is not numeric, and where there are no segments.
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

/// Two ranges of the same media: where it is taken from and where it is put.
public struct TimeMapping: Hashable, Sendable {
  /// Invalid for what has no media.
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

  /// Whether nothing is shown or heard.
  public var isEmpty: Bool { !timeMapping.source.isValid }
}

/// Something that can be said of a track.
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
