package import CFFmpeg
package import RespoolMedia

extension MediaBuffer {
  /// Creates a buffer that owns a frame of FFmpeg, and frees it with the last reference.
  package convenience init(adopting frame: FrameReference) {
    let value = frame.pointer.pointee
    let memory = UnsafeMutableRawBufferPointer(
      start: value.data.0, count: value.buf.0.map { Int($0.pointee.size) } ?? 0)
    self.init(borrowing: memory) { frame.free() }
  }
}

extension Frame {
  /// Creates a frame with the samples and the format of FFmpeg's `value`, without times.
  ///
  /// The memory is not copied, except for planar audio of more than eight channels. `buffer` owns it.
  package init(_ value: AVFrame, in buffer: MediaBuffer, isVideo: Bool) throws(MediaError) {
    self = try isVideo ? Self.video(value, buffer) : Self.audio(value, buffer)
  }

  private static func video(_ value: AVFrame, _ buffer: MediaBuffer) throws(MediaError) -> Frame {
    let format = AVPixelFormat(rawValue: value.format)
    guard let pixelFormat = PixelFormat(ffmpeg: format), let layout = pixelFormat.layout else {
      let name = av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(value.format)"
      throw MediaError(.unsupported, "frames in the pixel format \(name) are not supported")
    }
    let all = [
      (value.data.0, value.linesize.0), (value.data.1, value.linesize.1),
      (value.data.2, value.linesize.2), (value.data.3, value.linesize.3),
    ]
    var planes: [Plane] = []
    for (base, stride) in all.prefix(layout.planeCount) {
      planes.append(try plane(base, stride: Int(stride)))
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

  private static func audio(_ value: AVFrame, _ buffer: MediaBuffer) throws(MediaError) -> Frame {
    let layout = ChannelLayout(value.ch_layout)
    let samples = Int(value.nb_samples)
    guard let format = SampleFormat(ffmpeg: AVSampleFormat(rawValue: value.format)), samples > 0,
      value.sample_rate > 0, (1...64).contains(layout.channelCount), let data = value.extended_data
    else {
      let name = av_get_sample_fmt_name(AVSampleFormat(rawValue: value.format))
      throw MediaError(
        .unsupported,
        "audio of \(layout) in the sample format "
          + "\(name.map { String(cString: $0) } ?? "\(value.format)") is not supported")
    }
    let count = format.isPlanar ? layout.channelCount : 1
    let bytes = samples * format.bytesPerSample * (format.isPlanar ? 1 : layout.channelCount)
    var planes: [Plane] = []
    for index in 0..<count { planes.append(try plane(data[index], stride: bytes)) }
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

  private static func plane(_ base: UnsafeMutablePointer<UInt8>?, stride: Int) throws(MediaError)
    -> Plane
  {
    guard let base else { throw MediaError(.pluginFailure, "FFmpeg omitted a plane of a frame") }
    return Plane(base: UnsafeMutableRawPointer(base), stride: stride)
  }
}
