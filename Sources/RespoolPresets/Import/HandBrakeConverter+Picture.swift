import RespoolHost

extension HandBrakeConverter {
  /// Converts the size of frames and cropping.
  mutating func convertPicture() {
    let (width, height) = (side("PictureWidth"), side("PictureHeight"))
    let hasSize = width != nil || height != nil
    if hasSize {
      let size = "\(width ?? 16384)x\(height ?? 16384)"
      video.append(("size", size))
      for key in ["PictureWidth", "PictureHeight"] {
        note(key, .changed, "size: \(size), whose sides swap for upright frames")
      }
    } else {
      for key in ["PictureWidth", "PictureHeight"] {
        let isZero = source[key].map { $0.double == 0 } ?? true
        note(
          key, isZero ? .kept : .refused, isZero ? "any size" : "16 to 16384 pixels are possible")
      }
    }
    if isTrue("PictureAllowUpscaling"), hasSize {
      video.append(("upscale", "true"))
      note("PictureAllowUpscaling", .kept, "upscale: true")
    } else {
      note("PictureAllowUpscaling", isTrue("PictureAllowUpscaling") ? .unused : .kept)
    }
    note("VideoScaler", hasSize ? .changed : .unused, "zimg scales")
    convertCropping()
    let par = text("PicturePAR")
    note(
      "PicturePAR", par == "off" ? .kept : .changed, "frames that are scaled get square pixels")
    for key in ["PicturePARWidth", "PicturePARHeight"] {
      note(key, par == "custom" ? .refused : .unused, "the pixel aspect ratio is not set")
    }
  }

  private mutating func convertCropping() {
    // PictureCropMode replaced PictureAutoCrop: 0 automatic, 1 loose, 2 none, 3 custom.
    let mode = number("PictureCropMode")
    let isAutomatic = mode.map { $0 == 0 || $0 == 1 } ?? isTrue("PictureAutoCrop")
    note("PictureCropMode", isAutomatic ? .refused : .kept, "black borders stay")
    note(
      "PictureAutoCrop", mode != nil ? .unused : isAutomatic ? .refused : .kept,
      "black borders stay")
    note("PictureLooseCrop", isAutomatic && mode == nil ? .refused : .unused, "black borders stay")
    let isCustom = mode.map { $0 == 3 } ?? !isAutomatic
    for side in ["Top", "Bottom", "Left", "Right"] {
      let key = "Picture\(side)Crop"
      let isZero = number(key) == 0
      note(
        key, !isCustom ? .unused : isZero ? .kept : .refused,
        "frames are not cropped")
    }
  }

  /// Returns a side in even pixels; `nil` if there is no limit.
  private func side(_ key: String) -> Int? {
    guard let value = number(key), (16...16384).contains(value) else { return nil }
    return Int(value) & ~1
  }

  /// Converts deinterlacing, and notes other filters.
  mutating func convertFilters() {
    let filter = text("PictureDeinterlaceFilter")
    let isOn = !["", "off"].contains(filter)
    let detelecine = text("PictureDetelecine")
    let restores = !["", "off"].contains(detelecine)
    let preset = text("PictureDeinterlacePreset")
    let custom = text("PictureDeinterlaceCustom")
    let makesFields = isOn && preset.contains("bob")
    let word = makesFields ? "fields" : isOn || restores ? "auto" : "never"
    if word != "auto" { video.append(("deinterlace", word)) }
    note(
      "PictureDeinterlaceFilter", isOn ? .changed : restores ? .changed : .kept,
      isOn ? "deinterlace: \(word), by bwdif" : "deinterlace: \(word)")
    note(
      "PictureDeinterlacePreset",
      !isOn ? .unused : preset == "default" || makesFields ? .kept : .changed,
      "deinterlace: \(word)")
    note(
      "PictureDeinterlaceCustom",
      isOn && preset == "custom" && !custom.isEmpty ? .refused : .unused,
      "bwdif has its defaults")
    note("PictureCombDetectPreset", isOn ? .changed : .unused, "Respool looks at frames itself")
    note(
      "PictureCombDetectCustom",
      isOn && text("PictureCombDetectPreset") == "custom" ? .refused : .unused)
    note(
      "PictureDetelecine", word == "never" ? .kept : restores ? .kept : .changed,
      word == "never" ? "fields stay" : "telecined film gets its frames again")
    note("PictureDetelecineCustom", detelecine == "custom" ? .refused : .unused)
    for filter in HandBrakeKeys.filters {
      let isOff = ["", "off", "none"].contains(text(filter.key))
      note(filter.key, isOff ? .kept : .refused, isOff ? "no \(filter.name)" : filter.name)
      for key in filter.others { note(key, isOff ? .unused : .refused, filter.name) }
    }
    if isTrue("VideoGrayScale") { videoFilters.append("gray") }
    note("VideoGrayScale", .kept, isTrue("VideoGrayScale") ? "filter gray" : "color stays")
  }
}
