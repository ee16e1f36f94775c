/// Codecs, by FFmpeg's names, for the codes of RIFF files, which Matroska stores as well.
///
/// Video codes are those of `biCompression` in a BITMAPINFOHEADER, audio tags those of a WAVEFORMATEX (RFC 2361).
package enum RIFFCodecs {
  /// Returns the codec of a video code.
  ///
  /// Writers use upper and lower case alike. Codes below 4 are numbers (BI_RGB, BI_RLE8, BI_RLE4, BI_BITFIELDS).
  package static func video(_ code: FourCC) -> String? {
    switch code.tag {
    case 0, 3: "rawvideo"
    case 1, 2: "msrle"
    default: codecs[uppercased(code)]
    }
  }

  /// Returns the most usual code of a codec.
  ///
  /// `nil` for codecs without one, and for `rawvideo`, whose code depends on the pixel format.
  package static func code(of codec: String) -> FourCC? {
    codec == "rawvideo" ? nil : rows.first { $0.codec == codec }?.codes.first
  }

  /// Returns the codec of an audio tag.
  ///
  /// `bits` is the size of a coded sample, which decides between the formats of PCM.
  package static func audio(_ tag: UInt16, bits: Int) -> String? {
    switch tag {
    case 0x0001:
      switch (bits + 7) / 8 {
      case 1: "pcm_u8"
      case 2: "pcm_s16le"
      case 3: "pcm_s24le"
      case 4: "pcm_s32le"
      case 8: "pcm_s64le"
      default: nil
      }
    case 0x0003: bits == 32 ? "pcm_f32le" : bits == 64 ? "pcm_f64le" : nil
    default: audioCodecs[tag]
    }
  }

  /// Returns the tag of an audio codec.
  ///
  /// `nil` for codecs without one.
  package static func tag(of codec: String) -> UInt16? {
    switch codec {
    case "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_s64le": 0x0001
    case "pcm_f32le", "pcm_f64le": 0x0003
    default: audioCodecs.filter { $0.value == codec }.keys.min()
    }
  }

  private static let audioCodecs: [UInt16: String] = [
    0x0002: "adpcm_ms", 0x0006: "pcm_alaw", 0x0007: "pcm_mulaw", 0x000A: "wmavoice",
    0x0010: "adpcm_ima_oki", 0x0011: "adpcm_ima_wav", 0x0014: "adpcm_g726",
    0x0017: "adpcm_ima_oki", 0x0020: "adpcm_yamaha", 0x0022: "truespeech", 0x0031: "gsm_ms",
    0x0032: "gsm_ms", 0x0038: "amr_nb", 0x0040: "adpcm_g726", 0x0042: "g723_1",
    0x0045: "adpcm_g726", 0x0050: "mp2", 0x0055: "mp3", 0x0057: "amr_nb", 0x0058: "amr_wb",
    0x0061: "adpcm_ima_dk4", 0x0062: "adpcm_ima_dk3", 0x0064: "adpcm_g726",
    0x0069: "adpcm_ima_wav", 0x0075: "metasound", 0x0083: "g729", 0x00FF: "aac",
    0x0111: "g723_1", 0x0130: "sipr", 0x0135: "acelp.kelvin", 0x0160: "wmav1", 0x0161: "wmav2",
    0x0162: "wmapro", 0x0163: "wmalossless", 0x0165: "xma1", 0x0166: "xma2", 0x0200: "adpcm_ct",
    0x0215: "dvaudio", 0x0216: "dvaudio", 0x0270: "atrac3", 0x028E: "msnsiren",
    0x028F: "adpcm_g722", 0x0401: "imc", 0x0402: "iac", 0x0500: "avc", 0x0501: "avc",
    0x1500: "gsm_ms", 0x1501: "truespeech", 0x1600: "aac", 0x1602: "aac_latm", 0x2000: "ac3",
    0x2001: "dts", 0x2048: "sonic", 0x4143: "aac", 0x5346: "adpcm_swf", 0x566F: "vorbis",
    0x594A: "xan_dpcm", 0x6C75: "pcm_mulaw", 0x706D: "aac", 0x729A: "g729", 0xA100: "g723_1",
    0xA106: "aac", 0xA109: "speex", 0xF1AC: "flac",
  ]

  private static func uppercased(_ code: FourCC) -> FourCC {
    var value: UInt32 = 0
    for byte in code.rawValue.bigEndianBytes {
      value = value << 8 | UInt32((0x61...0x7A).contains(byte) ? byte - 0x20 : byte)
    }
    return FourCC(rawValue: value)
  }

  private static let codecs: [FourCC: String] = {
    var result: [FourCC: String] = [:]
    for row in rows {
      for code in row.codes { result[uppercased(code)] = row.codec }
    }
    return result
  }()

  /// The codecs with their codes, the most usual first.
  private static let rows: [(codec: String, codes: [FourCC])] = [
    (
      "h264",
      [
        "H264", "X264", "avc1", "DAVC", "SMV2", "VSSH", "Q264", "V264", "GAVC", "UMSV", "tshd",
        "INMC",
      ]
    ),
    ("hevc", ["HEVC", "H265", "hvc1", "hev1"]),
    ("h263", ["H263", "X263", "T263", "L263", "VX1K", "ZyGo", "M263", "lsvm", "U263", "VSM4"]),
    ("h263i", ["I263"]),
    ("h261", ["H261"]),
    (
      "mpeg4",
      [
        "FMP4", "DIVX", "DX50", "XVID", "MP4S", "M4S2", "ZMP4", "DIV1", "BLZ0", "mp4v", "UMP4",
        "WV1F", "SEDG", "RMP4", "3IV2", "WAWV", "FFDS", "FVFW", "DCOD", "MVXM", "PM4V", "SMP4",
        "DXGM", "VIDM", "M4T3", "GEOX", "G264", "HDX4", "DM4V", "DMK2", "DYM4", "DIGI", "EPHV",
        "EM4A", "M4CC", "SN40", "VSPX", "ULDX", "GEOV", "SIPP", "SM4V", "XVIX", "DreX", "QMP4",
        "PLV1", "GLV4", "GMP4", "MNM4", "GTM4",
      ]
    ),
    (
      "msmpeg4v3", ["MP43", "DIV3", "MPG3", "DIV5", "DIV6", "DIV4", "DVX3", "AP41", "COL1", "COL0"]
    ),
    ("msmpeg4v2", ["MP42", "DIV2"]),
    ("msmpeg4v1", ["MPG4", "MP41"]),
    ("wmv1", ["WMV1"]),
    ("wmv2", ["WMV2", "GXVE"]),
    (
      "dvvideo",
      [
        "dvsd", "dvhd", "dvh1", "dvsl", "dv25", "dv50", "cdvc", "CDVH", "CDV5", "dvc ", "dvcs",
        "dvis", "pdvc", "SL25", "SLDV", "AVd1",
      ]
    ),
    ("mpeg1video", ["mpg1", "PIM1", "VCR2", "BW10", "XMPG"]),
    (
      "mpeg2video",
      [
        "mpg2", "MPEG", "PIM2", "DVR ", "MMES", "LMP2", "slif", "EM2V", "M701", "M702", "M703",
        "M704", "M705", "mpgv",
      ]
    ),
    ("jpegls", ["MJLS"]),
    (
      "mjpeg",
      [
        "MJPG", "MSC2", "LJPG", "dmb1", "mjpa", "JR24", "JPGL", "jpeg", "IJPG", "ACDV", "QIVG",
        "SLMJ", "CJPG", "IJLV", "MVJP", "AVI1", "AVI2", "MTSJ", "ZJPG", "MMJP",
      ]
    ),
    ("avrn", ["AVRn"]),
    ("huffyuv", ["HFYU"]),
    ("ffvhuff", ["FFVH"]),
    ("cyuv", ["CYUV"]),
    (
      "rawvideo",
      [
        "I420", "YUY2", "Y422", "V422", "YUNV", "UYNV", "UYNY", "uyv1", "2Vu1", "2vuy", "yuvs",
        "yuv2", "P422", "YV12", "YV16", "YV24", "UYVY", "VYUY", "IYUV", "Y800", "Y8  ", "HDYC",
        "YVU9", "VDTZ", "Y411", "NV12", "NV21", "Y41B", "Y42B", "YUV9", "auv2", "YVYU", "YUYV",
        "I410", "I411", "I422", "I440", "I444", "J420", "J422", "J440", "J444", "YUVA", "I40A",
        "I42A", "RGB2", "RV15", "RV16", "RV24", "RV32", "RGBA", "AV32", "GREY", "I09L", "I09B",
        "I29L", "I29B", "I49L", "I49B", "I0AL", "I0AB", "I2AL", "I2AB", "I4AL", "I4AB", "I4FL",
        "I4FB", "I0CL", "I0CB", "I2CL", "I2CB", "I4CL", "I4CB", "I0FL", "I0FB",
      ]
    ),
    ("frwu", ["FRWU"]),
    ("r10k", ["R10k"]),
    ("r210", ["r210"]),
    ("v210", ["v210", "C210"]),
    ("v308", ["v308"]),
    ("v408", ["v408"]),
    ("ayuv", ["AYUV"]),
    ("v410", ["v410"]),
    ("yuv4", ["yuv4"]),
    ("indeo3", ["IV31", "IV32"]),
    ("indeo4", ["IV41"]),
    ("indeo5", ["IV50"]),
    ("vp3", ["VP31", "VP30"]),
    ("vp4", ["VP40"]),
    ("vp5", ["VP50"]),
    ("vp6", ["VP60", "VP61", "VP62"]),
    ("vp6a", ["VP6A"]),
    ("vp6f", ["VP6F", "FLV4"]),
    ("vp7", ["VP70", "VP71"]),
    ("vp8", ["VP80"]),
    ("vp9", ["VP90"]),
    ("asv1", ["ASV1"]),
    ("asv2", ["ASV2"]),
    ("vcr1", ["VCR1"]),
    ("ffv1", ["FFV1"]),
    ("xan_wc4", ["Xxan"]),
    ("mimic", ["LM20"]),
    ("msrle", ["mrle"]),
    ("msvideo1", ["MSVC", "CRAM", "WHAM"]),
    ("cinepak", ["cvid"]),
    ("truemotion1", ["DUCK", "PVEZ"]),
    ("mszh", ["MSZH"]),
    ("zlib", ["ZLIB"]),
    ("snow", ["SNOW"]),
    ("4xm", ["4XMV"]),
    ("flv1", ["FLV1", "S263"]),
    ("flashsv", ["FSV1"]),
    ("svq1", ["svq1"]),
    ("tscc", ["tscc"]),
    ("ulti", ["ULTI"]),
    ("vixl", ["VIXL"]),
    ("qpeg", ["QPEG", "Q1.0", "Q1.1"]),
    ("wmv3", ["WMV3"]),
    ("wmv3image", ["WMVP"]),
    ("vc1", ["WVC1", "WMVA"]),
    ("vc1image", ["WVP2"]),
    ("loco", ["LOCO"]),
    ("wnv1", ["WNV1", "YUV8"]),
    ("aasc", ["AAS4", "AASC"]),
    ("indeo2", ["RT21"]),
    ("fraps", ["FPS1"]),
    ("theora", ["theo"]),
    ("truemotion2", ["TM20"]),
    ("truemotion2rt", ["TR20"]),
    ("cscd", ["CSCD"]),
    ("zmbv", ["ZMBV"]),
    ("kmvc", ["KMVC"]),
    ("cavs", ["CAVS"]),
    ("avs2", ["AVS2"]),
    ("jpeg2000", ["mjp2", "MJ2C", "LJ2C", "LJ2K", "IPJ2", "AVj2"]),
    ("vmnc", ["VMnc"]),
    ("targa", ["tga "]),
    ("png", ["MPNG", "PNG1", "png "]),
    ("cljr", ["CLJR"]),
    ("dirac", ["drac"]),
    ("rpza", ["azpr", "RPZA"]),
    ("sp5x", ["SP54"]),
    ("aura", ["AURA"]),
    ("aura2", ["AUR2"]),
    ("dpx", ["dpx "]),
    ("kgv1", ["KGV1"]),
    ("lagarith", ["LAGS"]),
    ("amv", ["AMVF"]),
    (
      "utvideo",
      [
        "ULY0", "ULRA", "ULRG", "ULY2", "ULY4", "ULH0", "ULH2", "ULH4", "UQY0", "UQY2", "UQRA",
        "UQRG", "UMY2", "UMH2", "UMY4", "UMH4", "UMRA", "UMRG",
      ]
    ),
    ("vble", ["VBLE"]),
    ("escape130", ["E130"]),
    ("dxtory", ["xtor"]),
    ("zerocodec", ["ZECO"]),
    ("y41p", ["Y41P"]),
    ("flic", ["AFLC"]),
    ("mss1", ["MSS1"]),
    ("msa1", ["MSA1"]),
    ("tscc2", ["TSC2"]),
    ("mts2", ["MTS2"]),
    ("cllc", ["CLLC"]),
    ("mss2", ["MSS2"]),
    ("svq3", ["SVQ3"]),
    ("012v", ["012v", "a12v"]),
    ("g2m", ["G2M2", "G2M3", "G2M4", "G2M5"]),
    ("fic", ["FICV"]),
    ("hqx", ["CHQX"]),
    ("tdsc", ["TDSC"]),
    ("hq_hqa", ["CUVC"]),
    ("rv40", ["RV40"]),
    ("screenpresso", ["SPV1"]),
    ("rscc", ["RSCC", "ISCC"]),
    ("cfhd", ["CFHD"]),
    ("m101", ["M101", "M102"]),
    (
      "magicyuv",
      [
        "MAGY", "M8RG", "M8RA", "M8G0", "M8Y0", "M8Y2", "M8Y4", "M8YA", "M0RA", "M0RG", "M0G0",
        "M0Y0", "M0Y2", "M0Y4", "M2RA", "M2RG",
      ]
    ),
    ("ylc", ["YLC0"]),
    ("speedhq", ["SHQ0", "SHQ1", "SHQ2", "SHQ3", "SHQ4", "SHQ5", "SHQ7", "SHQ9"]),
    ("fmvc", ["FMVC"]),
    ("scpr", ["SCPR"]),
    ("clearvideo", ["UCOD"]),
    ("av1", ["AV01"]),
    ("mscc", ["MSCC"]),
    ("srgc", ["SRGC"]),
    ("imm4", ["IMM4"]),
    ("prosumer", ["BT20"]),
    ("mwsc", ["MWSC"]),
    ("wcmv", ["WCMV"]),
    ("rasc", ["RASC"]),
    ("hymt", ["HYMT"]),
    ("arbc", ["ARBC"]),
    ("agm", ["AGM0", "AGM1", "AGM2", "AGM3", "AGM4", "AGM5", "AGM6", "AGM7"]),
    ("lscr", ["LSCR"]),
    ("imm5", ["IMM5"]),
    ("mvdv", ["MVDV"]),
    ("mvha", ["MVHA"]),
    ("mv30", ["MV30"]),
    ("notchlc", ["nlc1"]),
  ]
}
