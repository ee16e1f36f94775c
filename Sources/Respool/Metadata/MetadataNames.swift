import RespoolMedia

/// FFmpeg's names for the keys of the key spaces, and the common keys for those names.
///
/// Plugins report the names of the items that they read. The tables here are for items that a program creates. They
/// also map names back to keys for FFmpeg's own demuxers, which report names only.
enum MetadataNames {
  /// Common keys by FFmpeg's names in lowercase.
  static let commonKeys: [String: MetadataKey] = [
    "title": .commonKeyTitle, "artist": .commonKeyArtist, "album": .commonKeyAlbumName,
    "composer": .commonKeyCreator, "genre": .commonKeyType, "date": .commonKeyCreationDate,
    "copyright": .commonKeyCopyrights, "comment": .commonKeyDescription,
    "description": .commonKeyDescription, "encoder": .commonKeySoftware,
    "software": .commonKeySoftware, "publisher": .commonKeyPublisher,
    "author": .commonKeyAuthor, "make": .commonKeyMake, "model": .commonKeyModel,
    "location": .commonKeyLocation, "language": .commonKeyLanguage,
    "keywords": .commonKeySubject, "original_source": .commonKeySource,
    "original_format": .commonKeyFormat,
  ]

  /// Keys with an image as value.
  static let artwork: Set<String> = [
    "covr", "APIC", "METADATA_BLOCK_PICTURE", "cover", "com.apple.quicktime.artwork",
  ]

  /// FFmpeg's names of common keys.
  private static let ofCommonKeys: [String: String] = [
    "title": "title", "artist": "artist", "albumName": "album", "creator": "composer",
    "type": "genre", "creationDate": "date", "copyrights": "copyright",
    "description": "description", "software": "encoder", "publisher": "publisher",
    "author": "author", "make": "make", "model": "model", "location": "location",
    "language": "language", "subject": "keywords", "source": "original_source",
    "format": "original_format",
  ]

  /// FFmpeg's names of `ilst` items and of QuickTime and ISO user data.
  private static let ofCodes: [String: String] = [
    "\u{A9}nam": "title", "\u{A9}ART": "artist", "\u{A9}alb": "album", "\u{A9}day": "date",
    "\u{A9}cmt": "comment", "\u{A9}gen": "genre", "gnre": "genre", "\u{A9}too": "encoder",
    "\u{A9}wrt": "composer", "\u{A9}cpy": "copyright", "cprt": "copyright",
    "aART": "album_artist", "desc": "description", "ldes": "synopsis", "\u{A9}lyr": "lyrics",
    "\u{A9}grp": "grouping", "tvsh": "show", "tven": "episode_id", "tvnn": "network",
    "tves": "episode_sort", "tvsn": "season_number", "pgap": "gapless_playback",
    "hdvd": "hd_video", "stik": "media_type", "rtng": "rating", "pcst": "podcast",
    "catg": "category", "purd": "purchase_date", "sonm": "sort_name", "soar": "sort_artist",
    "soaa": "sort_album_artist", "soal": "sort_album", "soco": "sort_composer",
    "sosn": "sort_show", "keyw": "keywords", "trkn": "track", "disk": "disc", "\u{A9}mak": "make",
    "\u{A9}mod": "model", "\u{A9}xyz": "location", "\u{A9}swr": "software",
    "\u{A9}aut": "artist", "\u{A9}inf": "comment", "tmpo": "tmpo", "cpil": "compilation",
    "titl": "title", "auth": "author", "perf": "artist", "albm": "album", "dscp": "description",
    "yrrc": "date", "loci": "location", "manu": "make", "modl": "model",
  ]

  private static let ofID3: [String: String] = [
    "TIT2": "title", "TPE1": "artist", "TPE2": "album_artist", "TPE3": "performer",
    "TALB": "album", "TCOM": "composer", "TCON": "genre", "TCOP": "copyright",
    "TDRC": "date", "TENC": "encoded_by", "TIT1": "grouping", "TLAN": "language",
    "TPOS": "disc", "TPUB": "publisher", "TRCK": "track", "TSSE": "encoder",
    "TCMP": "compilation", "COMM": "comment", "USLT": "lyrics", "TSRC": "isrc",
  ]

  private static let ofComments: [String: String] = [
    "ALBUMARTIST": "album_artist", "TRACKNUMBER": "track", "DISCNUMBER": "disc",
    "DESCRIPTION": "comment",
  ]

  private static let ofRIFF: [String: String] = [
    "INAM": "title", "IART": "artist", "IPRD": "album", "ICMT": "comment", "ICRD": "date",
    "IGNR": "genre", "IPRT": "track", "ITRK": "track", "ICOP": "copyright", "ILNG": "language",
    "ISFT": "encoder", "ITCH": "encoded_by",
  ]

  /// Returns `true` for the name of a metadata item, `false` for a header field or a description of the file.
  static func isTag(_ name: String) -> Bool {
    name.lowercased() != MetadataDate.creationTime && !MetadataEntry(name, "").describesSourceFile
  }

  /// Returns `true` if metadata filters apply to a name: tags, and the date that a header stores.
  static func isFilterable(_ name: String) -> Bool { !MetadataEntry(name, "").describesSourceFile }

  /// Returns a name without the domain of QuickTime names.
  static func plain(_ name: String) -> String {
    // Matroska spells names in uppercase.
    let domain = "com.apple.quicktime."
    guard name.lowercased().hasPrefix(domain) else { return name }
    return switch name.dropFirst(domain.count).lowercased() {
    case "location.iso6709": "location"
    case "creationdate": "date"
    case "information": "comment"
    case let rest: rest.contains(".") ? name : rest
    }
  }

  /// Returns FFmpeg's name for a key of a key space.
  static func name(of key: String, in keySpace: MetadataKeySpace) -> String? {
    switch keySpace {
    case .common: ofCommonKeys[key]
    case .iTunes, .quickTimeUserData, .isoUserData: ofCodes[key]
    case .quickTimeMetadata: plain(key)
    case .id3: ofID3[key]
    case .riffInfo: ofRIFF[key] ?? key
    case .vorbisComment: ofComments[key.uppercased()] ?? key.lowercased()
    case .matroska: key.uppercased() == "PART_NUMBER" ? "track" : key.lowercased()
    case .iTunesLongForm: key.hasPrefix("com.apple.iTunes.") ? String(key.dropFirst(17)) : key
    default: key
    }
  }

  /// Returns the key space and key of a tag that an FFmpeg demuxer calls `name`, as far as the format determines
  /// them.
  static func origin(of name: String, format: String) -> (MetadataKeySpace, String) {
    func key(_ names: [String: String]) -> String? {
      names.filter { $0.value == name.lowercased() }.keys.min()
    }
    let plain = plain(name)
    if plain != name { return (.quickTimeMetadata, QuickTimeKeys.key(of: plain) ?? name) }
    switch format {
    case "matroska,webm":
      return (.matroska, name.lowercased() == "track" ? "PART_NUMBER" : name.uppercased())
    case "flac", "ogg": return (.vorbisComment, key(ofComments) ?? name.uppercased())
    case "mp3", "aac", "aiff":
      return (.id3, key(ofID3) ?? (name.utf8.count == 4 ? name : "TXXX:\(name)"))
    case "wav", "w64", "avi": return (.riffInfo, key(ofRIFF) ?? name)
    default: return (.unspecified, name)
    }
  }

  /// Returns the key space and key of a container's cover.
  static func artworkOrigin(format: String) -> (MetadataKeySpace, String) {
    switch format {
    case "matroska,webm": (.matroska, "cover")
    case "flac", "ogg": (.vorbisComment, "METADATA_BLOCK_PICTURE")
    case "mp3", "aac", "aiff": (.id3, "APIC")
    case "mov,mp4,m4a,3gp,3g2,mj2": (.iTunes, "covr")
    default: (.unspecified, "cover")
    }
  }
}
