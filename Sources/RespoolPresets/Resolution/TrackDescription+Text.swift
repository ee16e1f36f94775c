import RespoolMedia

/// Properties of text tracks that can be read, and written in another format.
extension TrackDescription {
  /// `true` if the text has a codec that can be read.
  var isReadableText: Bool {
    let codecs = ["mov_text", "subrip", "srt", "text", "webvtt", "ass", "ssa"]
    return kind == .subtitle && codecs.contains(codec)
  }

  /// Text codecs to use if a container does not carry a track unchanged, best first.
  static let writableText = ["subrip", "mov_text", "webvtt", "ass"]

  /// `true` if the codec has another form outside movies: WebVTT in boxes (ISO/IEC 14496-30), QuickTime's
  /// own text.
  var isTextOfMovies: Bool {
    switch codec {
    case "webvtt": codecTag == FourCC("wvtt").tag
    case "mov_text": isQuickTimeText
    default: false
    }
  }

  /// `true` for QuickTime's own text, whose sample entry has no font table after its fixed part.
  ///
  /// In QuickTime files, FFmpeg also calls 3GPP's `tx3g` by the name `text`.
  package var isQuickTimeText: Bool {
    let hasFontTable = extradata.count >= 38 && extradata[34..<38].elementsEqual("ftab".utf8)
    return codecTag == FourCC("text").tag && extradata.count >= 43 && !hasFontTable
  }
}
