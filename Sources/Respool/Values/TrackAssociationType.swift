/// How one track refers to another: the codes of QuickTime's track references.
public struct TrackAssociationType: Hashable, Sendable, RawRepresentable {
  /// Four characters.
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sound that is played where the other cannot be.
  public static let audioFallback = TrackAssociationType(rawValue: "fall")
  /// The other's texts are chapters of this one.
  public static let chapterList = TrackAssociationType(rawValue: "chap")
  /// The other has only the subtitles that are always shown.
  public static let forcedSubtitlesOnly = TrackAssociationType(rawValue: "forc")
  /// The other is chosen where this one is.
  public static let selectionFollower = TrackAssociationType(rawValue: "folw")
  /// The other has the time codes of this one.
  public static let timecode = TrackAssociationType(rawValue: "tmcd")
  /// This one describes the other.
  public static let metadataReferent = TrackAssociationType(rawValue: "cdsc")

  /// Whether a track of one kind can refer in this way to one of another.
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
