import RespoolPlugin

/// Matroska's codec identifiers (RFC 9559, "Matroska Codec Specifications").
enum CodecMapping {
  static let identifiers = [
    "vp8": "V_VP8", "vp9": "V_VP9", "av1": "V_AV1", "h264": "V_MPEG4/ISO/AVC",
    "hevc": "V_MPEGH/ISO/HEVC", "mpeg4": "V_MPEG4/ISO/ASP", "mpeg1video": "V_MPEG1",
    "mpeg2video": "V_MPEG2", "theora": "V_THEORA", "mjpeg": "V_MJPEG", "prores": "V_PRORES",
    "ffv1": "V_FFV1", "snow": "V_SNOW", "dirac": "V_DIRAC", "msmpeg4v3": "V_MPEG4/MS/V3",
    "opus": "A_OPUS", "vorbis": "A_VORBIS", "aac": "A_AAC", "mp3": "A_MPEG/L3",
    "mp2": "A_MPEG/L2", "mp1": "A_MPEG/L1", "flac": "A_FLAC", "alac": "A_ALAC", "ac3": "A_AC3",
    "eac3": "A_EAC3", "dts": "A_DTS", "truehd": "A_TRUEHD", "tta": "A_TTA1",
    "wavpack": "A_WAVPACK4", "mlp": "A_MLP", "ra_144": "A_REAL/14_4",
    "pcm_u8": "A_PCM/INT/LIT", "pcm_s16le": "A_PCM/INT/LIT", "pcm_s24le": "A_PCM/INT/LIT",
    "pcm_s32le": "A_PCM/INT/LIT", "pcm_s16be": "A_PCM/INT/BIG", "pcm_s24be": "A_PCM/INT/BIG",
    "pcm_s32be": "A_PCM/INT/BIG", "pcm_f32le": "A_PCM/FLOAT/IEEE",
    "pcm_f64le": "A_PCM/FLOAT/IEEE",
    "subrip": "S_TEXT/UTF8", "text": "S_TEXT/UTF8", "ass": "S_TEXT/ASS", "ssa": "S_TEXT/ASS",
    "webvtt": "D_WEBVTT/SUBTITLES", "dvd_subtitle": "S_VOBSUB", "hdmv_pgs_subtitle": "S_HDMV/PGS",
    "dvb_subtitle": "S_DVBSUB", "hdmv_text_subtitle": "S_HDMV/TEXTST",
    "arib_caption": "S_ARIBSUB",
  ]

  /// Codecs that Matroska carries.
  static let codecs = Set(identifiers.keys).union(CompatibilityCodec.codecs)

  static let webMCodecs: Set<String> = ["vp8", "vp9", "av1", "opus", "vorbis", "webvtt"]

  static let coverTypes = [
    "mjpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "bmp": "image/bmp",
    "webp": "image/webp", "tiff": "image/tiff",
  ]

  /// Returns the bits per PCM sample.
  ///
  /// `nil` for other codecs.
  static func pcmBits(_ codec: String) -> Int? {
    guard codec.hasPrefix("pcm_") else { return nil }
    return Int(codec.dropFirst(4).filter(\.isNumber))
  }
}
