/// A file type by the name of its muxer, by an alias of the muxer, or by a file extension.
///
/// All names and aliases of the registry's muxers can be written as string literals; `respool plugins list` shows
/// them.
public struct FileType: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { self.init(rawValue: value) }
  /// Creates the file type of this name, such as a file extension.
  public init(_ rawValue: String) { self.init(rawValue: rawValue) }

  /// MPEG-4.
  public static let mp4 = FileType("mp4")
  /// MPEG-4 for Apple devices: video with audio.
  public static let m4v = FileType("m4v")
  /// MPEG-4 with audio only.
  public static let m4a = FileType("m4a")
  /// QuickTime movie.
  public static let mov = FileType("mov")
  /// Matroska.
  public static let matroska = FileType("matroska")
  /// WebM: Matroska with VP8, VP9, AV1, Vorbis and Opus.
  public static let webm = FileType("webm")
  /// WAVE.
  public static let wav = FileType("wav")
  /// Ogg.
  public static let ogg = FileType("ogg")
}

extension FileType: CustomStringConvertible {
  /// The name itself.
  public var description: String { rawValue }
}
