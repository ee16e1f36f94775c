import RespoolPlugin

/// The codec and frame format for a codec identifier (RFC 9559, "Matroska Codec Specifications").
struct CodecIdentifier: Equatable {
  /// A form in which the file stores frames that differs from the form in the pipeline.
  enum Form: Equatable {
    case plain
    /// ProRes frames without the leading size and `icpf`.
    case proRes
    /// A WebVTT cue with identifier and settings as lines before the text.
    case cue
  }

  /// FFmpeg's name.
  var codec: String
  var form = Form.plain

  init(_ codec: String, _ form: Form = .plain) { (self.codec, self.form) = (codec, form) }

  /// Returns the identifier of a track's codec.
  ///
  /// `nil` for codecs that this plugin does not describe.
  static func find(_ entry: TrackEntry) -> CodecIdentifier? {
    let id = entry.codecID
    if let known = table[id] { return known }
    if id.hasPrefix("A_PCM/") {
      return pcm(id, bits: entry.audio.bitDepth).map { CodecIdentifier($0) }
    }
    // Obsolete identifiers name the profile, such as A_AAC/MPEG4/LC/SBR.
    if id.hasPrefix("A_AAC/") { return CodecIdentifier("aac") }
    if id == "V_MS/VFW/FOURCC" { return intraOnly(entry.codecPrivate).map { CodecIdentifier($0) } }
    return nil
  }

  private static let table: [String: CodecIdentifier] = {
    var result: [String: CodecIdentifier] = [:]
    for (name, id) in plain { result[id] = CodecIdentifier(name) }
    result["V_PRORES"] = CodecIdentifier("prores", .proRes)
    for id in [
      "D_WEBVTT/SUBTITLES", "D_WEBVTT/CAPTIONS", "D_WEBVTT/DESCRIPTIONS", "D_WEBVTT/METADATA",
    ] {
      result[id] = CodecIdentifier("webvtt", .cue)
    }
    return result
  }()

  private static let plain: [(String, String)] = [
    ("h264", "V_MPEG4/ISO/AVC"), ("hevc", "V_MPEGH/ISO/HEVC"), ("av1", "V_AV1"), ("vp8", "V_VP8"),
    ("vp9", "V_VP9"), ("mpeg4", "V_MPEG4/ISO/ASP"), ("mpeg4", "V_MPEG4/ISO/SP"),
    ("mpeg4", "V_MPEG4/ISO/AP"), ("mjpeg", "V_MJPEG"),
    ("aac", "A_AAC"), ("ac3", "A_AC3"), ("ac3", "A_AC3/BSID9"), ("ac3", "A_AC3/BSID10"),
    ("eac3", "A_EAC3"), ("alac", "A_ALAC"), ("dts", "A_DTS"), ("flac", "A_FLAC"),
    ("mp1", "A_MPEG/L1"), ("mp2", "A_MPEG/L2"), ("mp3", "A_MPEG/L3"), ("opus", "A_OPUS"),
    ("opus", "A_OPUS/EXPERIMENTAL"), ("truehd", "A_TRUEHD"), ("vorbis", "A_VORBIS"),
    ("subrip", "S_TEXT/UTF8"), ("text", "S_TEXT/ASCII"), ("ass", "S_TEXT/ASS"), ("ass", "S_ASS"),
    ("ass", "S_TEXT/SSA"), ("ass", "S_SSA"), ("webvtt", "S_TEXT/WEBVTT"),
    ("dvd_subtitle", "S_VOBSUB"), ("hdmv_pgs_subtitle", "S_HDMV/PGS"),
    ("hdmv_text_subtitle", "S_HDMV/TEXTST"), ("dvb_subtitle", "S_DVBSUB"),
    ("arib_caption", "S_ARIBSUB"),
  ]

  private static func pcm(_ id: String, bits: Int) -> String? {
    switch id {
    case "A_PCM/INT/LIT":
      return bits == 8 ? "pcm_u8" : [16, 24, 32].contains(bits) ? "pcm_s\(bits)le" : nil
    case "A_PCM/INT/BIG":
      return bits == 8 ? "pcm_s8" : [16, 24, 32].contains(bits) ? "pcm_s\(bits)be" : nil
    case "A_PCM/FLOAT/IEEE": return bits == 32 || bits == 64 ? "pcm_f\(bits)le" : nil
    default: return nil
    }
  }

  /// Returns the codec of a BITMAPINFOHEADER if it is intra-only.
  ///
  /// Tracks of other codecs store decoding times, from which only a decoder can derive presentation times.
  private static func intraOnly(_ header: [UInt8]) -> String? {
    guard header.count >= 40 else { return nil }
    switch String(decoding: header[16..<20], as: UTF8.self).uppercased() {
    case "MJPG": return "mjpeg"
    default: return nil
    }
  }
}
