/// File name extensions of the formats that libavformat reads.
enum Extensions {
  static let all: [String] = containers + audio + pictures + streams

  private static let containers = [
    "mkv", "webm", "mka", "mk3d", "mks", "mov", "mp4", "m4a", "m4v", "m4b", "3gp", "3g2", "mj2",
    "f4v", "avi", "divx", "flv", "wmv", "asf", "wma", "mpg", "mpeg", "vob", "m2p", "evo", "ts",
    "m2ts", "mts", "m2t", "trp", "mxf", "gxf", "nut", "ogg", "ogv", "oga", "ogx", "ogm", "spx",
    "opus", "rm", "rmvb", "ra", "dv", "dif", "wtv", "ivf", "nsv", "nuv", "roq", "bik", "bk2",
    "smk", "amv", "mve", "vivo", "viv", "4xm", "dxa", "fli", "flc", "y4m", "mcd", "ismv", "isma",
    "yop", "wve", "film", "cpk", "str", "vid", "swf", "mtv", "avr", "rpl", "lxf", "dav",
  ]

  private static let audio = [
    "mp3", "mp2", "mpa", "m2a", "mp1", "aac", "adts", "ac3", "eac3", "ec3", "ac4", "dts", "dtshd",
    "thd", "mlp", "truehd", "flac", "wav", "w64", "rf64", "bwf", "aif", "aiff", "aifc", "au",
    "snd", "caf", "voc", "amr", "awb", "3ga", "gsm", "ape", "apl", "mac", "mpc", "mp+", "wv", "tta",
    "tak", "shn", "ofr", "dsf", "dff", "aa", "aax", "aa3", "oma", "omg", "at3", "qcp", "sf",
    "ircam",
    "nist", "sph", "adx", "aix", "ast", "brstm", "bfstm", "bcstm", "fsb", "hca", "xwma", "vqf",
    "sbc", "msbc", "g722", "g729", "loas", "latm", "rso", "sox", "pvf", "svx", "8svx", "iff", "kss",
    "mod", "xm", "s3m", "it", "mptm", "spc", "nsf", "vgm",
  ]

  private static let pictures = [
    "gif", "apng", "png", "jpg", "jpeg", "jpe", "jfif", "webp", "bmp", "dib", "tif", "tiff", "ico",
    "jp2", "j2k", "jxl", "exr", "dds", "dpx", "psd", "qoi", "pcx", "pnm", "pbm", "pgm", "ppm",
    "pam", "sgi", "rgb", "xbm", "xpm", "xwd", "sun", "ras", "pct", "pict", "fits",
  ]

  private static let streams = [
    "h264", "264", "avc", "h265", "265", "hevc", "h261", "h263", "m1v", "m2v", "mpv", "obu", "av1",
    "vc1", "drc", "dnxhd", "dnxhr", "mjpg", "mjpeg", "cavs", "avs2", "avs3", "cdg", "yuv",
    "ass", "ssa", "vtt", "sub", "sup", "scc", "sami", "smi", "lrc", "stl", "mpl2", "ttml",
  ]
}
