/// Type of a reference from one track to another; the codes of QuickTime track references.
public struct TrackAssociationType: Hashable, Sendable, RawRepresentable {
  /// Four-character code.
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The other track is audio that is played if this one cannot be.
  public static let audioFallback = TrackAssociationType(rawValue: "fall")
  /// The other track has the chapter titles of this one.
  public static let chapterList = TrackAssociationType(rawValue: "chap")
  /// The other track has only the forced subtitles.
  public static let forcedSubtitlesOnly = TrackAssociationType(rawValue: "forc")
  /// The other track is selected with this one.
  public static let selectionFollower = TrackAssociationType(rawValue: "folw")
  /// The other track has the time codes of this one.
  public static let timecode = TrackAssociationType(rawValue: "tmcd")
  /// This track describes the other.
  public static let metadataReferent = TrackAssociationType(rawValue: "cdsc")

  /// Returns `true` if a track of one media type can refer in this way to one of another.
  func suits(_ type: MediaType, _ other: MediaType) -> Bool {
    guard rawValue.utf8.count == 4 else { return false }
    switch self {
    case .audioFallback: return type == .audio && other == .audio
    case .forcedSubtitlesOnly: return type == .subtitle && other == .subtitle
    case .chapterList: return other == .subtitle
    default: return true
    }
  }
}
