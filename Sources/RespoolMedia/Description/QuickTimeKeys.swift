/// Mapping of FFmpeg's tag names to keys of QuickTime metadata, key space `mdta` (QuickTime File Format, "QuickTime
/// metadata keys"; AVFoundation's `AVMetadataIdentifier.quickTimeMetadata...`).
public enum QuickTimeKeys {
  private static let domain = "com.apple.quicktime."

  private static let keys: [String: String] = [
    "album": "album", "artist": "artist", "author": "author", "comment": "comment",
    "composer": "composer", "copyright": "copyright", "credits": "credits",
    "date": "creationdate", "description": "description", "director": "director",
    "genre": "genre", "keywords": "keywords", "location": "location.ISO6709", "make": "make",
    "model": "model", "original_artist": "originalartist", "performer": "performer",
    "producer": "producer", "publisher": "publisher", "software": "software", "title": "title",
    "year": "year",
  ]

  /// Returns the key for a tag; `nil` if Apple defines none.
  public static func key(of name: String) -> String? {
    keys[name.lowercased()].map { domain + $0 }
  }

  /// Returns FFmpeg's name for a key, ignoring case; `nil` if FFmpeg has no name for it.
  public static func name(of key: String) -> String? {
    let key = key.lowercased()
    guard key.hasPrefix(domain) else { return nil }
    let rest = key.dropFirst(domain.count)
    return keys.first { $0.value.lowercased() == rest }?.key
  }
}
