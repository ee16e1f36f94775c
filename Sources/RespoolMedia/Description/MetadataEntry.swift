/// A named text, such as `title`.
///
/// Names are spelled as in FFmpeg.
public struct MetadataEntry: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// `true` if the entry describes the file that it was read from and would be wrong in another file.
  public var describesSourceFile: Bool {
    let name = name.lowercased()
    return Self.namesAboutSourceFile.contains(name) || name.hasPrefix("_statistics")
  }

  /// `true` for the tag with the name of the encoder, which must not be copied to a file of another one.
  package var namesEncoder: Bool { ["encoder", "encoding_tool"].contains(name.lowercased()) }

  /// `true` for mkvmerge's statistics about the packets of a track, which re-encoding makes wrong.
  package var isStatistic: Bool {
    let name = name.uppercased()
    return ["BPS", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES"].contains {
      name == $0 || name.hasPrefix($0 + "-")
    }
  }

  private static let namesAboutSourceFile: Set<String> = [
    "major_brand", "minor_version", "compatible_brands", "handler_name", "vendor_id", "duration",
    "clean_aperture", "itunsmpb", "tlen", "tsiz", "approximate duration in seconds",
    "source encoder",
    "nominal bit rate", "channel layout",
  ]
}
