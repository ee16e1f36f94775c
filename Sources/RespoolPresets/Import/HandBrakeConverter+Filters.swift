import RespoolHost
import RespoolMedia

/// Filters that HandBrake and FFmpeg share.
extension HandBrakeConverter {
  /// Values of hqdn3d by HandBrake's presets: spatial and temporal strengths of luma and of chroma.
  private static let hqdn3d: [String: (luma: [Double], chroma: [Double])] = [
    "ultralight": ([1, 1], [0.7, 2]), "light": ([2, 2], [1, 3]), "medium": ([3, 2], [2, 3]),
    "strong": ([7, 5], [7, 5]),
  ]

  /// Strengths of unsharp by HandBrake's presets.
  private static let unsharp: [String: Double] = [
    "ultralight": 0.05, "light": 0.15, "medium": 0.25, "strong": 0.5, "stronger": 0.8,
    "verystrong": 1.2,
  ]

  /// Sizes of the matrix of unsharp by HandBrake's tunes.
  private static let unsharpSizes: [String: Int] = [
    "ultrafine": 3, "fine": 5, "medium": 7, "none": 7, "": 7, "coarse": 9, "verycoarse": 11,
  ]

  /// Converts denoising by hqdn3d; returns the key of the filter, `nil` if it is another one.
  mutating func convertDenoising() -> String? {
    let key = "PictureDenoiseFilter"
    let isCustom = text("PictureDenoisePreset") == "custom"
    let values =
      isCustom
      ? Self.values(ofHQDN3D: text("PictureDenoiseCustom"))
      : Self.hqdn3d[text("PictureDenoisePreset")]
    guard text(key) == "hqdn3d", let values else { return nil }
    videoFilters.append(
      "hqdn3d: {luma_spatial: \(values.luma[0].decimalText), chroma_spatial: "
        + "\(values.chroma[0].decimalText), luma_tmp: \(values.luma[1].decimalText), chroma_tmp: "
        + "\(values.chroma[1].decimalText)}")
    note(key, .kept, "filter hqdn3d")
    note("PictureDenoisePreset", .kept, "its strengths")
    note("PictureDenoiseTune", .unused, "hqdn3d has none")
    note("PictureDenoiseCustom", isCustom ? .kept : .unused, "its strengths")
    return key
  }

  /// Reads `y-spatial=3:cb-spatial=2:cr-spatial=2:y-temporal=2:cb-temporal=3:cr-temporal=3`.
  ///
  /// `nil` if a value is missing, or if both chroma planes differ, which FFmpeg's filter does not have.
  private static func values(ofHQDN3D text: String) -> (luma: [Double], chroma: [Double])? {
    var values: [Substring: Double] = [:]
    for part in text.split(separator: ":") {
      let halves = part.split(separator: "=")
      guard halves.count == 2, let value = PresetReader.decimal(String(halves[1])),
        (0...1000).contains(value)
      else { return nil }
      values[halves[0]] = value
    }
    guard let luma = values["y-spatial"], let lumaTime = values["y-temporal"],
      let chroma = values["cb-spatial"], let chromaTime = values["cb-temporal"],
      values["cr-spatial"] ?? chroma == chroma, values["cr-temporal"] ?? chromaTime == chromaTime
    else { return nil }
    return ([luma, lumaTime], [chroma, chromaTime])
  }

  /// Converts sharpening by unsharp; returns the key of the filter, `nil` if it is another one.
  mutating func convertSharpening() -> String? {
    let key = "PictureSharpenFilter"
    guard text(key) == "unsharp", let strength = Self.unsharp[text("PictureSharpenPreset")],
      let size = Self.unsharpSizes[text("PictureSharpenTune")]
    else { return nil }
    videoFilters.append(
      "unsharp: {luma_msize_x: \(size), luma_msize_y: \(size), luma_amount: "
        + "\(strength.decimalText), chroma_msize_x: \(size), chroma_msize_y: \(size), chroma_amount: "
        + "\(strength.decimalText)}")
    note(key, .changed, "filter unsharp of FFmpeg, before scaling")
    note("PictureSharpenPreset", .kept, "its strength")
    note("PictureSharpenTune", .kept, "its size")
    note("PictureSharpenCustom", .unused)
    return key
  }
}
