import CAVCodec

/// The video and audio codecs that libavcodec decodes.
enum DecodableCodecs {
  /// Returns the decoder for FFmpeg's codec name.
  ///
  /// `nil` if there is none.
  static func find(_ name: String) -> UnsafePointer<AVCodec>? {
    guard !name.isEmpty, let descriptor = avcodec_descriptor_get_by_name(name),
      descriptor.pointee.type == AVMEDIA_TYPE_VIDEO
        || descriptor.pointee.type == AVMEDIA_TYPE_AUDIO
    else { return nil }
    return avcodec_find_decoder(descriptor.pointee.id)
  }

  /// Common codecs, for listings.
  ///
  /// Other codecs are found as well.
  static let usual = [
    "h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mpeg1video", "h263", "theora",
    "vp6f", "flv1", "msmpeg4v3", "wmv1", "wmv2", "wmv3", "vc1", "mjpeg", "prores", "dnxhd", "ffv1",
    "huffyuv", "utvideo", "dvvideo", "rawvideo", "qtrle", "png", "apng", "gif", "bmp", "tiff",
    "webp", "aac", "aac_latm", "mp3", "mp2", "mp1", "ac3", "eac3", "dts", "truehd", "mlp", "opus",
    "vorbis", "flac", "alac", "wavpack", "ape", "tta", "tak", "wmav1", "wmav2", "wmapro",
    "wmalossless", "amr_nb", "amr_wb", "speex", "cook", "atrac3", "musepack7", "musepack8",
    "adpcm_ima_wav", "adpcm_ms", "adpcm_ima_qt", "pcm_s16le", "pcm_s16be", "pcm_s24le",
    "pcm_s24be", "pcm_s32le", "pcm_s32be", "pcm_f32le", "pcm_f64le", "pcm_u8", "pcm_mulaw",
    "pcm_alaw",
  ]
}
