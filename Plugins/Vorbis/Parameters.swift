import CVorbis
import RespoolPlugin
import Xiph

/// The settings of a libvorbis encoder.
struct Parameters {
  private let settings: EncoderSettings

  /// Checks the settings.
  init(_ settings: EncoderSettings) throws(MediaError) {
    let about = VorbisEncoder.description
    try settings.checkOptions(about.options, of: "libvorbis")
    if let problem = about.problem(quality: settings.quality, bitRate: settings.bitRate) {
      throw MediaError(.invalidArgument, problem)
    }
    let track = settings.track
    guard track.codec == "vorbis" else {
      throw MediaError(.unsupported, "libvorbis encodes vorbis, not \(track.codec)")
    }
    guard track.sampleFormat == .fltp else {
      throw MediaError(
        .unsupported, "libvorbis does not take \(track.sampleFormat); it takes fltp")
    }
    guard (1...200_000).contains(track.sampleRate) else {
      throw MediaError(
        .unsupported, "the sample rate is \(track.sampleRate); libvorbis takes 1 to 200000 Hz")
    }
    guard ChannelOrder.isVorbis(track.channelLayout) else {
      throw MediaError(
        .unsupported,
        "\(track.channelLayout) is not a channel layout of Vorbis, which has "
          + ChannelOrder.layouts.map(\.description).joined(separator: ", "))
    }
    self.settings = settings
  }

  /// Sets up an encoder in `info`, which the caller has initialized and must clear.
  func configure(_ info: UnsafeMutablePointer<vorbis_info>) throws(MediaError) {
    let track = settings.track
    let (channels, rate) = (track.channelLayout.channelCount, track.sampleRate)
    func number(_ name: String) -> Double? { settings[option: name].flatMap { Double($0) } }
    let lowest = number("minimum-bitrate") ?? 0
    let highest = number("maximum-bitrate") ?? 0
    guard highest == 0 || lowest <= highest else {
      throw MediaError(
        .invalidArgument,
        "minimum-bitrate \(Int(lowest)) is above maximum-bitrate \(Int(highest))")
    }
    var isManaged = settings[option: "managed"] == "true" || lowest > 0 || highest > 0
    if let bitRate = settings.bitRate, settings[option: "quality"] == nil {
      try check(
        vorbis_encode_setup_managed(
          info, channels, rate, highest > 0 ? Int(highest) : -1, Int(bitRate),
          lowest > 0 ? Int(lowest) : -1))
    } else {
      let quality = number("quality") ?? settings.quality ?? VorbisEncoder.usualQuality
      try check(vorbis_encode_setup_vbr(info, channels, rate, Float(quality / 10)))
      isManaged = lowest > 0 || highest > 0
      if isManaged { try limit(info, lowest, highest) }
    }
    // As oggenc: the bit rate chooses a quality, and nothing is managed unless requested.
    if !isManaged { try check(vorbis_encode_ctl(info, OV_ECTL_RATEMANAGE2_SET, nil)) }
    if settings[option: "coupling"] == "false" {
      var coupling: Int32 = 0
      try check(vorbis_encode_ctl(info, OV_ECTL_COUPLING_SET, &coupling))
    }
    if var lowpass = number("lowpass") {
      try check(vorbis_encode_ctl(info, OV_ECTL_LOWPASS_SET, &lowpass))
    }
    if var bias = number("impulse-block-bias") {
      try check(vorbis_encode_ctl(info, OV_ECTL_IBLOCK_SET, &bias))
    }
    try check(vorbis_encode_setup_init(info))
  }

  /// Sets hard limits of the bit rate of a quality.
  private func limit(_ info: UnsafeMutablePointer<vorbis_info>, _ lowest: Double, _ highest: Double)
    throws(MediaError)
  {
    var limits = ovectl_ratemanage2_arg()
    try check(vorbis_encode_ctl(info, OV_ECTL_RATEMANAGE2_GET, &limits))
    limits.management_active = 1
    limits.bitrate_limit_min_kbps = Int(lowest) / 1000
    limits.bitrate_limit_max_kbps = Int(highest) / 1000
    try check(vorbis_encode_ctl(info, OV_ECTL_RATEMANAGE2_SET, &limits))
  }

  private func check(_ status: Int32) throws(MediaError) {
    guard status != 0 else { return }
    let track = settings.track
    let wanted =
      settings.bitRate.map { "\($0) bits per second" } ?? "this quality"
    throw MediaError(
      status == OV_EIMPL ? .unsupported : .invalidArgument,
      "libvorbis could not be opened with these settings",
      cause: status == OV_EIMPL
        ? "it has no mode for \(wanted) with \(track.channelLayout.channelCount.counting("channel")) "
          + "at \(track.sampleRate) Hz" : "status \(status)")
  }
}
