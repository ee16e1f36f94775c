/// Media types of codecs by name.
enum CodecKind {
  private static let audio: Set<String> = [
    "aac", "ac3", "eac3", "mp3", "mp2", "mp1", "opus", "vorbis", "flac", "alac", "dts", "truehd",
    "mlp", "tta", "wavpack", "speex", "ape", "amr_nb", "amr_wb", "wmav1", "wmav2", "gsm", "gsm_ms",
    "wmapro", "wmalossless", "wmavoice", "ra_144", "g723_1", "truespeech", "sonic",
  ]
  private static let texts: Set<String> = [
    "mov_text", "text", "subrip", "srt", "ass", "ssa", "webvtt", "dvd_subtitle",
    "hdmv_pgs_subtitle", "dvb_subtitle", "ttml", "eia_608",
    "hdmv_text_subtitle", "arib_caption",
  ]

  static func mediaType(of codec: String) -> MediaType {
    if audio.contains(codec) || codec.hasPrefix("pcm_") || codec.hasPrefix("adpcm_") {
      return .audio
    }
    if codec == "mebx" { return .metadata }
    return texts.contains(codec) ? .subtitle : .video
  }
}
