import RespoolPlugin

/// FFmpeg's names for the items of `udta` and `ilst`.
enum ItemNames {
  static let text: [FourCC: String] = [
    "\u{A9}nam": "title", "\u{A9}ART": "artist", "\u{A9}alb": "album", "\u{A9}day": "date",
    "\u{A9}cmt": "comment", "\u{A9}gen": "genre", "\u{A9}too": "encoder", "\u{A9}swr": "software",
    "\u{A9}wrt": "composer", "\u{A9}com": "composer", "\u{A9}cpy": "copyright",
    "cprt": "copyright", "aART": "album_artist", "desc": "description", "ldes": "synopsis",
    "\u{A9}lyr": "lyrics", "\u{A9}grp": "grouping", "tvsh": "show", "tven": "episode_id",
    "tvnn": "network", "catg": "category", "keyw": "keywords", "purd": "purchase_date",
    "sonm": "sort_name", "soar": "sort_artist", "soaa": "sort_album_artist",
    "soal": "sort_album", "soco": "sort_composer", "sosn": "sort_show", "\u{A9}mak": "make",
    "\u{A9}mod": "model", "\u{A9}xyz": "location", "\u{A9}inf": "comment",
    "\u{A9}aut": "artist", "\u{A9}dir": "director", "\u{A9}prd": "producer",
    "\u{A9}prf": "performers", "\u{A9}req": "playback_requirements", "\u{A9}wrn": "warning",
    "\u{A9}dis": "disclaimer", "\u{A9}fmt": "original_format", "\u{A9}ope": "original_artist",
    "\u{A9}src": "original_source", "\u{A9}trk": "track", "\u{A9}st3": "subtitle",
    "\u{A9}nrt": "narrator", "\u{A9}url": "URL", "\u{A9}key": "keywords", "\u{A9}enc": "encoded_by",
    "\u{A9}ed1": "edit_date", "\u{A9}chp": "chapter", "\u{A9}PRD": "producer",
    "\u{A9}hst": "host_computer", "manu": "make", "modl": "model", "titl": "title",
    "auth": "author", "perf": "artist", "gnre": "genre", "albm": "album", "dscp": "description",
    "yrrc": "date", "loci": "location", "name": "title",
  ]

  /// FFmpeg's names for items whose value is an integer.
  static let numbers: [FourCC: String] = [
    "tves": "episode_sort", "tvsn": "season_number", "cpil": "compilation",
    "pgap": "gapless_playback", "hdvd": "hd_video", "stik": "media_type", "rtng": "rating",
    "pcst": "podcast", "tmpo": "tmpo", "akID": "account_type",
  ]

  /// Types of the `ilst` items with a text value, by FFmpeg's names.
  static let itunes: [(name: String, code: FourCC)] = [
    ("title", "\u{A9}nam"), ("artist", "\u{A9}ART"), ("album_artist", "aART"),
    ("composer", "\u{A9}wrt"), ("album", "\u{A9}alb"), ("date", "\u{A9}day"),
    ("encoder", "\u{A9}too"), ("comment", "\u{A9}cmt"), ("genre", "\u{A9}gen"),
    ("copyright", "cprt"), ("grouping", "\u{A9}grp"), ("lyrics", "\u{A9}lyr"),
    ("description", "desc"), ("synopsis", "ldes"), ("show", "tvsh"), ("episode_id", "tven"),
    ("network", "tvnn"), ("keywords", "keyw"), ("sort_name", "sonm"), ("sort_artist", "soar"),
    ("sort_album_artist", "soaa"), ("sort_album", "soal"), ("sort_composer", "soco"),
    ("sort_show", "sosn"), ("encoded_by", "\u{A9}enc"),
  ]
}
