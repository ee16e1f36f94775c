import CSVTAV1
import RespoolPlugin

/// An encoder of the library with its parameters.
final class Library {
  static let version = String(cString: csvtav1_version()).trimmingVersionPrefix

  /// The library's encoder, which belongs to this object.
  let pointer: OpaquePointer
  let format: FrameFormat

  /// CRF if nothing is requested, as in SVT-AV1's own command.
  static let usualQuality = 35.0
  /// Bit rates in bits per second; SVT-AV1 counts in kilobits.
  static let bitRates: ClosedRange<Int64> = 1000...100_000_000

  /// Creates an encoder with parameters that the library has accepted, which is not started.
  init(_ settings: EncoderSettings, tick: Rational) throws(MediaError) {
    format = try FrameFormat.of(settings.track)
    try settings.checkOptions(EncoderOptions.all, of: "SVT-AV1")
    guard let pointer = csvtav1_create() else {
      throw MediaError(.limitExceeded, "memory ran out", cause: "SVT-AV1 could not be opened")
    }
    self.pointer = pointer
    // From here on, `deinit` ends the encoder, also if `init` throws.
    setFormat(settings.track, tick: tick)
    setHighDynamicRange(settings.track.sideData)
    try parse("lp", "\(max(1, settings.threads))", from: "threads")
    try setRateControl(settings)
    try setOptions(settings)
    let size = "\(settings.track.width)x\(settings.track.height)"
    let isEven = settings.track.width.isMultiple(of: 2) && settings.track.height.isMultiple(of: 2)
    try check(
      csvtav1_check(pointer),
      isEven
        ? "SVT-AV1 \(Self.version) rejects these settings"
        : "the frame size is \(size); SVT-AV1 \(Self.version) takes even widths and heights")
  }

  deinit { csvtav1_destroy(pointer) }

  /// Starts the encoder, which then needs at least one frame before its end.
  func start() throws(MediaError) {
    try check(csvtav1_start(pointer), "SVT-AV1 could not be started")
  }

  private func setFormat(_ track: TrackDescription, tick: Rational) {
    var rate = track.frameRate.isPositive ? track.frameRate.reduced : tick.inverse
    // Only rate control and the lengths of groups depend on it; 240 is the highest that the library takes.
    if rate.doubleValue > 240 { rate = Rational(240, 1) }
    if rate.doubleValue < 1 { rate = Rational(1, 1) }
    let color = track.color
    var value = csvtav1_format()
    value.width = UInt32(clamping: track.width)
    value.height = UInt32(clamping: track.height)
    value.bit_depth = UInt32(format.bitDepth)
    value.rate_numerator = UInt32(rate.numerator.magnitude)
    value.rate_denominator = UInt32(rate.denominator.magnitude)
    value.primaries = color.primaries
    value.transfer = color.transfer
    // 4:2:0 cannot hold RGB.
    value.matrix = color.matrix == H273.Matrix.identity ? H273.unspecified : color.matrix
    value.is_full_range = color.range == .full ? 1 : 0
    switch color.chromaLocation {
    case .left: value.chroma_position = 1
    case .topLeft: value.chroma_position = 2
    default: value.chroma_position = 0
    }
    csvtav1_set_format(pointer, &value)
  }

  /// Sets mastering display and light levels, which the library writes into key frames.
  private func setHighDynamicRange(_ sideData: [SideData]) {
    if let display = sideData[.masteringDisplay].flatMap({ MasteringDisplay($0) }) {
      func fraction(_ value: UInt16) -> UInt16 {
        UInt16(clamping: (Int(value) * 65536 + 25_000) / 50_000)
      }
      func pair(_ color: MasteringDisplay.Chromaticity) -> (UInt16, UInt16) {
        (fraction(color.x), fraction(color.y))
      }
      func luminance(_ value: UInt32, _ unit: Int) -> UInt32 {
        UInt32(clamping: (Int(value) * unit + 5_000) / 10_000)
      }
      var value = csvtav1_display(
        red: pair(display.red), green: pair(display.green), blue: pair(display.blue),
        white_point: pair(display.whitePoint), maximum: luminance(display.maximumLuminance, 256),
        minimum: luminance(display.minimumLuminance, 16384))
      csvtav1_set_display(pointer, &value)
    }
    if let level = sideData[.contentLightLevel].flatMap({ ContentLightLevel($0) }) {
      csvtav1_set_light_level(pointer, level.maximum, level.maximumAverage)
    }
  }

  private func setRateControl(_ settings: EncoderSettings) throws(MediaError) {
    try settings.checkRateControl([], of: "SVT-AV1")
    guard let bitRate = settings.bitRate else {
      if settings[option: "rate-control"] == "cbr" {
        throw MediaError(.invalidArgument, "rate-control cbr needs a bit rate")
      }
      let quality = Int((settings.quality ?? Self.usualQuality).rounded())
      try parse("crf", "\(quality)", from: "quality")
      return
    }
    let isConstant = settings[option: "rate-control"] == "cbr"
    try parse("rc", isConstant ? "2" : "1", from: "rate-control")
    try parse("tbr", "\(bitRate / 1000)", from: "bit rate")
  }

  private func setOptions(_ settings: EncoderSettings) throws(MediaError) {
    // For an interval of one frame, the encoder sends each frame as a key frame, which needs a quality.
    if settings.keyFrameInterval == 1, settings.bitRate != nil {
      throw MediaError(
        .invalidArgument,
        "SVT-AV1 makes every frame a key frame only with a quality, not a bit rate")
    }
    if let interval = settings.keyFrameInterval, interval > 1 {
      try parse("keyint", "\(interval)", from: "keyFrameInterval")
    }
    for schema in EncoderOptions.passed {
      guard let text = settings[option: schema.name] ?? schema.defaultValue else { continue }
      try parse(schema.name, text, from: schema.name)
    }
    for pair in try EncoderOptions.pairs(settings[option: "svtav1-params"] ?? "") {
      try parse(pair.key, pair.value ?? "1", from: "svtav1-params")
    }
  }

  private func parse(_ name: String, _ value: String, from option: String) throws(MediaError) {
    guard csvtav1_parse(pointer, name, value) == Int32(CSVTAV1_OK) else {
      throw MediaError(
        .invalidArgument,
        "\(option) sets \(name) to \"\(value)\", which SVT-AV1 \(Self.version) does not take")
    }
  }

  /// Throws an error for a failed call.
  func check(_ status: Int32, _ message: String) throws(MediaError) {
    switch status {
    case Int32(CSVTAV1_OK): return
    case Int32(CSVTAV1_NO_MEMORY):
      throw MediaError(.limitExceeded, "memory ran out", cause: message)
    case Int32(CSVTAV1_BAD_PARAMETER):
      throw MediaError(
        .invalidArgument, message,
        cause: "a value or a combination of values is not possible in this version")
    default: throw MediaError(.pluginFailure, message)
    }
  }
}

extension String {
  /// The version without the letter in front and without the commit after it.
  fileprivate var trimmingVersionPrefix: String {
    String(drop { $0 == "v" }.prefix { $0 != "-" })
  }
}
