/// The set of keys that a metadata key belongs to, and so its location in a container.
///
/// Raw values are those of AVFoundation if it has the key space.
public struct MetadataKeySpace: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Keys with one meaning in every container.
  public static let common = MetadataKeySpace(rawValue: "comn")
  /// Items of `ilst` in MP4 files, such as `©nam`.
  public static let iTunes = MetadataKeySpace(rawValue: "itsk")
  /// Items of `ilst` with a domain and a name, such as `com.apple.iTunes.LABEL`.
  public static let iTunesLongForm = MetadataKeySpace(rawValue: "itlk")
  /// User data of QuickTime movies, such as `©xyz`.
  public static let quickTimeUserData = MetadataKeySpace(rawValue: "udta")
  /// Metadata of QuickTime movies, such as `com.apple.quicktime.title`.
  public static let quickTimeMetadata = MetadataKeySpace(rawValue: "mdta")
  /// User data of 3GPP and MP4 files, such as `titl`.
  public static let isoUserData = MetadataKeySpace(rawValue: "uiso")
  /// Frames of an ID3 tag, such as `TIT2`.
  public static let id3 = MetadataKeySpace(rawValue: "org.id3")
  /// Fields of a Vorbis comment, in capitals: Ogg and FLAC.
  public static let vorbisComment = MetadataKeySpace(rawValue: "org.xiph.comment")
  /// Tags of Matroska and WebM, in capitals.
  public static let matroska = MetadataKeySpace(rawValue: "org.matroska")
  /// Chunks of the `INFO` list of RIFF files, such as `INAM`.
  public static let riffInfo = MetadataKeySpace(rawValue: "riff")
  /// Names from a reader that does not report a key space.
  public static let unspecified = MetadataKeySpace(rawValue: "name")

  /// Prefix of identifiers; AVFoundation shortens that of ID3.
  var identifierPrefix: String { self == .id3 ? "id3" : rawValue }

  /// The format that has these keys.
  ///
  /// `nil` for the common ones.
  public var format: MetadataFormat? {
    switch self {
    case .common: nil
    case .iTunes, .iTunesLongForm: .iTunesMetadata
    case .quickTimeUserData: .quickTimeUserData
    case .quickTimeMetadata: .quickTimeMetadata
    case .isoUserData: .isoUserData
    case .unspecified: .unknown
    default: MetadataFormat(rawValue: rawValue)
    }
  }
}

/// A metadata format as one standard defines it; a file may have several.
public struct MetadataFormat: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let iTunesMetadata = MetadataFormat(rawValue: "com.apple.itunes")
  public static let quickTimeUserData = MetadataFormat(rawValue: "com.apple.quicktime.udta")
  public static let quickTimeMetadata = MetadataFormat(rawValue: "com.apple.quicktime.mdta")
  public static let isoUserData = MetadataFormat(rawValue: "org.mp4ra")
  public static let id3Metadata = MetadataFormat(rawValue: "org.id3")
  public static let vorbisComment = MetadataFormat(rawValue: "org.xiph.comment")
  public static let matroskaTags = MetadataFormat(rawValue: "org.matroska")
  public static let riffInfo = MetadataFormat(rawValue: "riff")
  public static let unknown = MetadataFormat(rawValue: "")
}
