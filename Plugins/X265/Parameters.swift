import CX265
import RespoolPlugin
import VideoEncoding

/// x265's parameters for given settings.
///
/// They are set in the order that x265.h requires: preset and tune, stream properties, options, profile.
final class Parameters {
  let format: FrameFormat
  let library: Library
  /// Complete after `init`.
  let pointer: UnsafeMutablePointer<x265_param>

  /// `statistics` is the path of the file that the first of two passes writes.
  init(_ settings: EncoderSettings, tick: Rational, statistics: String? = nil) throws(MediaError) {
    format = try FrameFormat.of(settings.track.pixelFormat)
    library = try Library.build(forBitDepth: format.bitDepth)
    pointer = try library.makeParameters()
    // From here on, `deinit` frees the parameters, also if `init` throws.
    try format.check(width: settings.track.width, height: settings.track.height)
    try settings.checkOptions(EncoderOptions.all, of: "x265")
    let preset = settings[option: "preset"] ?? "medium"
    let tune = settings[option: "tune"]
    guard library.setDefaults(pointer, preset: preset, tune: tune) else {
      throw MediaError(
        .invalidArgument, "x265 rejected the preset \(preset) with tune \"\(tune ?? "")\"")
    }
    // x265 can only print messages, to standard error.
    pointer.pointee.logLevel = X265_LOG_NONE
    setStream(settings.track, tick: tick)
    if settings.needsLowDelay { setLowDelay() }
    try setRateControl(settings)
    try setOptions(settings)
    try set(settings.pass, statistics: statistics)
    // x265's lookahead writes beyond a row of fewer than four of its blocks of 16 pixels (3.5).
    if (settings.track.width / 2 + 7) / 8 < 4 { pointer.pointee.rc.cuTree = 0 }
    setThreads(settings)
    try apply(profile: settings[option: "profile"])
  }

  deinit { library.free(pointer) }

  private func setStream(_ track: TrackDescription, tick: Rational) {
    pointer.pointee.sourceWidth = Int32(clamping: track.width)
    pointer.pointee.sourceHeight = Int32(clamping: track.height)
    pointer.pointee.internalCsp = format.colorSpace
    pointer.pointee.sourceBitDepth = Int32(format.bitDepth)
    // A frame has at least one coding tree unit, whose side is 64 by default.
    let side = min(track.width, track.height)
    if side < 64, pointer.pointee.maxCUSize > 32 { pointer.pointee.maxCUSize = 32 }
    if side < 32 { pointer.pointee.maxCUSize = 16 }
    let rate = track.frameRate.isPositive ? track.frameRate.reduced : tick.inverse
    pointer.pointee.fpsNum = UInt32(rate.numerator.magnitude)
    pointer.pointee.fpsDenom = UInt32(rate.denominator.magnitude)
    // Parameter sets in the configuration record and NAL units with lengths of four bytes, as in ISO/IEC 14496-15.
    pointer.pointee.bRepeatHeaders = 0
    pointer.pointee.bAnnexB = 0
    // The encoder inserts these messages into key frames itself.
    pointer.pointee.bEmitCLL = 0
    setColor(track)
  }

  private func setColor(_ track: TrackDescription) {
    if track.sampleAspect.isPositive {
      let aspect = track.sampleAspect.reduced
      _ = library.parse(pointer, "sar", "\(aspect.numerator):\(aspect.denominator)")
    }
    let color = track.color
    pointer.pointee.vui.bEnableVideoSignalTypePresentFlag = 1
    pointer.pointee.vui.bEnableVideoFullRangeFlag = color.range == .full ? 1 : 0
    let isStated = [color.primaries, color.transfer, color.matrix].contains {
      $0 != H273.unspecified
    }
    pointer.pointee.vui.bEnableColorDescriptionPresentFlag = isStated ? 1 : 0
    pointer.pointee.vui.colorPrimaries = Int32(color.primaries)
    pointer.pointee.vui.transferCharacteristics = Int32(color.transfer)
    pointer.pointee.vui.matrixCoeffs = Int32(color.matrix)
    // chroma_sample_loc_type (ITU-T H.265 E.3.1) applies to 4:2:0 and counts from 0.
    if color.chromaLocation != .unspecified, format.colorSpace == X265_CSP_I420 {
      let location = Int32(color.chromaLocation.rawValue) - 1
      pointer.pointee.vui.bEnableChromaLocInfoPresentFlag = 1
      pointer.pointee.vui.chromaSampleLocTypeTopField = location
      pointer.pointee.vui.chromaSampleLocTypeBottomField = location
    }
  }

  /// Sets what tune `zerolatency` sets, which cannot be combined with another tune.
  private func setLowDelay() {
    pointer.pointee.bFrameAdaptive = 0
    pointer.pointee.bframes = 0
    pointer.pointee.lookaheadDepth = 0
    pointer.pointee.scenecutThreshold = 0
    pointer.pointee.rc.cuTree = 0
    pointer.pointee.frameNumThreads = 1
  }

  /// CRF if nothing is requested, as in x265's own command.
  static let usualQuality = 28.0
  /// Bit rates in bits per second; x265 counts in kilobits.
  static let bitRates: ClosedRange<Int64> = 1000...2_000_000_000

  private func setRateControl(_ settings: EncoderSettings) throws(MediaError) {
    try settings.checkRateControl(["qp", "lossless"], of: "x265")
    if settings[option: "lossless"] == "true" {
      pointer.pointee.bLossless = 1
    } else if let quantizer = settings[option: "qp"].flatMap({ Int32($0) }) {
      pointer.pointee.rc.rateControlMode = Int32(X265_RC_CQP.rawValue)
      pointer.pointee.rc.qp = quantizer
    } else if let bitRate = settings.bitRate {
      pointer.pointee.rc.rateControlMode = Int32(X265_RC_ABR.rawValue)
      pointer.pointee.rc.bitrate = Int32(clamping: bitRate / 1000)
    } else {
      pointer.pointee.rc.rateControlMode = Int32(X265_RC_CRF.rawValue)
      pointer.pointee.rc.rfConstant = settings.quality ?? Self.usualQuality
    }
    if let buffer = try settings.receiverBuffer() {
      pointer.pointee.rc.vbvMaxBitrate = buffer.rate
      pointer.pointee.rc.vbvBufferSize = buffer.size
    }
  }

  /// Sets the numbers of threads, for which x265 itself would count the cores of the machine.
  private func setThreads(_ settings: EncoderSettings) {
    let threads = max(1, min(settings.threads, 64))
    _ = library.parse(pointer, "pools", "\(threads)")
    guard pointer.pointee.frameNumThreads != 1 else { return }
    // The numbers of ThreadPool::getFrameThreadsCount in x265's threadpool.cpp. The number of frames that are coded at
    // once changes the stream, the number of other threads does not.
    pointer.pointee.frameNumThreads =
      switch threads {
      case 32...: settings.track.height > 2000 ? 6 : 5
      case 16...: 4
      case 8...: 3
      case 4...: 2
      default: 1
      }
  }

  private func setOptions(_ settings: EncoderSettings) throws(MediaError) {
    if let interval = settings.keyFrameInterval {
      pointer.pointee.keyframeMax = Int32(clamping: interval)
    }
    for schema in EncoderOptions.passed {
      guard let text = settings[option: schema.name] else { continue }
      try parse(schema.name, text, from: schema.name)
    }
    for pair in try EncoderOptions.pairs(settings[option: "x265-params"] ?? "") {
      try parse(pair.key, pair.value, from: "x265-params")
    }
  }

  /// Lets the first of two passes write statistics, and the last one read them.
  private func set(_ pass: EncoderSettings.Pass, statistics: String?) throws(MediaError) {
    guard pass != .only else { return }
    guard pointer.pointee.rc.rateControlMode == Int32(X265_RC_ABR.rawValue) else {
      throw MediaError(.invalidArgument, "two passes need a bit rate")
    }
    switch pass {
    case .only: return
    case .first:
      pointer.pointee.rc.bStatWrite = 1
      if let statistics { try parse("stats", statistics, from: "the first pass") }
    case .last(let bytes):
      pointer.pointee.rc.bStatRead = 1
      try parse("stats", String(decoding: bytes, as: UTF8.self), from: "the last pass")
    }
  }

  private func parse(_ key: String, _ text: String?, from option: String) throws(MediaError) {
    switch library.parse(pointer, key, text) {
    case 0: return
    case X265_PARAM_BAD_NAME:
      throw MediaError(.invalidArgument, "\(option) sets \"\(key)\", which x265 does not know")
    default:
      throw MediaError(
        .invalidArgument, "\(option) sets \(key) to \"\(text ?? "")\", which x265 cannot read")
    }
  }

  private func apply(profile: String?) throws(MediaError) {
    guard let profile else { return }
    guard library.apply(profile: profile, to: pointer) else {
      throw MediaError(
        .invalidArgument,
        "profile \(profile) does not support \(format.pixelFormat) with these settings")
    }
  }
}

extension Parameters {
  /// About how many bytes of memory an encoder with these parameters takes.
  ///
  /// x265 keeps a source frame for each frame of lookahead, B-frame and thread, with four planes of a quarter of its
  /// size for the lookahead; and a reconstructed frame with the motion of its blocks for each reference and thread.
  var memory: Int64 {
    let value = pointer.pointee
    let pixels = Double(value.sourceWidth + 160) * Double(value.sourceHeight + 160)
    let bytes: Double = format.bitDepth > 8 ? 2 : 1
    let chroma: Double = [0, 0.5, 1, 2][Int(format.colorSpace) & 3]
    let threads = Double(max(1, value.frameNumThreads))
    let sources = Double(value.lookaheadDepth + value.bframes + 3) + threads
    let references = Double(value.maxNumReferences + 2) + threads
    let blocks = 4.0
    let frames =
      sources * (bytes * (2 + chroma) + 0.5) + references * (bytes * (1 + chroma) + blocks)
    // The rest is 40 % of that: 423 MB in all for 1920x1080 with 8 bits and the preset medium, 673 MB with 10 bits (3.5).
    return Int64(pixels * frames * 1.4)
  }
}
