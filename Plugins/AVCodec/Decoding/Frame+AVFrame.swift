import CAVCodec
import FFmpeg
import RespoolPlugin

extension Frame {
  /// Creates a frame from `frame` and takes ownership of it.
  ///
  /// The memory is freed with the last reference. It is copied only if the host has no such format.
  init(adopting frame: UnsafeMutablePointer<AVFrame>, isVideo: Bool) throws(MediaError) {
    let buffer = MediaBuffer(adopting: FrameReference(frame))
    // A frame that has been copied does not hold the buffer, which frees `frame`.
    defer { withExtendedLifetime(buffer) {} }
    let value = frame.pointee
    if let copy = try isVideo ? Self.gray(ofBits: value) : Self.narrowed(value) {
      self = copy
    } else {
      self = try Frame(value, in: buffer, isVideo: isVideo)
    }
    if isVideo { takeSideData(of: frame) }
    duration = max(0, value.pkt_duration)
    let time = value.best_effort_timestamp
    pts = time == ffmpeg_no_time ? nil : time
    if value.key_frame != 0 { flags.insert(.key) }
    if value.flags & AV_FRAME_FLAG_CORRUPT != 0 || value.decode_error_flags != 0 {
      flags.insert(.corrupt)
    }
  }

  /// Returns the upper 32 bits of 64-bit integer audio.
  ///
  /// `nil` for other formats.
  private static func narrowed(_ value: AVFrame) throws(MediaError) -> Frame? {
    let isPlanar = value.format == AV_SAMPLE_FMT_S64P.rawValue
    guard isPlanar || value.format == AV_SAMPLE_FMT_S64.rawValue else { return nil }
    let layout = ChannelLayout(value.ch_layout)
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
        throw MediaError(.pluginFailure, "FFmpeg omitted a plane of a frame")
      }
      let wide = UnsafeRawPointer(base).assumingMemoryBound(to: Int64.self)
      let narrow = plane.base.assumingMemoryBound(to: Int32.self)
      for sample in 0..<count { narrow[sample] = Int32(truncatingIfNeeded: wide[sample] >> 32) }
    }
    return frame
  }
}
