import CVPX
import RespoolPlugin
import VideoEncoding

/// An encoder for VP8 and VP9 with libvpx.
final class VPXEncoder: Encoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(
      kind: .encoder, name: "vpx", longName: "VP8 and VP9 by libvpx")
    about.tier = .preferred
    // One thread produces other bytes than several: always for VP8, for VP9 with row-mt or in real time. In
    // measurements, the number of threads made no difference from two on.
    about.flags = [.threadsChangeOutput, .lowDelay, .twoPasses, .dropsFrames]
    about.aliases = ["libvpx", "libvpx-vp9"]
    about.codecs = ["vp8", "vp9"]
    about.options = EncoderOptions.all
    about.pixelFormats = FrameFormat.all.map(\.pixelFormat)
    about.rateControl = RateControl(
      .video,
      quality: .init(
        0...63, step: 1, isLowerBetter: true, usual: Double(Configuration.usualQuality)),
      bitRates: Configuration.bitRates)
    return about
  }()

  private(set) var track: TrackDescription

  private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
  private let format: FrameFormat
  private let openedFormat: OpenedFormat
  private let deadline: UInt
  private var clock: FrameClock
  private var waiting: [Packet] = []
  private var lastShown: Int64?
  private var isDraining = false
  private var isDrained = false
  /// `true` if packets are statistics for a second pass.
  private let isFirstPass: Bool
  /// First-pass statistics.
  ///
  /// libvpx reads them while it is open.
  private let statistics: MediaBuffer?

  init(settings: EncoderSettings) throws(MediaError) {
    clock = FrameClock(settings.track)
    var configuration = try Configuration(settings, tick: clock.tick)
    format = configuration.format
    openedFormat = OpenedFormat(settings.track)
    isFirstPass = configuration.value.g_pass == VPX_RC_FIRST_PASS
    statistics = configuration.statistics
    deadline =
      switch settings[option: "deadline"] {
      case "best": UInt(VPX_DL_BEST_QUALITY)
      case "realtime": UInt(VPX_DL_REALTIME)
      case nil where settings.needsLowDelay: UInt(VPX_DL_REALTIME)
      default: UInt(VPX_DL_GOOD_QUALITY)
      }
    track = settings.track
    track.codecTag = 0
    track.extradata = []
    track.reorderDepth = 0
    track.bitRate = settings.bitRate ?? 0
    track.fieldOrder = .progressive
    context = .allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    // From here on, `deinit` frees the context, also if `init` throws.
    let interface = cvpx_encoder_interface(configuration.isVP9 ? 1 : 0)
    let status = cvpx_encoder_init(
      context, interface, &configuration.value, format.bitDepth > 8 ? 1 : 0)
    guard status == VPX_CODEC_OK else {
      throw MediaError(
        .invalidArgument, "libvpx could not be opened with these settings", cause: reason(status))
    }
    try setControls(settings, configuration)
    describe(isVP9: configuration.isVP9)
  }

  deinit {
    withExtendedLifetime(statistics) { _ = vpx_codec_destroy(context) }
    context.deallocate()
  }

  private func setControls(_ settings: EncoderSettings, _ configuration: Configuration)
    throws(MediaError)
  {
    let codec = settings.track.codec
    // In real time, VP8 treats a positive speed as a share of elapsed time, which differs between runs. A
    // negative speed is fixed.
    let usual: Int32 = settings.needsLowDelay && !configuration.isVP9 ? -1 : 1
    let speed = settings[option: "cpu-used"].flatMap { Int32($0) } ?? usual
    if configuration.isVP9, !(-9...9).contains(speed) {
      throw MediaError(.invalidArgument, "cpu-used is \(speed); vp9 takes -9 to 9")
    }
    try set(VP8E_SET_CPUUSED, speed, named: "cpu-used")
    if let quality = configuration.quality {
      try set(VP8E_SET_CQ_LEVEL, quality, named: "quality")
    }
    for control in EncoderOptions.controls where control.codecs.contains(codec) {
      let text = settings[option: control.schema.name] ?? control.schema.defaultValue
      guard let text, let value = control.value(text) else { continue }
      try set(control.control, value, named: control.schema.name)
    }
    if configuration.isVP9 {
      let color = settings.track.color
      let space = Int32(bitPattern: color.vp9ColorSpace.rawValue)
      // Only 4:4:4 can hold RGB (bitstream specification 7.2.2).
      if color.matrix != H273.Matrix.identity || format.profile & 1 == 1 {
        try set(VP9E_SET_COLOR_SPACE, space, named: "color space")
      }
      try set(VP9E_SET_COLOR_RANGE, color.range == .full ? 1 : 0, named: "color range")
    }
  }

  private func set(_ control: vp8e_enc_control_id, _ value: Int32, named name: String)
    throws(MediaError)
  {
    let status = cvpx_control(context, Int32(bitPattern: control.rawValue), value)
    guard status == VPX_CODEC_OK else {
      throw MediaError(
        .invalidArgument, "libvpx does not take \(value) for \(name)", cause: reason(status))
    }
  }

  /// Sets profile, level and, for VP9, the body of vpcC (VP Codec ISO Media File Format Binding).
  private func describe(isVP9: Bool) {
    guard isVP9 else { return }
    let rate = track.frameRate.isPositive ? track.frameRate.doubleValue : 30
    let level = VP9Level.lowest(width: track.width, height: track.height, frameRate: rate)
    track.profile = Int32(format.profile)
    track.level = level > 0 ? Int32(level) : nil
    let color = track.color
    let subsampling: UInt8
    switch (format.layout.log2ChromaWidth, format.layout.log2ChromaHeight) {
    // FFmpeg and libwebm treat an unspecified chroma location as colocated.
    case (1, 1): subsampling = color.chromaLocation == .left ? 0 : 1
    case (1, 0): subsampling = 2
    case (0, 0): subsampling = 3
    // vpcC has no number for 4:4:0.
    default: return
    }
    var configuration = VPCodecConfiguration(
      profile: UInt8(format.profile), level: level, bitDepth: UInt8(format.bitDepth),
      chromaSubsampling: subsampling)
    configuration.isFullRange = color.range == .full
    configuration.colorPrimaries = color.primaries
    configuration.transferCharacteristics = color.transfer
    configuration.matrixCoefficients = color.matrix
    track.extradata = configuration.boxBody
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting.isEmpty else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    guard !isDraining else {
      throw MediaError(.invalidArgument, "a frame came after the end")
    }
    try openedFormat.check(frame)
    var image = vpx_image_t()
    cvpx_describe(
      &image, Int32(bitPattern: format.image.rawValue), UInt32(frame.width), UInt32(frame.height),
      UInt32(format.layout.log2ChromaWidth), UInt32(format.layout.log2ChromaHeight),
      UInt32(format.bitDepth))
    for (index, plane) in frame.planes.prefix(3).enumerated() {
      guard let stride = Int32(exactly: plane.stride) else {
        throw MediaError(.invalidArgument, "rows of \(plane.stride) bytes are too long for libvpx")
      }
      cvpx_set_plane(&image, Int32(index), plane.base, stride)
    }
    if frame.color.range == .full || track.color.range == .full { image.range = VPX_CR_FULL_RANGE }
    image.cs = track.color.vp9ColorSpace
    let tick = try clock.enter(frame)
    // libvpx copies the frame before it returns.
    let status = withExtendedLifetime(frame.buffer) {
      vpx_codec_encode(
        context, &image, tick, UInt(clamping: clock.lastDuration),
        frame.flags.contains(.mustBeKey) ? vpx_enc_frame_flags_t(VPX_EFLAG_FORCE_KF) : 0, deadline)
    }
    guard status == VPX_CODEC_OK else {
      throw MediaError(.pluginFailure, "libvpx could not encode a frame", cause: reason(status))
    }
    try collect()
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    while waiting.isEmpty {
      guard isDraining else { return .needsInput }
      guard !isDrained else { return .end }
      let status = vpx_codec_encode(context, nil, 0, 0, 0, deadline)
      guard status == VPX_CODEC_OK else {
        throw MediaError(.pluginFailure, "libvpx could not finish encoding", cause: reason(status))
      }
      try collect()
      isDrained = waiting.isEmpty
    }
    return .value(waiting.removeFirst())
  }

  /// Collects all packets that libvpx has ready.
  private func collect() throws(MediaError) {
    var iterator: vpx_codec_iter_t?
    while let packet = vpx_codec_get_cx_data(context, &iterator) {
      if isFirstPass {
        take(cvpx_statistics(packet))
        continue
      }
      let coded = cvpx_coded_frame(packet)
      guard let data = coded.data else { continue }
      let bytes = MediaBuffer(copying: UnsafeRawBufferPointer(start: data, count: coded.size))
      var times: FrameClock.Times
      if coded.is_invisible != 0 {
        // VP8's invisible reference frames are separate packets. They are decoded directly after the frame
        // before and have no duration. VP9 stores them in one packet with the next frame.
        times = FrameClock.Times(pts: (lastShown ?? -1) + 1, duration: 0)
      } else if let known = clock.leave(coded.pts) {
        times = known
        lastShown = known.pts
      } else {
        throw MediaError(.internal, "libvpx returned a frame at \(coded.pts), which was not sent")
      }
      waiting.append(
        Packet(
          track: 0, pts: times.pts, dts: times.pts, duration: times.duration,
          flags: coded.is_key != 0 ? .key : [], payload: .bytes(bytes)))
    }
  }

  /// Adds a packet with first-pass statistics, which have no time of their own.
  private func take(_ part: cvpx_coded) {
    guard let data = part.data, part.size > 0 else { return }
    let bytes = MediaBuffer(copying: UnsafeRawBufferPointer(start: data, count: part.size))
    let time = (lastShown ?? -1) + 1
    lastShown = time
    waiting.append(
      Packet(track: 0, pts: time, dts: time, flags: .key, payload: .bytes(bytes)))
  }

  private func reason(_ status: vpx_codec_err_t) -> String {
    let general = String(cString: vpx_codec_err_to_string(status))
    guard let detail = vpx_codec_error_detail(context) else { return general }
    return "\(general): \(String(cString: detail))"
  }
}
