public import RespoolMedia

/// Format of the samples of a track: codec, dimensions, rates, configuration record.
public final class FormatDescription: Sendable, Hashable {
  /// Description of the track, with all known properties.
  public let track: TrackDescription

  public init(_ track: TrackDescription) { self.track = track }

  public var mediaType: MediaType { MediaType(track.kind) }
  /// FFmpeg's name; `rawvideo` and `pcm` for decoded samples.
  public var codec: String { track.codec }

  public static func == (a: FormatDescription, b: FormatDescription) -> Bool { a.track == b.track }
  public func hash(into hasher: inout Hasher) { hasher.combine(track) }
}

/// The kind of media that a track carries.
///
/// Raw values are QuickTime's handler types, as in AVFoundation. Tracks of files have one of the first four.
public struct MediaType: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let video = MediaType(rawValue: "vide")
  public static let audio = MediaType(rawValue: "soun")
  public static let subtitle = MediaType(rawValue: "sbtl")
  public static let metadata = MediaType(rawValue: "meta")
  public static let text = MediaType(rawValue: "text")
  public static let closedCaption = MediaType(rawValue: "clcp")
  public static let timecode = MediaType(rawValue: "tmcd")
  /// Audio and video in one stream, such as DV.
  public static let muxed = MediaType(rawValue: "muxx")
  public static let depthData = MediaType(rawValue: "dpth")
  /// Frames that accompany others, such as an alpha mask.
  public static let auxiliaryPicture = MediaType(rawValue: "auxv")
  public static let haptic = MediaType(rawValue: "hapt")

  init(_ kind: TrackDescription.Kind) {
    switch kind {
    case .video: self = .video
    case .audio: self = .audio
    case .subtitle: self = .subtitle
    case .data, .attachment, .unknown: self = .metadata
    }
  }
}
