/// Keys of HandBrake with one treatment for every value, and filters that Respool does not take over.
enum HandBrakeKeys {
  /// Keys of HandBrake's window, or of how it decodes, which change no output.
  static let fixed: [(String, ImportedPreset.Treatment)] = [
    "ChildrenArray", "Default", "Folder", "FolderOpen", "PresetBuildNumber", "PresetDisabled",
    "PictureUseMaximumSize", "Type", "UsesMaxPictureSettings", "UsesPictureFilters",
    "UsesPictureSettings", "VideoHWDecode", "VideoQSVAsyncDepth", "VideoQSVDecode",
    "VideoQSVAdapterIndex", "VideoEncodeOnOneDevice",
  ].map { ($0, .unused) }

  /// A filter: the key that switches it on, and keys that have an effect only then.
  static let filters: [(name: String, key: String, others: [String])] = [
    (
      "denoising", "PictureDenoiseFilter",
      ["PictureDenoisePreset", "PictureDenoiseTune", "PictureDenoiseCustom"]
    ),
    (
      "sharpening", "PictureSharpenFilter",
      ["PictureSharpenPreset", "PictureSharpenTune", "PictureSharpenCustom"]
    ),
    ("deblocking", "PictureDeblockPreset", ["PictureDeblockTune", "PictureDeblockCustom"]),
    (
      "chroma smoothing", "PictureChromaSmoothPreset",
      ["PictureChromaSmoothTune", "PictureChromaSmoothCustom"]
    ),
    ("color space conversion", "PictureColorspacePreset", ["PictureColorspaceCustom"]),
    (
      "padding", "PicturePadMode",
      ["PicturePadTop", "PicturePadBottom", "PicturePadLeft", "PicturePadRight", "PicturePadColor"]
    ),
  ]

  /// Flags and words that Respool does not have.
  ///
  /// A preset with the neutral value loses nothing.
  static let absent: [(key: String, neutral: [String], text: String)] = [
    ("AlignAVStart", ["false"], "tracks keep the start times of the source"),
    ("InlineParameterSets", ["false"], "parameter sets are where the container wants them"),
    ("Mp4iPodCompatible", ["false"], "there is no such box"),
    ("VideoColorMatrixCodeOverride", ["0", ""], "colors are described as in the source"),
    ("VideoColorMatrixCode", ["0", ""], "colors are described as in the source"),
    ("VideoColorRange", ["auto", "limited", ""], "the range is that of the source"),
    (
      "VideoPasshtruHDRDynamicMetadata", ["none", "off", "", "all", "hdr10plus", "dolby_vision"],
      "HDR10+ is kept, and Dolby Vision where frames keep their size"
    ),
    (
      "PictureRotate", ["angle=0:hflip=0", "", "0:0", "0"],
      "frames are rotated as the source states"
    ),
    ("PictureItuPAR", ["false"], "the pixel aspect ratio is that of the source"),
    ("PictureKeepRatio", ["true"], "the aspect ratio is kept"),
    ("PictureModulus", ["2"], "sides are multiples of 2"),
    ("PictureDARWidth", ["0"], "the aspect ratio is kept"),
    ("PictureForceWidth", ["0"], "a size is a maximum"),
    ("PictureForceHeight", ["0"], "a size is a maximum"),
  ]
}
