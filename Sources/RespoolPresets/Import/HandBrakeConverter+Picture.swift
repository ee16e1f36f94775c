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
    if isAutomatic { video.append(("crop", "auto")) }
    // HandBrake looks at some frames; Respool removes only what is black in all key frames.
    let automatic = "crop: auto, what is black in the whole film"
    note(
      "PictureCropMode", isAutomatic ? .changed : .kept,
      isAutomatic ? automatic : mode == 3 ? "the filter crop" : "crop: never")
    note(
      "PictureAutoCrop", mode != nil ? .unused : isAutomatic ? .changed : .kept,
      isAutomatic ? automatic : "crop: never")
    note(
      "PictureLooseCrop", isAutomatic && mode == nil ? .changed : .unused,
      "the size is a multiple of 2")
    let isCustom = mode.map { $0 == 3 } ?? !isAutomatic
    let sides = ["Top", "Bottom", "Left", "Right"].map { "Picture\($0)Crop" }
    let sizes = sides.map { number($0).flatMap { Int(exactly: $0) } ?? 0 }
    let isCropping =
      isCustom && sizes.contains { $0 > 0 } && sizes.allSatisfy { (0...8192).contains($0) }
    if isCropping {
      let (top, bottom, left, right) = (sizes[0], sizes[1], sizes[2], sizes[3])
      videoFilters.insert(
        "crop: {w: in_w-\(left + right), h: in_h-\(top + bottom), x: \(left), y: \(top)}", at: 0)
    }
    for side in sides {
      let isZero = number(side) == 0
      note(
        side, !isCustom ? .unused : isZero || isCropping ? .kept : .refused,
        isCropping ? "the filter crop" : "frames are not cropped")
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
    let converted = [convertDenoising(), convertSharpening()].compactMap(\.self)
    for filter in HandBrakeKeys.filters where !converted.contains(filter.key) {
      let isOff = ["", "off", "none"].contains(text(filter.key))
      note(filter.key, isOff ? .kept : .refused, isOff ? "no \(filter.name)" : filter.name)
      for key in filter.others { note(key, isOff ? .unused : .refused, filter.name) }
    }
    if isTrue("VideoGrayScale") { videoFilters.append("gray") }
    note("VideoGrayScale", .kept, isTrue("VideoGrayScale") ? "filter gray" : "color stays")
  }
}
