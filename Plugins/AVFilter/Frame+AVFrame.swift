import CAVFilter
import RespoolPlugin

extension Frame {
  /// Creates a frame from one of the library and takes ownership of it.
  ///
  /// The memory is not copied, and freed with the last reference. The duration is left to the host, which knows that
  /// of the frames that went in.
  init(adopting reference: FrameReference, isVideo: Bool) throws(MediaError) {
    let frame = reference.pointer
    let memory = UnsafeMutableRawBufferPointer(
      start: frame.pointee.data.0, count: frame.pointee.buf.0.map { Int($0.pointee.size) } ?? 0)
    let buffer = MediaBuffer(borrowing: memory) {
      var frame: UnsafeMutablePointer<AVFrame>? = reference.pointer
      av_frame_free(&frame)
    }
    // A frame that has been copied does not hold the buffer, which frees `frame`.
    defer { withExtendedLifetime(buffer) {} }
    self = try isVideo ? Self.video(frame, buffer) : Self.audio(frame, buffer)
    pts = frame.pointee.pts == avfilter_no_time ? nil : frame.pointee.pts
  }

  private static func video(_ frame: UnsafeMutablePointer<AVFrame>, _ buffer: MediaBuffer)
    throws(MediaError) -> Frame
  {
    let value = frame.pointee
    guard let pixelFormat = PixelFormat(ffmpeg: AVPixelFormat(rawValue: value.format)),
      let layout = pixelFormat.layout
    else {
      throw MediaError(.unsupported, "the filter returned an unknown pixel format")
    }
    let all = [
      (value.data.0, value.linesize.0), (value.data.1, value.linesize.1),
      (value.data.2, value.linesize.2), (value.data.3, value.linesize.3),
    ]
    var planes: [Plane] = []
    for (base, stride) in all.prefix(layout.planeCount) {
      guard let base else { throw MediaError(.pluginFailure, "libavfilter omitted a plane") }
      planes.append(Plane(base: UnsafeMutableRawPointer(base), stride: Int(stride)))
    }
    var result = Frame(kind: .video, pts: nil, planes: planes, buffer: buffer)
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
    guard let format = SampleFormat(ffmpeg: AVSampleFormat(rawValue: value.format)), samples > 0,
      value.sample_rate > 0, (1...64).contains(layout.channelCount), let data = value.extended_data
    else {
      throw MediaError(.unsupported, "the filter returned unknown audio")
    }
    let count = format.isPlanar ? layout.channelCount : 1
    let bytes = samples * format.bytesPerSample * (format.isPlanar ? 1 : layout.channelCount)
    var planes: [Plane] = []
    for index in 0..<count {
      guard let base = data[index] else {
        throw MediaError(.pluginFailure, "libavfilter omitted a plane")
      }
      planes.append(Plane(base: UnsafeMutableRawPointer(base), stride: bytes))
    }
    var result = Frame(kind: .audio, pts: nil, planes: planes, buffer: buffer)
    if count > 8 {
      // If there are more planes than the ABI allows, they must be at equal distances.
      guard
        let copy = Frame(
          sampleFormat: format, channelLayout: layout, sampleRate: Int(value.sample_rate),
          sampleCount: samples)
      else {
        throw MediaError(.limitExceeded, "a frame cannot have \(samples) samples of \(layout)")
      }
      for (plane, target) in zip(planes, copy.planes) {
        target.base.copyMemory(from: plane.base, byteCount: bytes)
      }
      result = copy
    }
    result.sampleFormat = format
    result.sampleRate = Int(value.sample_rate)
    result.channelLayout = layout
    result.sampleCount = samples
    return result
  }
}
