/// Names of values, as `respool inspect` shows them.
extension TrackDescription {
  /// Name as in ffprobe, which has separate names for full-range YUV.
  package var pixelFormatName: String {
    let name = pixelFormat.name
    guard color.range == .full, pixelFormat.layout?.family == .yuv, name.hasPrefix("yuv4"),
      pixelFormat.layout?.depth == 8
    else { return name }
    return "yuvj" + name.dropFirst(3)
  }

  /// `progressive`, `top field first` or `bottom field first`; `nil` if unknown.
  package var fieldOrderName: String? {
    switch fieldOrder {
    case .unknown: nil
    case .progressive: "progressive"
    case .topFirst: "top field first"
    case .bottomFirst: "bottom field first"
    }
  }
}

extension TrackDescription.Disposition {
  /// Names of the flags that are set, as FFmpeg spells them.
  package var names: [String] {
    let all: [(TrackDescription.Disposition, String)] = [
      (.default, "default"), (.forced, "forced"), (.attachedPicture, "attached_pic"),
      (.commentary, "comment"), (.hearingImpaired, "hearing_impaired"),
      (.visualImpaired, "visual_impaired"), (.original, "original"),
      (.stillImage, "still_image"), (.disabled, "disabled"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}
