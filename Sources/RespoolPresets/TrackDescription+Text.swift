import RespoolMedia

/// Text that can be read, and written in another format.
extension TrackDescription {
  /// `true` if the text is of a codec that can be read.
  var isReadableText: Bool {
    let codecs = ["mov_text", "subrip", "srt", "text", "webvtt", "ass", "ssa"]
    return kind == .subtitle && codecs.contains(codec)
  }

  /// Codecs of text that are written where a container does not carry a track as it is, best first.
  static let writableText = ["subrip", "mov_text", "webvtt"]

  /// `true` if other containers than movies have the track's codec in another form: WebVTT in boxes
  /// (ISO/IEC 14496-30) and QuickTime's own text.
  var isTextOfMovies: Bool {
    switch codec {
    case "webvtt": codecTag == FourCC("wvtt").tag
    case "mov_text": isQuickTimeText
    default: false
    }
  }

  /// `true` for QuickTime's own text, whose sample entry has no table of fonts behind its fixed part.
  ///
  /// FFmpeg calls 3GPP's `tx3g` by the name `text`, too, in QuickTime files.
  package var isQuickTimeText: Bool {
    let hasFontTable = extradata.count >= 38 && extradata[34..<38].elementsEqual("ftab".utf8)
    return codecTag == FourCC("text").tag && extradata.count >= 43 && !hasFontTable
  }
}
