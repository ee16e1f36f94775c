import CVPX
import RespoolPlugin
import VideoEncoding

/// libvpx's configuration for given settings.
struct Configuration {
  var value = vpx_codec_enc_cfg_t()
  let format: FrameFormat
  let isVP9: Bool
  /// Quantizer of constant or constrained quality, on libvpx's scale of 0 to 63.
  private(set) var quality: Int32?

  init(_ settings: EncoderSettings, tick: Rational) throws(MediaError) {
    let codec = settings.track.codec
    guard codec == "vp8" || codec == "vp9" else {
      throw MediaError(.unsupported, "libvpx encodes vp8 and vp9, not \(codec)")
    }
    isVP9 = codec == "vp9"
    format = try FrameFormat.of(settings.track.pixelFormat, codec: codec)
    try EncoderOptions.check(settings)
    guard
      vpx_codec_enc_config_default(cvpx_encoder_interface(isVP9 ? 1 : 0), &value, 0)
        == VPX_CODEC_OK
    else { throw MediaError(.pluginFailure, "libvpx has no default configuration for \(codec)") }
    try setPicture(settings, tick: tick)
    try setRate(settings)
    setRest(settings)
    set(settings.pass)
  }

  private mutating func setPicture(_ settings: EncoderSettings, tick: Rational)
    throws(MediaError)
  {
    let (width, height) = (settings.track.width, settings.track.height)
    let largest = isVP9 ? 65535 : 16383
    guard (1...largest).contains(width), (1...largest).contains(height) else {
      throw MediaError(
        .invalidArgument,
        "the frame size is \(width)x\(height); each side of "
          + "\(settings.track.codec) can be 1 to \(largest)")
    }
    value.g_w = UInt32(width)
    value.g_h = UInt32(height)
    value.g_timebase = vpx_rational_t(num: tick.numerator, den: tick.denominator)
    value.g_threads = UInt32(min(max(1, settings.threads), 64))
    value.g_profile = isVP9 ? UInt32(format.profile) : 0
    value.g_bit_depth = vpx_bit_depth_t(UInt32(format.bitDepth))
    value.g_input_bit_depth = UInt32(format.bitDepth)
    value.g_pass = VPX_RC_ONE_PASS
  }

  /// First-pass statistics for a last pass.
  ///
  /// `value` points to them.
  private(set) var statistics: MediaBuffer?

  private mutating func set(_ pass: EncoderSettings.Pass) {
    switch pass {
    case .only: break
    case .first: value.g_pass = VPX_RC_FIRST_PASS
    case .last(let bytes):
      let statistics = MediaBuffer(bytes)
      self.statistics = statistics
      value.g_pass = VPX_RC_LAST_PASS
      value.rc_twopass_stats_in = vpx_fixed_buf_t(
        buf: statistics.bytes.baseAddress, sz: statistics.count)
    }
  }

  /// Quantizer if neither a quality nor a bit rate is requested.
  static let usualQuality: Int32 = 32
  /// Bit rates in bits per second; libvpx counts in kilobits.
  static let bitRates: ClosedRange<Int64> = 1000...2_000_000_000

  private mutating func setRate(_ settings: EncoderSettings) throws(MediaError) {
    quality = settings.quality.map { Int32($0.rounded()) }
    let isConstant = settings[option: "rate-control"] == "cbr"
    if isConstant, settings.bitRate == nil || quality != nil {
      throw MediaError(
        .invalidArgument, "rate-control cbr needs a bit rate and takes no quality")
    }
    if settings.bitRate == nil, quality == nil { quality = Self.usualQuality }
    value.rc_end_usage = isConstant ? VPX_CBR : quality == nil ? VPX_VBR : VPX_CQ
    if let bitRate = settings.bitRate {
      value.rc_target_bitrate = UInt32((bitRate + 500) / 1000)
    } else if isVP9 {
      value.rc_end_usage = VPX_Q
    } else {
      // VP8 supports only constrained quality. With a bit rate that is never reached, the quality is
      // constant.
      let samples = Double(value.g_w) * Double(value.g_h)
      let rate = settings.track.frameRate.isPositive ? settings.track.frameRate.doubleValue : 30
      value.rc_target_bitrate = UInt32(min(max(1000, samples * min(rate, 240) * 2 / 1000), 400_000))
    }
    // Without options, a requested quality widens libvpx's own range, which is 4 to 63 for VP8.
    let quantizer = quality.map { UInt32(clamping: $0) }
    let lowest =
      settings[option: "min-q"].flatMap { UInt32($0) }
      ?? min(value.rc_min_quantizer, quantizer ?? .max)
    let highest =
      settings[option: "max-q"].flatMap { UInt32($0) }
      ?? max(value.rc_max_quantizer, quantizer ?? 0)
    guard lowest <= highest else {
      throw MediaError(.invalidArgument, "min-q is \(lowest) and exceeds max-q, \(highest)")
    }
    if let quality, !(Int32(lowest)...Int32(highest)).contains(quality) {
      throw MediaError(
        .invalidArgument,
        "the quality is \(quality); min-q and max-q allow \(lowest) to \(highest)")
    }
    value.rc_min_quantizer = lowest
    value.rc_max_quantizer = highest
    try setBuffer(settings)
  }

  private mutating func setBuffer(_ settings: EncoderSettings) throws(MediaError) {
    let names = ["maxrate", "bufsize"].filter { settings[option: $0] != nil }
    guard let bitRate = settings.bitRate else {
      guard names.isEmpty else {
        throw MediaError(.invalidArgument, "\(names[0]) is set without a bit rate")
      }
      return
    }
    if let rate = settings[option: "maxrate"].flatMap({ Int64($0) }) {
      guard rate >= bitRate else {
        throw MediaError(
          .invalidArgument, "maxrate is \(rate), lower than the bit rate, \(bitRate)")
      }
      value.rc_2pass_vbr_maxsection_pct = UInt32(clamping: rate * 100 / bitRate)
    }
    if let size = settings[option: "bufsize"].flatMap({ Int64($0) }), size > 0 {
      // Milliseconds at the bit rate, in FFmpeg's proportions.
      let time = UInt32(clamping: size * 1000 / bitRate)
      value.rc_buf_sz = time
      value.rc_buf_initial_sz = UInt32(UInt64(time) * 3 / 4)
      value.rc_buf_optimal_sz = UInt32(UInt64(time) * 5 / 6)
    }
  }

  private mutating func setRest(_ settings: EncoderSettings) {
    func number(_ name: String) -> UInt32? { settings[option: name].flatMap { UInt32($0) } }
    if let frames = number("lag-in-frames") {
      value.g_lag_in_frames = frames
    } else if settings.needsLowDelay {
      value.g_lag_in_frames = 0
    }
    if let interval = settings.keyFrameInterval { value.kf_max_dist = UInt32(clamping: interval) }
    if let distance = number("kf-max-dist") { value.kf_max_dist = distance }
    if let distance = number("kf-min-dist") { value.kf_min_dist = distance }
    if let percent = number("undershoot-pct") { value.rc_undershoot_pct = percent }
    if let percent = number("overshoot-pct") { value.rc_overshoot_pct = percent }
    if let percent = number("drop-frame") { value.rc_dropframe_thresh = percent }
    if settings[option: "error-resilient"] == "true" {
      value.g_error_resilient = vpx_codec_er_flags_t(VPX_ERROR_RESILIENT_DEFAULT)
    }
  }
}
