/// A filter that selects items of metadata.
public struct MetadataItemFilter: Sendable {
  let includes: @Sendable (MetadataItem) -> Bool

  /// Creates a filter that keeps the items for which `isIncluded` returns `true`.
  public init(_ isIncluded: @escaping @Sendable (MetadataItem) -> Bool) { includes = isIncluded }

  /// Returns a filter for files that are shared: it removes items that may identify who made the media.
  ///
  /// It keeps what a store or label says of a work (title, artist, album, copyright and the like), a store's numbers
  /// including the purchaser's, and what playback needs. It removes locations, devices, software, comments, recording
  /// dates and all unknown items. AVFoundation describes its filter by these groups and publishes no list of keys, so
  /// this list is Respool's own.
  public static func forSharing() -> MetadataItemFilter {
    MetadataItemFilter { item in
      if let key = item.key, shopKeys.contains(key), item.keySpace == .iTunes { return true }
      if item.commonKey == .commonKeyArtwork { return true }
      guard let name = item.tagName?.lowercased() else { return false }
      if name == "date" {
        // The release date in these key spaces; the recording date elsewhere.
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

  /// A store's numbers for the work, its people and its purchaser.
  private static let shopKeys: Set<String> = [
    "apID", "cnID", "atID", "plID", "geID", "sfID", "akID", "cmID", "purd",
  ]
}
