/// An encoder of Respool for a video encoder of HandBrake.
struct HandBrakeEncoder {
  /// Scale of HandBrake's quality.
  enum Scale {
    /// Scale of Respool's encoder.
    case same
    /// 0 to 51, lower is better, of another encoder of the same codec.
    case quantizer
    /// 0 to 100, higher is better.
    case percent
    /// 1 to 31, lower is better (MPEG-2 and MPEG-4).
    case mpeg
    /// 0 to 63, higher is better.
    case theora
    case none
  }

  var codec: String
  var encoder: String
  var pixelFormat: String
  var scale: Scale
  /// `true` if HandBrake's encoder is another one, whose options have no meaning here.
  var isOther = false
  /// Greatest value on the encoder's scale; 0 if it has none.
  var maximum: Double { codec == "h264" || codec == "hevc" ? 51 : codec == "ffv1" ? 0 : 63 }

  /// Creates the nearest encoder; `x264` for names that are unknown.
  init(_ name: String) {
    let depth = name.contains("12bit") ? "yuv420p12le" : "yuv420p10le"
    let isDeep = name.contains("10bit") || name.contains("12bit")
    let format = isDeep ? depth : "yuv420p"
    func make(_ codec: String, _ encoder: String, _ scale: Scale, other: Bool = false) -> Self {
      // H.264 has 10 bits at most here, as AV1 has.
      let fitting = codec != "hevc" && codec != "vp9" && isDeep ? "yuv420p10le" : format
      return Self(codec, encoder, fitting, scale, other)
    }
    let hardware = ["nvenc_", "qsv_", "vce_", "mf_", "vt_"].first { name.hasPrefix($0) }
    if let hardware {
      let scale = ["mf_", "vt_"].contains(hardware) ? Scale.percent : .quantizer
      self =
        name.contains("h265")
        ? make("hevc", "x265", scale, other: true)
        : name.contains("av1")
          ? make("av1", "svtav1", scale, other: true) : make("h264", "x264", scale, other: true)
      return
    }
    switch name {
    case "x264", "x264_10bit": self = make("h264", "x264", .same)
    case "x265", "x265_10bit", "x265_12bit", "x265_16bit": self = make("hevc", "x265", .same)
    case "svt_av1", "svt_av1_10bit": self = make("av1", "svtav1", .same)
    case "VP9", "VP9_10bit": self = make("vp9", "vpx", .same)
    case "VP8": self = make("vp8", "vpx", .same)
    case "ffv1":
      self = make("ffv1", "ffv1", .none)
      // FFV1 keeps the pixel format of the source.
      pixelFormat = ""
    case "theora": self = make("h264", "x264", .theora, other: true)
    case "mpeg2", "mpeg4": self = make("h264", "x264", .mpeg, other: true)
    default: self = make("h264", "x264", .quantizer, other: true)
    }
  }

  private init(
    _ codec: String, _ encoder: String, _ pixelFormat: String, _ scale: Scale, _ isOther: Bool
  ) {
    (self.codec, self.encoder, self.pixelFormat) = (codec, encoder, pixelFormat)
    (self.scale, self.isOther) = (scale, isOther)
  }

  /// Returns a quality on the scale of Respool's encoder.
  func quality(_ value: Double) -> Double {
    let result: Double =
      switch scale {
      case .same, .none: value
      case .quantizer: value * maximum / 51
      case .percent: (100 - value) / 100 * maximum
      case .theora: (63 - value) / 63 * maximum
      // Steps of 0.625 · 2^(QP / 6) in H.264, and of twice the quantizer in MPEG-4.
      case .mpeg: 6 * Self.logarithm(3.2 * min(31, max(1, value)))
      }
    let lowest = codec == "av1" ? 1.0 : 0
    let bounded = min(maximum, max(lowest, result))
    return maximum == 63 || scale != .same ? bounded.rounded() : bounded
  }

  /// Returns the logarithm to base 2 of a number from 1 to 128, to a hundredth.
  private static func logarithm(_ number: Double) -> Double {
    var (value, result, step) = (number, 0.0, 1.0)
    while value >= 2 {
      value /= 2
      result += 1
    }
    while step > 0.01 {
      step /= 2
      value *= value
      if value >= 2 {
        value /= 2
        result += step
      }
    }
    return result
  }
}
