import RespoolMedia

/// Names of tags in facts: one name for tags that containers name differently.
enum TagName {
  /// Returns the name of the fact that a tag states; `nil` for a tag that describes the file it was read from.
  static func fact(_ name: String) -> String? {
    guard !MetadataEntry(name, "").describesSourceFile else { return nil }
    var name = MetadataNames.plain(name).lowercased()
    // FFmpeg appends the language of a tag to its name.
    if let dash = name.lastIndex(of: "-"), name.distance(from: dash, to: name.endIndex) == 4 {
      name = String(name[..<dash])
    }
    // FFmpeg writes lyrics of unknown language with an empty suffix.
    if name.hasSuffix("-") { name.removeLast() }
    name = aliases[name] ?? name
    return MetadataEntry(name, "").namesEncoder || isStatedElsewhere(name) ? nil : name
  }

  private static let aliases = [
    "year": "date", "date_recorded": "date", "date_released": "date", "date_digitized": "date",
    "tracknumber": "track", "part_number": "track", "discnumber": "disc",
    "albumartist": "album_artist", "album artist": "album_artist", "totaltracks": "tracktotal",
    "total_parts": "tracktotal", "totaldiscs": "disctotal", "location.iso6709": "location",
    "unsyncedlyrics": "lyrics", "organization": "publisher",
  ]

  /// Returns `true` for mkvmerge's statistics about packets, and for tags that other properties state.
  private static func isStatedElsewhere(_ name: String) -> Bool {
    ["bps", "number_of_frames", "number_of_bytes", "language"].contains(name)
  }
}
