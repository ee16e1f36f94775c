/// Says which items of metadata are kept.
public struct MetadataItemFilter: Sendable {
  let includes: @Sendable (MetadataItem) -> Bool

  /// Keeps the items for which `isIncluded` is true.
  public init(_ isIncluded: @escaping @Sendable (MetadataItem) -> Bool) { includes = isIncluded }

  /// Takes away what may identify whoever made the media: for files that are given to others.
  ///
  /// Kept is what a shop or a label says of a work (title, artist, album, copyright, a purchaser's number and
  /// the like) and what playing needs. Places, devices, software, people's comments, dates of a recording
  /// and everything that is not known go: AVFoundation describes its filter by these groups and has no list
  /// of keys, so this one is ours and lets through what it knows.
  public static func forSharing() -> MetadataItemFilter {
    MetadataItemFilter { item in
      if let key = item.key, shopKeys.contains(key), item.keySpace == .iTunes { return true }
      if item.commonKey == .commonKeyArtwork { return true }
      guard let name = item.tagName?.lowercased() else { return false }
      if name == "date" {
        // Of a release there; of the recording elsewhere.
        return item.keySpace.map { ofReleases.contains($0) } ?? false
      }
      return works.contains(name) || name.hasPrefix("replaygain_") || name.hasPrefix("r128_")
    }
  }

  private static let ofReleases: Set<MetadataKeySpace> = [.iTunes, .id3, .vorbisComment]

  private static let works: Set<String> = [
    "title", "subtitle", "artist", "album", "album_artist", "composer", "performer", "conductor",
    "track", "disc", "genre", "copyright", "publisher", "label", "isrc", "barcode", "language",
    "show", "episode_id", "episode_sort", "season_number", "network", "compilation", "lyrics",
    "gapless_playback", "hd_video", "media_type", "rating", "tmpo", "bpm", "sort_name",
    "sort_artist", "sort_album_artist", "sort_album", "sort_composer", "sort_show", "itunsmpb",
  ]

  /// A shop's numbers for the work, its people and its purchaser.
  private static let shopKeys: Set<String> = [
    "apID", "cnID", "atID", "plID", "geID", "sfID", "akID", "cmID", "purd",
  ]
}
