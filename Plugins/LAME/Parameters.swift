import CLAME
import RespoolPlugin

/// A LAME encoder configured for given settings.
///
/// The receiver must close it.
struct Parameters {
  let encoder: OpaquePointer
  /// Bits per second.
  ///
  /// `nil` for variable bit rate.
  let bitRate: Int64?

  /// Sample rates of MPEG-1, MPEG-2 and MPEG-2.5.
  static let sampleRates = [48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000]
  static let sampleFormats: [SampleFormat] = [.fltp, .s32p, .s16p]

  private enum Rate {
    case quality(Double)
    case constant(Int)
    case average(Int)
  }

  init(_ settings: EncoderSettings) throws(MediaError) {
    try Self.check(settings)
    let rate = try Self.rate(settings)
    guard let made = lame_init() else {
      throw MediaError(.limitExceeded, "there is no memory for an encoder of LAME")
    }
    clame_set_reports(made)
    do throws(MediaError) {
      try Self.configure(made, settings, rate)
      guard lame_init_params(made) >= 0 else {
        throw .lame("LAME could not be opened with these settings", .invalidArgument)
      }
    } catch {
      lame_close(made)
      throw error
    }
    encoder = made
    switch rate {
    case .quality: bitRate = nil
    case .constant(let rate), .average(let rate): bitRate = Int64(rate) * 1000
    }
  }

  private static func check(_ settings: EncoderSettings) throws(MediaError) {
    try settings.checkOptions(EncoderOptions.all, of: "LAME")
    let track = settings.track
    guard track.codec == "mp3" else {
      throw MediaError(.unsupported, "LAME encodes mp3, not \(track.codec)")
    }
    guard sampleRates.contains(track.sampleRate) else {
      throw MediaError(
        .unsupported,
        "the sample rate is \(track.sampleRate); MP3 takes "
          + sampleRates.map(String.init).joined(separator: ", "))
    }
    guard sampleFormats.contains(track.sampleFormat) else {
      throw MediaError(
        .unsupported,
        "LAME does not take \(track.sampleFormat); it takes "
          + sampleFormats.map(\.name).joined(separator: ", "))
    }
    let channels = track.channelLayout.channelCount
    guard (1...2).contains(channels) else {
      throw MediaError(.unsupported, "there are \(channels) channels; MP3 takes 1 or 2")
    }
  }

  /// Returns the requested quality or bit rate; quality 2, LAME's preset `standard`, if none is requested.
  private static func rate(_ settings: EncoderSettings) throws(MediaError) -> Rate {
    let preset = settings[option: "preset"]
    if preset != nil, settings.quality != nil || settings.bitRate != nil {
      throw MediaError(
        .invalidArgument, "the option preset states quality or bit rate; only one can be set")
    }
    if settings.quality != nil, settings.bitRate != nil {
      throw MediaError(
        .invalidArgument, "quality and bit rate are both set; LAME takes one of them")
    }
    if let problem = LAMEEncoder.description.problem(
      quality: settings.quality, bitRate: settings.bitRate)
    {
      throw MediaError(.invalidArgument, problem)
    }
    let bitRate = settings.bitRate ?? (preset == "insane" ? 320_000 : nil)
    guard let bitRate else {
      let named = EncoderOptions.presets.first { $0.name == preset }?.quality
      return .quality(settings.quality ?? named ?? 2)
    }
    let kilobits = Int(bitRate + 500) / 1000
    let rates = bitRates(sampleRate: settings.track.sampleRate)
    guard let lowest = rates.first, let highest = rates.last else {
      throw MediaError(.internal, "MP3 has no bit rates at \(settings.track.sampleRate) Hz")
    }
    if settings[option: "rate-control"] == "abr" {
      return .average(min(max(kilobits, lowest), highest))
    }
    // As LAME, which takes the nearest bit rate that frames of the sample rate can have.
    let nearest = rates.min { abs($0 - kilobits) < abs($1 - kilobits) } ?? highest
    return .constant(nearest)
  }

  /// Returns the bit rates of frames in kilobits per second, ascending.
  ///
  /// LAME has MPEG-2.5 up to 64 kbit/s.
  static func bitRates(sampleRate: Int) -> [Int] {
    let version: MPEGAudioHeader.Version =
      sampleRate >= 32000 ? .mpeg1 : sampleRate >= 16000 ? .mpeg2 : .mpeg25
    let rates = MPEGAudioHeader.bitRates(version, layer: 3)
    return version == .mpeg25 ? rates.filter { $0 <= 64 } : rates
  }

  private static func configure(
    _ encoder: OpaquePointer, _ settings: EncoderSettings, _ rate: Rate
  ) throws(MediaError) {
    let track = settings.track
    let isMono = track.channelLayout.channelCount == 1
    // LAME otherwise lowers the sample rate for low bit rates.
    var statuses = [
      lame_set_in_samplerate(encoder, Int32(track.sampleRate)),
      lame_set_out_samplerate(encoder, Int32(track.sampleRate)),
      lame_set_num_channels(encoder, isMono ? 1 : 2),
      // The muxer writes the tag, if its container has one.
      lame_set_bWriteVbrTag(encoder, 0),
    ]
    lame_set_write_id3tag_automatic(encoder, 0)
    switch rate {
    case .quality(let quality):
      let isOld = settings[option: "vbr-method"] == "old"
      statuses.append(lame_set_VBR(encoder, isOld ? vbr_rh : vbr_mtrh))
      statuses.append(lame_set_VBR_quality(encoder, Float(quality)))
    case .average(let rate):
      statuses.append(lame_set_VBR(encoder, vbr_abr))
      statuses.append(lame_set_VBR_mean_bitrate_kbps(encoder, Int32(rate)))
    case .constant(let rate):
      statuses.append(lame_set_VBR(encoder, vbr_off))
      statuses.append(lame_set_brate(encoder, Int32(rate)))
    }
    if let effort = settings[option: "effort"].flatMap({ Int32($0) }) {
      statuses.append(lame_set_quality(encoder, effort))
    }
    let mode = settings[option: "channel-mode"]
    statuses.append(
      lame_set_mode(encoder, isMono ? MONO : mode == "stereo" ? STEREO : JOINT_STEREO))
    if !isMono, mode == "forced-joint" { statuses.append(lame_set_force_ms(encoder, 1)) }
    switch settings[option: "block-types"] {
    case "coupled": statuses.append(lame_set_allow_diff_short(encoder, 0))
    case "long": statuses.append(lame_set_no_short_blocks(encoder, 1))
    case "short": statuses.append(lame_set_force_short_blocks(encoder, 1))
    default: break
    }
    for each in EncoderOptions.switches {
      guard let value = settings[option: each.schema.name] else { continue }
      statuses.append(each.set(encoder, value == "true" ? 1 : 0))
    }
    for each in EncoderOptions.numbers {
      guard let value = settings[option: each.schema.name].flatMap({ Double($0) }) else { continue }
      statuses.append(each.set(encoder, value))
    }
    // LAME takes 1.0 for 32767, but audio of integers and libavcodec take 32768 for full scale.
    if track.sampleFormat == .fltp {
      let scale = settings[option: "scale"].flatMap { Float($0) } ?? 1
      statuses.append(lame_set_scale(encoder, scale * 32768 / 32767))
    }
    guard statuses.allSatisfy({ $0 >= 0 }) else {
      throw .lame("LAME refused a setting", .invalidArgument)
    }
  }
}

extension MediaError {
  /// Creates an error with LAME's last message as its cause.
  static func lame(_ message: String, _ code: Code) -> MediaError {
    let cause = String(cString: clame_take_message())
    return MediaError(code, message, cause: cause.isEmpty ? nil : cause)
  }
}
