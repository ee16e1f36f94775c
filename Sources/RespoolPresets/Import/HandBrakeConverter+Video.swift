import RespoolHost
import RespoolMedia

extension HandBrakeConverter {
  /// Converts the video encoder with its settings, and the frame rate.
  mutating func convertVideo() {
    let encoder = HandBrakeEncoder(text("VideoEncoder"))
    video = [("codec", encoder.codec), ("encoder", encoder.encoder)]
    if !encoder.pixelFormat.isEmpty { video.append(("pixelFormat", encoder.pixelFormat)) }
    note(
      "VideoEncoder", encoder.isOther ? .changed : .kept,
      "\(encoder.encoder)\(encoder.pixelFormat.isEmpty ? "" : ", \(encoder.pixelFormat)")")
    convertRate(encoder)
    convertEncoderPreset(encoder)
    convertTune(encoder)
    convertProfile(encoder)
    convertExtra(encoder)
    convertLevel(encoder)
    convertFrameRate()
  }

  private mutating func convertRate(_ encoder: HandBrakeEncoder) {
    let quality = number("VideoQualitySlider").flatMap { $0 < 0 ? nil : $0 }
    let rate = number("VideoAvgBitrate").flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    // 0 was a size of the file, 1 is a bit rate, 2 a quality.
    let wantsRate = number("VideoQualityType") != 2
    let usesRate = wantsRate && rate != nil && encoder.scale != .none
    if encoder.scale == .none {
      note("VideoQualityType", .unused, "\(encoder.codec) is lossless")
      note("VideoQualitySlider", .unused)
      note("VideoAvgBitrate", .unused)
    } else if usesRate, let rate {
      // A lowest rate of 1 kbit/s is that of the encoders.
      let value = "\(Int64(rate.rounded()))k"
      video.append(("bitrate", value))
      note(
        "VideoQualityType", number("VideoQualityType") == 0 ? .changed : .kept, "a bit rate")
      note("VideoQualitySlider", .unused)
      note("VideoAvgBitrate", .kept, "bitrate: \(value)")
    } else {
      let wanted = quality ?? 22
      let result = encoder.quality(wanted)
      let value = result.decimalText
      video.append(("quality", value))
      note("VideoQualityType", wantsRate ? .changed : .kept, "a quality")
      let isSame = encoder.scale == .same && result == wanted && quality != nil
      note(
        "VideoQualitySlider", isSame ? .kept : .changed,
        "quality: \(value)" + (isSame ? "" : " on the scale of \(encoder.encoder)"))
      note("VideoAvgBitrate", .unused)
    }
    convertPasses(encoder, usesRate: usesRate)
  }

  /// Converts the number of passes, which has a meaning for bit rates only.
  private mutating func convertPasses(_ encoder: HandBrakeEncoder, usesRate: Bool) {
    let keys = ["VideoTwoPass", "VideoMultiPass"].filter(isTrue)
    let makesTwo = ["vpx", "x264", "x265"].contains(encoder.encoder)
    if usesRate, makesTwo, !keys.isEmpty { video.append(("passes", "2")) }
    let once = "\(encoder.encoder) encodes in one pass"
    for key in ["VideoTwoPass", "VideoMultiPass"] {
      guard keys.contains(key) else {
        note(key, .kept, "one pass")
        continue
      }
      note(
        key, !usesRate ? .unused : makesTwo ? .kept : .refused,
        !usesRate ? "for bit rates only" : makesTwo ? "passes: 2" : once)
    }
    for key in ["VideoTurboTwoPass", "VideoTurboMultiPass"] {
      let isUsed = isTrue(key) && usesRate && !keys.isEmpty
      note(
        key, !isTrue(key) ? .kept : isUsed && !makesTwo ? .refused : .unused,
        isUsed && makesTwo ? "the first pass is the encoder's own" : once)
    }
  }

  private mutating func convertEncoderPreset(_ encoder: HandBrakeEncoder) {
    let preset = text("VideoPreset")
    let names = [
      "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower",
      "veryslow", "placebo",
    ]
    var options: [(String, String)] = []
    switch encoder.encoder {
    case _ where preset.isEmpty: break
    case _ where encoder.isOther: break
    case "x264", "x265": if names.contains(preset) { options = [("preset", preset)] }
    case "svtav1":
      if let number = Int(preset), (0...13).contains(number) { options = [("preset", preset)] }
    case "vpx":
      // As libhb does: "deadline" and "cpu-used" of libvpx.
      let speeds = ["slower", "slow", "medium", "fast", "faster", "veryfast"]
      if preset == "veryslow" {
        options = [("deadline", "best")]
      } else if let speed = speeds.firstIndex(of: preset) {
        options = [("deadline", "good"), ("cpu-used", "\(speed)")]
      }
    default: break
    }
    videoOptions += options
    let result = options.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    note(
      "VideoPreset", !options.isEmpty ? .kept : preset.isEmpty ? .unused : .refused,
      options.isEmpty ? "a preset of another encoder; \(encoder.encoder) has its default" : result)
  }

  private mutating func convertTune(_ encoder: HandBrakeEncoder) {
    let tune = text("VideoTune")
    guard !["", "none", "default"].contains(tune) else { return note("VideoTune", .kept) }
    let tunes = [
      "x264": [
        "film", "animation", "grain", "stillimage", "psnr", "ssim", "fastdecode", "zerolatency",
      ],
      "x265": ["psnr", "ssim", "grain", "animation", "fastdecode", "zerolatency"],
      "vpx": ["psnr", "ssim"],
    ]
    let words = tune.split(whereSeparator: { ", ".contains($0) }).map(String.init)
    let known = tunes[encoder.encoder] ?? []
    let fits =
      !words.isEmpty && words.allSatisfy(known.contains)
      && (words.count == 1 || encoder.encoder == "x264")
    guard !encoder.isOther, fits else {
      return note("VideoTune", .refused, "\(encoder.encoder) has no such tuning")
    }
    videoOptions.append(("tune", words.joined(separator: ",")))
    note("VideoTune", .kept, "tune: \(words.joined(separator: ","))")
  }

  private mutating func convertProfile(_ encoder: HandBrakeEncoder) {
    let profile = text("VideoProfile")
    let isDeep = encoder.pixelFormat != "yuv420p"
    let known: [String] =
      switch (encoder.encoder, isDeep) {
      case ("x264", false): ["baseline", "main", "high"]
      case ("x264", true): ["high10"]
      case ("x265", false): ["main"]
      case ("x265", true): encoder.pixelFormat.contains("12") ? ["main12"] : ["main10"]
      default: []
      }
    if known.contains(profile) {
      videoOptions.append(("profile", profile))
      note("VideoProfile", .kept, "profile: \(profile)")
    } else if ["", "auto"].contains(profile) || encoder.codec == "av1" && profile == "main" {
      note("VideoProfile", .kept, "the profile follows from the frames")
    } else {
      note("VideoProfile", .refused, "the profile follows from the frames")
    }
  }

  private mutating func convertExtra(_ encoder: HandBrakeEncoder) {
    // The older field has an effect only with its switch.
    let isOld = isTrue("x264UseAdvancedOptions") && encoder.encoder == "x264"
    let key = isOld ? "x264Option" : "VideoOptionExtra"
    note(isOld ? "VideoOptionExtra" : "x264Option", .unused)
    note("x264UseAdvancedOptions", .unused, "a switch of older versions")
    let extra = text(key)
    let pairs = extra.split(separator: ":").map(String.init)
    guard !pairs.isEmpty else { return note(key, .kept, "none") }
    let isPlain = extra.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard !encoder.isOther, isPlain else {
      return note(
        key, .refused,
        isPlain ? "options of another encoder" : "only ASCII without spaces is possible")
    }
    switch encoder.encoder {
    case "x264", "x265", "svtav1":
      let name = "\(encoder.encoder)-params"
      videoOptions.append((name, pairs.joined(separator: ":")))
      note(key, .kept, name)
    case "vpx":
      let names = ["qmin": "min-q", "qmax": "max-q", "lag-in-frames": "lag-in-frames"]
      var refused: [String] = []
      for pair in pairs {
        let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
        if halves.count == 2, let name = names[halves[0]], let value = Int(halves[1]),
          (0...63).contains(value), name != "lag-in-frames" || value <= 25,
          !videoOptions.contains(where: { $0.0 == name })
        {
          videoOptions.append((name, halves[1]))
        } else {
          refused.append(pair)
        }
      }
      note(
        key, refused.isEmpty ? .kept : .refused,
        refused.isEmpty ? "options of vpx" : "not possible: \(refused.joined(separator: ", "))")
    default: note(key, .refused, "\(encoder.encoder) has no such options")
    }
  }

  private mutating func convertLevel(_ encoder: HandBrakeEncoder) {
    let level = text("VideoLevel")
    guard !["", "auto"].contains(level) else { return note("VideoLevel", .kept, "any level") }
    guard encoder.encoder == "x264", let limit = HandBrakeLevel.all[level] else {
      let isHEVC = encoder.encoder == "x265" && HandBrakeLevel.hevc.contains(level)
      if isHEVC { addParameters("level-idc=\(level)", of: "x265-params") }
      return note(
        "VideoLevel", isHEVC ? .kept : .refused,
        isHEVC ? "level-idc=\(level)" : "\(encoder.encoder) has no such level")
    }
    addParameters("level=\(level)", of: "x264-params")
    var text = "level=\(level)"
    let own = videoOptions.first { $0.0 == "x264-params" }?.1 ?? ""
    if !own.contains("vbv-") {
      // libhb limits the bit rate too; high profiles have 1.25 times as much (H.264 table A-2).
      let isHigh = !["baseline", "main"].contains(self.text("VideoProfile"))
      let factor = isHigh ? 1250 : 1000
      videoOptions.append(("maxrate", "\(limit.rate * factor)"))
      videoOptions.append(("bufsize", "\(limit.buffer * factor)"))
      text += ", with its bit rate"
    }
    note("VideoLevel", .changed, "\(text); reference frames are not limited by it")
  }

  /// Puts parameters before others, which take precedence.
  private mutating func addParameters(_ parameters: String, of name: String) {
    if let index = videoOptions.firstIndex(where: { $0.0 == name }) {
      videoOptions[index].1 = "\(parameters):\(videoOptions[index].1)"
    } else {
      videoOptions.append((name, parameters))
    }
  }

  private mutating func convertFrameRate() {
    let (rate, mode) = (text("VideoFramerate"), text("VideoFramerateMode"))
    let number = PresetReader.decimal(rate).flatMap { (1...1000).contains($0) ? $0 : nil }
    let isSource = ["", "auto", "same as source"].contains(rate)
    guard let number else {
      note("VideoFramerate", isSource ? .kept : .refused, "the rate of the source")
      note(
        "VideoFramerateMode", mode == "cfr" ? .refused : .kept,
        "rates that vary stay as in the source")
      return
    }
    // With vfr, libhb leaves the times of frames alone.
    guard mode == "pfr" || mode == "cfr" else {
      note("VideoFramerate", .unused, "vfr keeps the rate of the source")
      return note("VideoFramerateMode", .kept, "the rate of the source")
    }
    video.append(("frameRate", rate))
    note(
      "VideoFramerate", mode == "pfr" ? .kept : .changed,
      "frameRate: \(number.decimalText) at most")
    note(
      "VideoFramerateMode", mode == "pfr" ? .kept : .refused,
      mode == "pfr" ? "a maximum" : "lower and variable rates stay; the filter fps changes them")
  }
}
