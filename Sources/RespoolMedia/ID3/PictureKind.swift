/// Kinds of pictures, by ID3's numbers (ID3 2.4.0 section 4.14), which FLAC has taken over, and FFmpeg's names.
public enum PictureKind {
  public static let frontCover = 3

  private static let names = [
    "Other", "32x32 pixels 'file icon'", "Other file icon", "Cover (front)", "Cover (back)",
    "Leaflet page", "Media (e.g. label side of CD)", "Lead artist/lead performer/soloist",
    "Artist/performer", "Conductor", "Band/Orchestra", "Composer", "Lyricist/text writer",
    "Recording Location", "During recording", "During performance",
    "Movie/video screen capture", "A bright coloured fish", "Illustration",
    "Band/artist logotype", "Publisher/Studio logotype",
  ]

  /// Returns the tags of a cover's track, as FFmpeg's demuxers have them.
  public static func metadata(_ number: Int, title: String) -> [MetadataEntry] {
    let kind = names.indices.contains(number) ? names[number] : names[0]
    return (title.isEmpty ? [] : [MetadataEntry("title", title)]) + [MetadataEntry("comment", kind)]
  }

  /// Returns the number that the tags of a cover's track tell; `nil` if they tell none.
  public static func number(in metadata: [MetadataEntry]) -> Int? {
    metadata.lazy.filter { $0.name.lowercased() == "comment" }
      .compactMap { names.firstIndex(of: $0.value) }.first
  }

  /// Returns the name of a kind that says more than that the picture is a cover; `nil` for others.
  public static func name(in metadata: [MetadataEntry]) -> String? {
    number(in: metadata).flatMap { [0, frontCover].contains($0) ? nil : names[$0] }
  }
}
