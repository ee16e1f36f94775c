import CAVFilter
import FFmpeg
import RespoolPlugin

extension Frame {
  /// Alignment in bytes that libavfilter's vector code needs.
  private static let alignment = 32

  /// Returns the frame as an AVFrame that shares its memory, or as a copy if rows are not aligned or padded.
  ///
  /// The caller frees the result. Throws `invalidArgument` if the frame is not as `track` describes it.
  func lent(to track: TrackDescription) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
    try makeAVFrame { frame throws(MediaError) in
      try describe(frame, track)
      if isAligned { try share(with: frame) } else { try copy(to: frame) }
    }
  }

  private func describe(_ frame: UnsafeMutablePointer<AVFrame>, _ track: TrackDescription)
    throws(MediaError)
  {
    frame.pointee.pts = pts ?? ffmpeg_no_time
    frame.pointee.pkt_duration = duration
    if kind == .video {
      guard track.kind == .video, pixelFormat == track.pixelFormat, width == track.width,
        height == track.height
      else {
        throw MediaError(
          .invalidArgument,
          "a frame of \(width)x\(height) \(pixelFormat) does not match the filter, opened for "
            + "\(track.width)x\(track.height) \(track.pixelFormat)")
      }
      frame.pointee.format = pixelFormat.ffmpeg.rawValue
      frame.pointee.width = Int32(clamping: width)
      frame.pointee.height = Int32(clamping: height)
      frame.pointee.interlaced_frame = flags.contains(.interlaced) ? 1 : 0
      frame.pointee.top_field_first = flags.contains(.topFieldFirst) ? 1 : 0
      let aspect = sampleAspect.isPositive ? sampleAspect : track.sampleAspect
      if aspect.isPositive { frame.pointee.sample_aspect_ratio = aspect.ffmpeg }
      let color = color.ffmpeg
      frame.pointee.color_primaries = color.primaries
      frame.pointee.color_trc = color.transfer
      frame.pointee.colorspace = color.matrix
      frame.pointee.color_range = color.range
      frame.pointee.chroma_location = color.location
    } else {
      guard track.kind == .audio, sampleFormat == track.sampleFormat,
        sampleRate == track.sampleRate,
        channelLayout.channelCount == track.channelLayout.channelCount
      else {
        throw MediaError(
          .invalidArgument,
          "audio of \(channelLayout), \(sampleRate) Hz, \(sampleFormat); the filter was opened for "
            + "\(track.channelLayout), \(track.sampleRate) Hz, \(track.sampleFormat)")
      }
      frame.pointee.format = sampleFormat.ffmpeg.rawValue
      frame.pointee.nb_samples = Int32(clamping: sampleCount)
      frame.pointee.sample_rate = Int32(clamping: sampleRate)
      avfilter_set_layout(
        &frame.pointee.ch_layout, Int32(clamping: channelLayout.channelCount),
        track.channelLayout.resolved.mask)
    }
  }

  /// `true` if libavfilter's vector code may read the rows, also a little beyond the last one.
  ///
  /// The memory after a plane outside the buffer is unknown. Audio is copied, which costs little.
  private var isAligned: Bool {
    guard kind == .video, let layout = pixelFormat.layout else { return false }
    let mask = Self.alignment - 1
    let start = Int(bitPattern: buffer.bytes.baseAddress)
    let end = start + buffer.count
    return planes.prefix(layout.planeCount).enumerated().allSatisfy { index, plane in
      let base = Int(bitPattern: plane.base)
      guard base & mask == 0, plane.stride > 0, plane.stride & mask == 0 else { return false }
      guard base >= start, base < end else { return false }
      let rows = layout.height(ofPlane: index, for: height)
      let used = (rows - 1) * plane.stride + layout.rowBytes(ofPlane: index, for: width)
      return base + used + Self.alignment <= end
    }
  }

  private func copy(to frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
    guard av_frame_get_buffer(frame, 0) >= 0 else {
      throw MediaError(.limitExceeded, "there is no memory for a frame")
    }
    withExtendedLifetime(buffer) {
      kind == .video ? copyRows(to: frame) : copySamples(to: frame)
    }
  }

  private func copyRows(to frame: UnsafeMutablePointer<AVFrame>) {
    guard let layout = pixelFormat.layout else { return }
    let (data, strides) = (frame.pointee.data, frame.pointee.linesize)
    let targets = [
      (data.0, strides.0), (data.1, strides.1), (data.2, strides.2), (data.3, strides.3),
    ]
    for (index, plane) in planes.prefix(layout.planeCount).enumerated() {
      guard let base = targets[index].0 else { return }
      let bytes = layout.rowBytes(ofPlane: index, for: width)
      for row in 0..<layout.height(ofPlane: index, for: height) {
        UnsafeMutableRawPointer(base + row * Int(targets[index].1)).copyMemory(
          from: plane.base + row * plane.stride, byteCount: bytes)
      }
    }
  }

  private func copySamples(to frame: UnsafeMutablePointer<AVFrame>) {
    let channels = sampleFormat.isPlanar ? 1 : channelLayout.channelCount
    let bytes = sampleCount * sampleFormat.bytesPerSample * channels
    for (index, plane) in planes.enumerated() {
      guard let base = frame.pointee.extended_data[index] else { return }
      UnsafeMutableRawPointer(base).copyMemory(from: plane.base, byteCount: bytes)
    }
  }
}
