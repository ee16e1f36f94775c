import RespoolPlugin

/// Which codec a sample entry's four characters stand for, by FFmpeg's names.
enum CodecTable {
  static let video: [FourCC: String] = [
    "avc1": "h264", "avc2": "h264", "avc3": "h264", "avc4": "h264", "dva1": "h264",
    "dvav": "h264", "ai12": "h264", "ai15": "h264", "ai55": "h264", "AVin": "h264",
    "hvc1": "hevc", "hev1": "hevc", "dvh1": "hevc", "dvhe": "hevc", "hvc2": "hevc",
    "vvc1": "vvc", "vvi1": "vvc", "av01": "av1", "vp08": "vp8", "VP80": "vp8", "vp09": "vp9",
    "VP90": "vp9", "mp4v": "mpeg4", "DIVX": "mpeg4", "XVID": "mpeg4", "3IV2": "mpeg4",
    "s263": "h263", "h263": "h263", "H263": "h263", "jpeg": "mjpeg", "mjpg": "mjpeg",
    "mjpa": "mjpeg", "AVDJ": "mjpeg", "dmb1": "mjpeg", "mjpb": "mjpegb", "png ": "png",
    "apch": "prores", "apcn": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores",
    "ap4x": "prores", "raw ": "rawvideo", "yuv2": "rawvideo", "2vuy": "rawvideo",
    "yuvs": "rawvideo", "2Vuy": "rawvideo", "RGBA": "rawvideo", "BGRA": "rawvideo",
    "rle ": "qtrle", "smc ": "smc", "rpza": "rpza", "cvid": "cinepak", "SVQ1": "svq1",
    "svq1": "svq1", "SVQ3": "svq3", "8BPS": "8bps", "mp1v": "mpeg1video", "m1v ": "mpeg1video",
    "mp2v": "mpeg2video", "m2v1": "mpeg2video", "mpg2": "mpeg2video", "hdv1": "mpeg2video",
    "hdv2": "mpeg2video", "hdv3": "mpeg2video", "hdv5": "mpeg2video", "hdv6": "mpeg2video",
    "mx5p": "mpeg2video", "mx3p": "mpeg2video", "xdv2": "mpeg2video", "xdv3": "mpeg2video",
    "xdvb": "mpeg2video", "xdvc": "mpeg2video", "xd5b": "mpeg2video", "dvc ": "dvvideo",
    "dvcp": "dvvideo", "dvpp": "dvvideo", "dvh5": "dvvideo", "dvh6": "dvvideo",
    "dvhp": "dvvideo", "dvhq": "dvvideo", "dv5n": "dvvideo", "dv5p": "dvvideo",
    "mjp2": "jpeg2000", "AVdn": "dnxhd", "AVdh": "dnxhd", "CFHD": "cfhd", "icod": "aic",
    "v210": "v210", "v410": "v410", "v308": "v308", "v408": "v408", "tiff": "targa",
    "tga ": "targa", "gif ": "gif", "vc-1": "vc1", "WMV3": "wmv3", "drac": "dirac",
    "Hap1": "hap", "Hap5": "hap", "HapY": "hap", "FFV1": "ffv1", "ULRG": "utvideo",
    "flv1": "flv1", "FLV1": "flv1", "VP31": "vp3", "VP60": "vp6", "theo": "theora",
    "cmuv": "cinepak", "ap4c": "prores", "b64a": "bitpacked", "r210": "r210",
  ]

  static let audio: [FourCC: String] = [
    "mp4a": "aac", "aac ": "aac", ".mp3": "mp3", "mp3 ": "mp3", "ms\u{0}U": "mp3",
    "ac-3": "ac3", "sac3": "ac3", "ms\u{20}\u{0}": "ac3", "ec-3": "eac3", "ac-4": "ac4",
    "alac": "alac", "fLaC": "flac", "Opus": "opus", "samr": "amr_nb", "sawb": "amr_wb",
    "ulaw": "pcm_mulaw", "alaw": "pcm_alaw", "ima4": "adpcm_ima_qt", "agsm": "gsm",
    "MAC3": "mace3", "MAC6": "mace6", "QDMC": "qdmc", "QDM2": "qdm2", "Qclp": "qcelp",
    "sqcp": "qcelp", "dtsc": "dts", "dtsh": "dts", "dtsl": "dts", "dtse": "dts", "dtsx": "dts",
    "DTS ": "dts", "mlpa": "truehd", "ilbc": "ilbc", "spex": "speex", "vorb": "vorbis",
    "WMA2": "wmav2", "owma": "wmav2", "mha1": "mpegh_3d_audio", "mhm1": "mpegh_3d_audio",
    ".mp1": "mp1", ".mp2": "mp2",
  ]

  static let subtitle: [FourCC: String] = [
    "tx3g": "mov_text", "text": "mov_text", "wvtt": "webvtt", "stpp": "ttml", "dfxp": "ttml",
    "c608": "eia_608", "c708": "eia_608", "mp4s": "dvd_subtitle",
  ]

  /// `objectTypeIndication` of an MPEG-4 decoder configuration (ISO/IEC 14496-1 table 5).
  static let objectTypes: [UInt8: String] = [
    0x01: "mov_text", 0x20: "mpeg4", 0x21: "h264", 0x23: "hevc", 0x40: "aac",
    0x60: "mpeg2video", 0x61: "mpeg2video", 0x62: "mpeg2video", 0x63: "mpeg2video",
    0x64: "mpeg2video", 0x65: "mpeg2video", 0x66: "aac", 0x67: "aac", 0x68: "aac", 0x69: "mp3",
    0x6A: "mpeg1video", 0x6B: "mp3", 0x6C: "mjpeg", 0x6D: "png", 0x6E: "jpeg2000", 0xA3: "vc1",
    0xA4: "dirac", 0xA5: "ac3", 0xA6: "eac3", 0xA9: "dts", 0xAA: "dts", 0xAB: "dts", 0xAD: "opus",
    0xB1: "vp9", 0xC1: "flac", 0xDD: "vorbis", 0xDE: "qcelp", 0xE0: "dvd_subtitle", 0xE1: "qcelp",
  ]
}

/// How a linear PCM track lies in its packets.
struct LinearSound: Hashable {
  var bits: Int
  var isFloat = false
  var isSigned = true
  var isBigEndian: Bool

  /// FFmpeg's name; nil where it has no such format.
  var codec: String? {
    let order = isBigEndian ? "be" : "le"
    switch (isFloat, bits) {
    case (true, 32), (true, 64): return "pcm_f\(bits)\(order)"
    case (false, 8): return isSigned ? "pcm_s8" : "pcm_u8"
    case (false, 16), (false, 24), (false, 32): return "pcm_\(isSigned ? "s" : "u")\(bits)\(order)"
    default: return nil
    }
  }

  /// The format of PCM that FFmpeg calls `codec`.
  init?(codec: String) {
    guard codec.hasPrefix("pcm_") else { return nil }
    let text = codec.dropFirst(4)
    switch text.first {
    case "s": break
    case "u": isSigned = false
    case "f": isFloat = true
    default: return nil
    }
    guard let bits = Int(text.dropFirst().prefix { $0.isNumber }) else { return nil }
    self.bits = bits
    isBigEndian = text.hasSuffix("be")
    guard self.codec == codec else { return nil }
  }

  init(bits: Int, isFloat: Bool = false, isSigned: Bool = true, isBigEndian: Bool) {
    self.bits = bits
    self.isFloat = isFloat
    self.isSigned = isSigned
    self.isBigEndian = isBigEndian
  }

  /// The interleaved format that decoding gives.
  var sampleFormat: SampleFormat {
    if isFloat { return bits == 64 ? .dbl : .flt }
    return bits <= 8 ? .u8 : bits <= 16 ? .s16 : .s32
  }
}
