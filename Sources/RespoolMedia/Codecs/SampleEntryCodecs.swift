/// Codecs, by FFmpeg's names, for the four-character codes of sample entries (QuickTime File Format, MP4 registration).
package enum SampleEntryCodecs {
  package static let video = table([
    (
      "h264",
      [
        "avc1", "avc2", "avc3", "avc4", "dva1", "dvav", "ai12", "ai15", "ai55", "AVin", "ai5p",
        "ai5q", "ai52", "ai53", "ai56", "ai1p", "ai1q", "ai13", "ai16", "aivx", "rv64", "xalg",
        "avlg",
      ]
    ),
    ("hevc", ["hvc1", "hev1", "dvh1", "dvhe", "hvc2"]),
    ("vvc", ["vvc1", "vvi1"]),
    ("av1", ["av01"]),
    ("vp8", ["vp08", "VP80"]),
    ("vp9", ["vp09", "VP90"]),
    ("mpeg4", ["mp4v", "DIVX", "XVID", "3IV2"]),
    ("h263", ["s263", "h263", "H263"]),
    ("mjpeg", ["jpeg", "mjpg", "mjpa", "AVDJ", "dmb1", "AVRn"]),
    ("mjpegb", ["mjpb"]),
    ("png", ["png ", "MNG "]),
    ("prores", ["apch", "apcn", "apcs", "apco", "ap4h", "ap4x", "ap4c"]),
    (
      "rawvideo",
      [
        "raw ", "yuv2", "2vuy", "yuvs", "2Vuy", "RGBA", "BGRA", "b64a", "L555", "L565", "B565",
        "24BG", "ABGR", "b16g", "b48r", "bxbg", "bxrg", "bxyv", "NO16", "DVOO", "R420", "R411",
        "WRAW", "AV1x", "AVup", "BGGR",
      ]
    ),
    ("qtrle", ["rle "]),
    ("smc", ["smc "]),
    ("rpza", ["rpza"]),
    ("cinepak", ["cvid", "cmuv"]),
    ("svq1", ["SVQ1", "svq1", "svqi"]),
    ("svq3", ["SVQ3"]),
    ("8bps", ["8BPS"]),
    ("mpeg1video", ["mp1v", "m1v ", "m1v1", "mpeg"]),
    (
      "mpeg2video",
      [
        "mp2v", "m2v1", "mpg2", "hdv1", "hdv2", "hdv3", "hdv5", "hdv6", "mx5p", "mx3p", "xdv2",
        "xdv3", "xdvb", "xdvc", "xd5b", "hdv4", "hdv7", "hdv8", "hdv9", "hdva", "mx5n", "mx4n",
        "mx4p", "mx3n", "xd51", "xd54", "xd55", "xd59", "xd5a", "xd5c", "xd5d", "xd5e", "xd5f",
        "xdv1", "xdv4", "xdv5", "xdv6", "xdv7", "xdv8", "xdv9", "xdva", "xdvd", "xdve", "xdvf",
        "xdhd", "xdh2", "AVmp",
      ]
    ),
    (
      "dvvideo",
      [
        "dvc ", "dvcp", "dvpp", "dvh5", "dvh6", "dvhp", "dvhq", "dv5n", "dv5p", "dvlp", "dvl ",
        "AVdv", "AVd1", "dvh2", "dvh4", "dvh3",
      ]
    ),
    ("jpeg2000", ["mjp2"]),
    ("dnxhd", ["AVdn", "AVdh"]),
    ("cfhd", ["CFHD"]),
    ("aic", ["icod"]),
    ("v210", ["v210", "bxy2"]),
    ("v410", ["v410"]),
    ("v308", ["v308"]),
    ("v408", ["v408"]),
    ("tiff", ["tiff"]),
    ("targa", ["tga "]),
    ("gif", ["gif "]),
    ("vc1", ["vc-1"]),
    ("wmv3", ["WMV3"]),
    ("dirac", ["drac"]),
    ("hap", ["Hap1", "Hap5", "HapY", "HapA", "HapM"]),
    ("ffv1", ["FFV1"]),
    ("utvideo", ["ULRG"]),
    ("flv1", ["flv1", "FLV1"]),
    ("vp3", ["VP31"]),
    ("vp6", ["VP60"]),
    ("theora", ["theo"]),
    ("r210", ["r210"]),
    ("r10k", ["R10k", "R10g"]),
    ("avui", ["AVUI"]),
    ("avrp", ["AVrp", "SUDS"]),
    ("y41p", ["Y41P"]),
    ("yuv4", ["yuv4"]),
    ("targa_y216", ["Y216"]),
    ("sgirle", ["rle1"]),
    ("msrle", ["WRLE"]),
    ("qdraw", ["qdrw"]),
    ("cdtoons", ["QkBk"]),
    ("cavs", ["avs2"]),
    ("msmpeg4v3", ["3IVD"]),
    ("sgi", ["sgi "]),
    ("dpx", ["dpx "]),
    ("exr", ["exr "]),
    ("flic", ["flic"]),
    ("dxv", ["DXD3", "DXDI"]),
    (
      "magicyuv",
      [
        "M0R0", "M0RA", "M0RG", "M0Y0", "M0Y2", "M0Y4", "M8RG", "M8RA", "M8G0", "M8Y0", "M8Y2",
        "M8Y4", "M8YA", "M2RA", "M2RG",
      ]
    ),
    ("sheervideo", ["Shr0", "Shr1", "Shr2", "Shr3", "Shr4", "Shr5", "Shr6", "Shr7"]),
    ("pixlet", ["pxlt"]),
    ("notchlc", ["nclc"]),
  ])

  private static func table(_ rows: [(codec: String, entries: [FourCC])]) -> [FourCC: String] {
    var result: [FourCC: String] = [:]
    for row in rows { for entry in row.entries { result[entry] = row.codec } }
    return result
  }

  package static let audio: [FourCC: String] = [
    "mp4a": "aac", "aac ": "aac", ".mp3": "mp3", "mp3 ": "mp3", "ms\u{0}U": "mp3",
    "ac-3": "ac3", "sac3": "ac3", "ms\u{20}\u{0}": "ac3", "ec-3": "eac3", "ac-4": "ac4",
    "alac": "alac", "fLaC": "flac", "Opus": "opus", "samr": "amr_nb", "sawb": "amr_wb",
    "ulaw": "pcm_mulaw", "alaw": "pcm_alaw", "ima4": "adpcm_ima_qt", "agsm": "gsm",
    "MAC3": "mace3", "MAC6": "mace6", "QDMC": "qdmc", "QDM2": "qdm2", "Qclp": "qcelp",
    "sqcp": "qcelp", "dtsc": "dts", "dtsh": "dts", "dtsl": "dts", "dtse": "dts", "dtsx": "dts",
    "DTS ": "dts", "mlpa": "truehd", "ilbc": "ilbc", "spex": "speex", "vorb": "vorbis",
    "WMA2": "wmav2", "owma": "wmav2", "mha1": "mpegh_3d_audio", "mhm1": "mpegh_3d_audio",
    ".mp1": "mp1", ".mp2": "mp2", "vdva": "dvaudio", "dvca": "dvaudio", "nmos": "nellymoser",
    "NELL": "nellymoser", "Qclq": "qcelp", "SPXN": "speex", "sevc": "evrc", "U\u{0}sm": "mp3",
  ]
}
