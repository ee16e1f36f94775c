import CAVCodec
import RespoolPlugin

/// The common base class of libavcodec's encoders.
///
/// Subclasses provide the description and the settings.
class LibraryEncoder {
  private(set) var track: TrackDescription
  private let context: CodecContext
  /// Time base of libavcodec's packets.
  ///
  /// Equal to that of `track`.
  private let timeBase: Rational
  /// Time base of the input frames.
  private let inputBase: Rational
  private let isVideo: Bool
  private let alwaysWhole: Bool
  /// `true` if the library's encoder obeys only the interval of key frames, not the type of a frame.
  private let ignoresFrameType: Bool
  /// Durations of video frames whose packets have not been returned, by presentation time.
  ///
  /// libavcodec 59 does not copy the duration of a frame to its packet.
  private var durations: [Int64: Int64] = [:]

  /// Opens the encoder.
  ///
  /// `ignoresFrameType` is `true` if the library's encoder obeys only the interval of key frames. `alwaysWhole`
  /// is `true` if every audio packet decodes to a whole frame, including the last. `configure` sets
  /// codec-specific options before the codec is opened.
  init(
    codec name: String, settings: EncoderSettings, alwaysWhole: Bool = false,
    ignoresFrameType: Bool = false,
    configure: (CodecContext) throws(MediaError) -> Void
  ) throws(MediaError) {
    guard let codec = avcodec_find_encoder_by_name(name) else {
      throw MediaError(.unsupported, "this libavcodec has no encoder \(name)")
    }
    let context = try CodecContext(codec)
    let track = settings.track
    isVideo = codec.pointee.type == AVMEDIA_TYPE_VIDEO
    inputBase = track.timeBase.isPositive ? track.timeBase : Rational(1, 1000)
    // Bit-exact: the output does not contain the version of the library.
    context.pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
    context.use(threads: settings.threads)
    if let rate = settings.bitRate { context.pointer.pointee.bit_rate = rate }
    if isVideo {
      try context.configureEncoder(video: track, timeBase: inputBase)
      if let interval = settings.keyFrameInterval {
        context.pointer.pointee.gop_size = Int32(clamping: interval)
      }
      timeBase = inputBase
    } else {
      try context.configureEncoder(audio: track)
      timeBase = Rational(1, Int32(clamping: track.sampleRate))
    }
    try configure(context)
    try context.open()
    self.alwaysWhole = alwaysWhole
    self.ignoresFrameType = ignoresFrameType
    self.context = context
    self.track = track
    self.track.timeBase = timeBase
    describe()
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard let frame else {
      let result = avcodec_send_frame(context.pointer, nil)
      guard result >= 0 || result == ffmpeg_error_end else {
        throw .library(result, "\(context.name) cannot be drained", .pluginFailure)
      }
      return .accepted
    }
    var input: UnsafeMutablePointer<AVFrame>? = try frame.clampedForEncoder().lent(to: context)
    defer { av_frame_free(&input) }
    if let pts = frame.pts { input?.pointee.pts = inputBase.convert(pts, to: timeBase) }
    // libavcodec takes the constant quality of video from each frame.
    input?.pointee.quality = context.pointer.pointee.global_quality
    let interval = context.pointer.pointee.gop_size
    defer { context.pointer.pointee.gop_size = interval }
    if frame.flags.contains(.mustBeKey) {
      input?.pointee.pict_type = AV_PICTURE_TYPE_I
      // With an interval of 0, this frame becomes a key frame; the next ones come as before.
      if ignoresFrameType { context.pointer.pointee.gop_size = 0 }
    }
    let result = avcodec_send_frame(context.pointer, input)
    if result == ffmpeg_error_again { return .full }
    guard result >= 0 else {
      throw .library(result, "\(context.name) does not take this frame", .invalidArgument)
    }
    if isVideo, let pts = frame.pts, frame.duration > 0 {
      durations[inputBase.convert(pts, to: timeBase)] = inputBase.convert(
        frame.duration, to: timeBase)
    }
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard let packet = av_packet_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a packet")
    }
    let result = avcodec_receive_packet(context.pointer, packet)
    guard result >= 0 else {
      var unused: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&unused)
      switch result {
      case ffmpeg_error_again: return .needsInput
      case ffmpeg_error_end:
        describe()
        return .end
      default: throw .library(result, "\(context.name) failed", .pluginFailure)
      }
    }
    takeConfiguration(packet)
    guard packet.pointee.size > 0 else {
      var empty: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&empty)
      return try receive()
    }
    return .value(makePacket(packet))
  }

  /// Takes the new extradata.
  ///
  /// FLAC returns its STREAMINFO with the checksum of all samples at the end, in a packet without bytes.
  private func takeConfiguration(_ packet: UnsafePointer<AVPacket>) {
    var size = 0
    if let data = av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &size), size > 0 {
      track.extradata = Array(UnsafeBufferPointer(start: data, count: size))
    }
  }

  /// Makes a packet and takes ownership of `packet`.
  private func makePacket(_ packet: UnsafeMutablePointer<AVPacket>) -> Packet {
    let value = packet.pointee
    // From here on, the packet is only freed.
    nonisolated(unsafe) let owned = packet
    let buffer = MediaBuffer(
      borrowing: UnsafeMutableRawBufferPointer(start: value.data, count: Int(max(0, value.size)))
    ) {
      var packet: UnsafeMutablePointer<AVPacket>? = owned
      av_packet_free(&packet)
    }
    var result = Packet(
      track: 0, pts: time(value.pts), dts: time(value.dts), duration: max(0, value.duration),
      payload: .bytes(buffer))
    let duration = durations.removeValue(forKey: value.pts)
    if isVideo, result.duration == 0, let duration { result.duration = duration }
    if value.flags & AV_PKT_FLAG_KEY != 0 { result.flags.insert(.key) }
    let frameSize = Int64(context.pointer.pointee.frame_size)
    // libavcodec reports the valid samples of the last packet, which decodes to a whole frame.
    if alwaysWhole, result.duration < frameSize {
      result.trimEnd = frameSize - result.duration
      result.duration = frameSize
    }
    return result
  }

  /// Updates the track description from the opened codec.
  private func describe() {
    let value = context.pointer.pointee
    if let name = avcodec_get_name(value.codec_id) { track.codec = String(cString: name) }
    if let data = value.extradata, value.extradata_size > 0, track.extradata.isEmpty {
      track.extradata = Array(UnsafeBufferPointer(start: data, count: Int(value.extradata_size)))
    }
    // libaom gives the sequence header alone.
    if track.codec == "av1", !AV1Configuration.isRecord(track.extradata),
      let configuration = try? AV1Configuration(units: track.extradata)
    {
      track.extradata = configuration.bytes
    }
    // Containers store the profile of a codec for editing as its tag.
    switch track.codec {
    case "prores": track.codecTag = value.codec_tag
    case "dnxhd": track.codecTag = "AVdh".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    default: track.codecTag = 0
    }
    track.bitRate = max(0, value.bit_rate)
    track.profile = value.profile >= 0 ? value.profile : nil
    track.level = value.level >= 0 ? value.level : nil
    if isVideo {
      track.reorderDepth = Int(max(0, value.has_b_frames))
    } else {
      track.initialPadding = Int(max(0, value.initial_padding))
      track.frameSize = Int(max(0, value.frame_size))
      track.bitsPerSample = Int(max(0, value.bits_per_raw_sample))
    }
  }

  private func time(_ value: Int64) -> Int64? { value == ffmpeg_no_time ? nil : value }
}
