import CX264
import RespoolPlugin
import VideoEncoding

/// x264's parameters for given settings.
///
/// They are set in the order that x264.h requires: preset and tune, stream properties, options, profile. Call
/// `free` after use.
struct Parameters {
  /// Complete after `init`.
  var value = x264_param_t()
  let format: FrameFormat

  /// `statistics` is the path of the file that the first of two passes writes.
  init(
    _ settings: EncoderSettings, tick: Rational, log: UnsafeMutablePointer<cx264_log>,
    statistics: String? = nil
  ) throws(MediaError) {
    format = try FrameFormat.of(settings.track.pixelFormat)
    try settings.checkOptions(EncoderOptions.all, of: "x264")
    var tune = try settings[option: "tune"].map(EncoderOptions.tune) ?? ""
    // One frame is still held back: frame durations vary, so each depends on the next frame.
    if settings.needsLowDelay {
      tune += tune.isEmpty ? "zerolatency" : ",zerolatency"
    }
    let preset = settings[option: "preset"] ?? "medium"
    guard x264_param_default_preset(&value, preset, tune.isEmpty ? nil : tune) == 0 else {
      throw MediaError(.invalidArgument, "x264 refused the preset \(preset) with tune \"\(tune)\"")
    }
    // x264 leaks its copies of file names if opening fails.
    value.rc.psz_stat_in = nil
    value.rc.psz_stat_out = nil
    do throws(MediaError) {
      cx264_set_log(&value, log)
      setStream(settings.track, tick: tick)
      value.i_threads = Int32(clamping: settings.threads)
      value.b_cpu_independent = settings[option: "cpu-independent"] == "false" ? 0 : 1
      try setRateControl(settings)
      try setFields(settings)
      try setOptions(settings)
      try set(settings.pass, statistics: statistics)
      try apply(profile: settings[option: "profile"])
    } catch {
      free()
      throw error
    }
  }

  /// Frees memory that x264 allocated while parsing.
  mutating func free() { x264_param_cleanup(&value) }

  private mutating func setStream(_ track: TrackDescription, tick: Rational) {
    value.i_width = Int32(clamping: track.width)
    value.i_height = Int32(clamping: track.height)
    value.i_csp = format.colorSpace
    value.i_bitdepth = format.bitDepth
    if track.sampleAspect.isPositive {
      let aspect = track.sampleAspect.reduced
      value.vui.i_sar_width = aspect.numerator
      value.vui.i_sar_height = aspect.denominator
    }
    let color = track.color
    value.vui.b_fullrange = color.range == .full ? 1 : 0
    value.vui.i_colorprim = Int32(color.primaries)
    value.vui.i_transfer = Int32(color.transfer)
    value.vui.i_colmatrix = Int32(color.matrix)
    // chroma_sample_loc_type (ISO/IEC 14496-10 E.2.1) applies to 4:2:0 and counts from 0.
    if color.chromaLocation != .unspecified, format.chromaFormat == 1 {
      value.vui.i_chroma_loc = Int32(color.chromaLocation.rawValue) - 1
    }
    setHighDynamicRange(track.sideData)
    let rate = track.frameRate.isPositive ? track.frameRate.reduced : tick.inverse
    value.i_fps_num = UInt32(rate.numerator.magnitude)
    value.i_fps_den = UInt32(rate.denominator.magnitude)
    value.b_vfr_input = 1
    value.i_timebase_num = UInt32(tick.numerator.magnitude)
    value.i_timebase_den = UInt32(tick.denominator.magnitude)
    // One configuration record and NAL units with lengths of four bytes, as in ISO/IEC 14496-15.
    value.b_repeat_headers = 0
    value.b_annexb = 0
  }

  /// Enables SEI messages for the mastering display and the light levels (ITU-T H.264 D.2.33, D.2.35).
  private mutating func setHighDynamicRange(_ sideData: [SideData]) {
    if let display = sideData[.masteringDisplay].flatMap({ MasteringDisplay($0) }) {
      value.mastering_display.b_mastering_display = 1
      (value.mastering_display.i_green_x, value.mastering_display.i_green_y) = Self.pair(
        display.green)
      (value.mastering_display.i_blue_x, value.mastering_display.i_blue_y) = Self.pair(display.blue)
      (value.mastering_display.i_red_x, value.mastering_display.i_red_y) = Self.pair(display.red)
      (value.mastering_display.i_white_x, value.mastering_display.i_white_y) =
        Self.pair(display.whitePoint)
      value.mastering_display.i_display_max = Int64(display.maximumLuminance)
      value.mastering_display.i_display_min = Int64(display.minimumLuminance)
    }
    if let level = sideData[.contentLightLevel].flatMap({ ContentLightLevel($0) }) {
      value.content_light_level.b_cll = 1
      value.content_light_level.i_max_cll = Int32(level.maximum)
      value.content_light_level.i_max_fall = Int32(level.maximumAverage)
    }
  }

  private static func pair(_ color: MasteringDisplay.Chromaticity) -> (Int32, Int32) {
    (Int32(color.x), Int32(color.y))
  }

  /// CRF if nothing is requested, as in x264's own command.
  static let usualQuality = 23.0
  /// Bit rates in bits per second; x264 counts in kilobits.
  static let bitRates: ClosedRange<Int64> = 1000...2_000_000_000

  private mutating func setRateControl(_ settings: EncoderSettings) throws(MediaError) {
    let quantiser = settings[option: "qp"].flatMap { Int32($0) }
    try settings.checkRateControl(["qp"], of: "x264")
    if let quantiser {
      value.rc.i_rc_method = X264_RC_CQP
      value.rc.i_qp_constant = quantiser
    } else if let bitRate = settings.bitRate {
      value.rc.i_rc_method = X264_RC_ABR
      value.rc.i_bitrate = Int32(bitRate / 1000)
    } else {
      value.rc.i_rc_method = X264_RC_CRF
      value.rc.f_rf_constant = Float(settings.quality ?? Self.usualQuality)
    }
    if let buffer = try settings.receiverBuffer() {
      value.rc.i_vbv_max_bitrate = buffer.rate
      value.rc.i_vbv_buffer_size = buffer.size
    }
  }

  /// Lets the first of two passes write statistics, and the last one read them.
  private mutating func set(_ pass: EncoderSettings.Pass, statistics: String?) throws(MediaError) {
    guard pass != .only else { return }
    guard value.rc.i_rc_method == X264_RC_ABR else {
      throw MediaError(.invalidArgument, "two passes need a bit rate")
    }
    switch pass {
    case .only: return
    case .first:
      value.rc.b_stat_write = 1
      // As x264's own command and FFmpeg do; it needs the line above.
      x264_param_apply_fastfirstpass(&value)
      if let statistics { try parse("stats", statistics, from: "the first pass") }
      value.rc.psz_stat_in = nil
    case .last(let bytes):
      value.rc.b_stat_read = 1
      try parse("stats", String(decoding: bytes, as: UTF8.self), from: "the last pass")
      value.rc.psz_stat_out = nil
    }
  }

  /// About how many bytes of memory an encoder with these parameters takes.
  ///
  /// x264 keeps a source frame for each frame of lookahead, B-frame and thread, with a copy of half its size for the
  /// lookahead; and for each reference frame and thread a reconstructed frame with three interpolated luma planes
  /// (x264's common/frame.c).
  var memory: Int64 {
    let pixels = Double(value.i_width + 64) * Double(value.i_height + 64)
    let bytes = pixels * (format.bitDepth > 8 ? 2 : 1)
    let chroma: Double =
      switch format.chromaFormat {
      case 0: 0
      case 1: 0.5
      case 2: 1
      default: 2
      }
    let threads = Double(max(1, value.i_threads))
    let sources = Double(value.rc.i_lookahead + value.i_bframe + 3) + threads
    let references = Double(value.i_frame_reference + 2) + threads
    return Int64(bytes * (sources * (2 + chroma) + references * (4 + chroma)))
  }

  private mutating func setFields(_ settings: EncoderSettings) throws(MediaError) {
    let isTopFirst: Bool
    switch settings[option: "interlaced"] ?? "auto" {
    case "tff": isTopFirst = true
    case "bff": isTopFirst = false
    case "off": return
    default:
      let order = settings.track.fieldOrder
      guard order.isInterlaced else { return }
      // x264 codes interlaced 4:2:0 only if each field has an even number of rows.
      guard settings.track.height.isMultiple(of: format.chromaFormat == 1 ? 4 : 2) else { return }
      isTopFirst = order == .topFirst
    }
    value.b_interlaced = 1
    value.b_tff = isTopFirst ? 1 : 0
  }

  private mutating func setOptions(_ settings: EncoderSettings) throws(MediaError) {
    if let interval = settings.keyFrameInterval { value.i_keyint_max = Int32(clamping: interval) }
    for schema in EncoderOptions.passed {
      guard let text = settings[option: schema.name] else { continue }
      try parse(schema.name, text, from: schema.name)
    }
    for pair in try EncoderOptions.pairs(settings[option: "x264-params"] ?? "") {
      try parse(pair.key, pair.value, from: "x264-params")
    }
  }

  private mutating func parse(_ key: String, _ text: String?, from option: String)
    throws(MediaError)
  {
    let shown = text ?? ""
    switch x264_param_parse(&value, key, text) {
    case 0: return
    case X264_PARAM_BAD_NAME:
      throw MediaError(.invalidArgument, "\(option) sets \"\(key)\", which x264 does not know")
    case X264_PARAM_BAD_VALUE:
      throw MediaError(
        .invalidArgument, "\(option) sets \(key) to \"\(shown)\", which x264 cannot read")
    default: throw MediaError(.pluginFailure, "x264 had no memory for \(key)")
    }
  }

  private mutating func apply(profile: String?) throws(MediaError) {
    guard let profile else { return }
    if let problem = format.problem(withProfile: profile) {
      throw MediaError(.invalidArgument, problem)
    }
    if value.b_interlaced != 0, profile == "baseline" {
      throw MediaError(.invalidArgument, "profile baseline does not support interlaced frames")
    }
    let offset = Float(6 * (format.bitDepth - 8))
    let isLossless =
      value.rc.i_rc_method == X264_RC_CQP && value.rc.i_qp_constant <= 0
      || value.rc.i_rc_method == X264_RC_CRF && value.rc.f_rf_constant + offset <= 0
    if isLossless, profile != "high444" {
      throw MediaError(
        .invalidArgument, "profile \(profile) does not support lossless coding, which is set")
    }
    guard x264_param_apply_profile(&value, profile) == 0 else {
      throw MediaError(.invalidArgument, "profile \(profile) does not support the settings")
    }
  }
}
