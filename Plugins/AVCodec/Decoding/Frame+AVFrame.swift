import CAVCodec
import RespoolPlugin

extension Frame {
  /// Creates a frame from `frame` and takes ownership of it.
  ///
  /// The memory is not copied, and freed with the last reference.
  init(adopting frame: UnsafeMutablePointer<AVFrame>, isVideo: Bool) throws(MediaError) {
    // From here on, the frame is only freed.
    nonisolated(unsafe) let owned = frame
    let memory = UnsafeMutableRawBufferPointer(
      start: frame.pointee.data.0, count: frame.pointee.buf.0.map { Int($0.pointee.size) } ?? 0)
    let buffer = MediaBuffer(borrowing: memory) {
      var frame: UnsafeMutablePointer<AVFrame>? = owned
      av_frame_free(&frame)
    }
    // A frame that has been copied does not hold the buffer, which frees `frame`.
    defer { withExtendedLifetime(buffer) {} }
    self = try isVideo ? Self.picture(frame, buffer) : Self.audio(frame, buffer)
    if isVideo { takeSideData(of: frame) }
    let value = frame.pointee
    duration = max(0, value.pkt_duration)
    let time = value.best_effort_timestamp
    pts = time == avcodec_no_time ? nil : time
    if value.key_frame != 0 { flags.insert(.key) }
    if value.flags & AV_FRAME_FLAG_CORRUPT != 0 || value.decode_error_flags != 0 {
      flags.insert(.corrupt)
    }
  }

  private static func picture(_ frame: UnsafeMutablePointer<AVFrame>, _ buffer: MediaBuffer)
    throws(MediaError) -> Frame
  {
    let value = frame.pointee
    let format = AVPixelFormat(rawValue: value.format)
    if let gray = Frame.gray(ofBits: value) { return gray }
    guard let pixelFormat = PixelFormat(ffmpeg: format), let layout = pixelFormat.layout else {
      let name = av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(value.format)"
      throw MediaError(.unsupported, "frames in the pixel format \(name) are not supported")
    }
    var result = Frame(
      kind: .video, pts: nil, planes: try planes(frame, count: layout.planeCount), buffer: buffer)
    result.pixelFormat = pixelFormat
    result.width = Int(value.width)
    result.height = Int(value.height)
    let aspect = Rational(value.sample_aspect_ratio)
    if aspect.isPositive { result.sampleAspect = aspect }
    result.color = ColorDescription(value)
    if value.interlaced_frame != 0 {
      result.flags.insert(.interlaced)
      if value.top_field_first != 0 { result.flags.insert(.topFieldFirst) }
    }
    return result
  }

  private static func audio(_ frame: UnsafeMutablePointer<AVFrame>, _ buffer: MediaBuffer)
    throws(MediaError) -> Frame
  {
    let value = frame.pointee
    let layout = ChannelLayout(value.ch_layout)
    let samples = Int(value.nb_samples)
    if let audio = try narrowed(value, layout) { return audio }
    guard let format = SampleFormat(ffmpeg: AVSampleFormat(rawValue: value.format)), samples > 0,
      value.sample_rate > 0, (1...64).contains(layout.channelCount),
      let data = value.extended_data
    else {
      let name = av_get_sample_fmt_name(AVSampleFormat(rawValue: value.format))
      throw MediaError(
        .unsupported,
        "audio of \(layout) in the sample format "
          + "\(name.map { String(cString: $0) } ?? "\(value.format)") is not supported")
    }
    let count = format.isPlanar ? layout.channelCount : 1
    let bytes =
      samples * format.bytesPerSample * (format.isPlanar ? 1 : layout.channelCount)
    var result: Frame
    if count <= 8 {
      var planes: [Plane] = []
      for index in 0..<count {
        guard let base = data[index] else {
          throw MediaError(.pluginFailure, "libavcodec omitted a plane")
        }
        planes.append(Plane(base: UnsafeMutableRawPointer(base), stride: bytes))
      }
      result = Frame(kind: .audio, pts: nil, planes: planes, buffer: buffer)
    } else {
      // If there are more planes than the ABI allows, they must be at equal distances.
      guard
        let copy = Frame(
          sampleFormat: format, channelLayout: layout, sampleRate: Int(value.sample_rate),
          sampleCount: samples)
      else {
        throw MediaError(
          .limitExceeded, "a frame cannot have \(samples) samples of \(layout)")
      }
      for (index, plane) in copy.planes.enumerated() {
        guard let base = data[index] else {
          throw MediaError(.pluginFailure, "libavcodec omitted a plane")
        }
        plane.base.copyMemory(from: base, byteCount: bytes)
      }
      result = copy
    }
    result.sampleFormat = format
    result.sampleRate = Int(value.sample_rate)
    result.channelLayout = layout
    result.sampleCount = samples
    return result
  }

  /// Returns the upper 32 bits of 64-bit integer audio.
  ///
  /// `nil` for other formats.
  private static func narrowed(_ value: AVFrame, _ layout: ChannelLayout) throws(MediaError)
    -> Frame?
  {
    let isPlanar = value.format == AV_SAMPLE_FMT_S64P.rawValue
    guard isPlanar || value.format == AV_SAMPLE_FMT_S64.rawValue else { return nil }
    let (samples, channels) = (Int(value.nb_samples), layout.channelCount)
    guard samples > 0, value.sample_rate > 0, (1...64).contains(channels),
      let data = value.extended_data,
      let frame = Frame(
        sampleFormat: isPlanar ? .s32p : .s32, channelLayout: layout,
        sampleRate: Int(value.sample_rate), sampleCount: samples)
    else {
      throw MediaError(
        .limitExceeded, "a frame cannot have \(value.nb_samples) samples of \(layout)")
    }
    let count = samples * (isPlanar ? 1 : channels)
    for (index, plane) in frame.planes.enumerated() {
      guard let base = data[index] else {
        throw MediaError(.pluginFailure, "libavcodec omitted a plane")
      }
      let wide = UnsafeRawPointer(base).assumingMemoryBound(to: Int64.self)
      let narrow = plane.base.assumingMemoryBound(to: Int32.self)
      for place in 0..<count { narrow[place] = Int32(truncatingIfNeeded: wide[place] >> 32) }
    }
    return frame
  }

  private static func planes(_ frame: UnsafeMutablePointer<AVFrame>, count: Int)
    throws(MediaError) -> [Plane]
  {
    let data = frame.pointee.data
    let strides = frame.pointee.linesize
    let all = [
      (data.0, strides.0), (data.1, strides.1), (data.2, strides.2), (data.3, strides.3),
    ]
    var planes: [Plane] = []
    for (base, stride) in all.prefix(count) {
      guard let base else { throw MediaError(.pluginFailure, "libavcodec omitted a plane") }
      planes.append(Plane(base: UnsafeMutableRawPointer(base), stride: Int(stride)))
    }
    return planes
  }
}
