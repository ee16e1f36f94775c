import CAVCodec
import RespoolPlugin

extension Frame {
  /// Returns the frame as an AVFrame that shares its memory, which is kept until FFmpeg releases it.
  ///
  /// The caller frees the result.
  func lent(to context: CodecContext) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
    guard let frame = av_frame_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a frame")
    }
    frame.pointee.pts = avcodec_no_time
    do throws(MediaError) {
      try fill(frame, context)
    } catch {
      var unused: UnsafeMutablePointer<AVFrame>? = frame
      av_frame_free(&unused)
      throw error
    }
    return frame
  }

  private func fill(_ frame: UnsafeMutablePointer<AVFrame>, _ context: CodecContext)
    throws(MediaError)
  {
    guard !planes.isEmpty, planes.count <= 8 else {
      throw MediaError(.unsupported, "a frame of \(planes.count) planes; 1 to 8 can be encoded")
    }
    let expected = context.pointer.pointee
    if kind == .video {
      // The format of the opened encoder: FFmpeg's yuvj formats have the same pixels under another name.
      frame.pointee.format = expected.pix_fmt.rawValue
      guard PixelFormat(ffmpeg: expected.pix_fmt) == pixelFormat, width == Int(expected.width),
        height == Int(expected.height)
      else {
        throw MediaError(
          .invalidArgument,
          "a frame of \(width)x\(height) \(pixelFormat) does not match the encoder, opened for "
            + "\(expected.width)x\(expected.height)")
      }
      frame.pointee.width = Int32(clamping: width)
      frame.pointee.height = Int32(clamping: height)
      frame.pointee.color_range = expected.color_range
      frame.pointee.interlaced_frame = flags.contains(.interlaced) ? 1 : 0
      frame.pointee.top_field_first = flags.contains(.topFieldFirst) ? 1 : 0
      frame.pointee.sample_aspect_ratio = sampleAspect.ffmpeg
    } else {
      guard sampleFormat.ffmpeg == expected.sample_fmt, sampleRate == Int(expected.sample_rate),
        channelLayout.channelCount == Int(expected.ch_layout.nb_channels), sampleCount > 0
      else {
        throw MediaError(
          .invalidArgument,
          "audio of \(channelLayout), \(sampleRate) Hz, \(sampleFormat); the encoder was opened "
            + "for \(expected.ch_layout.nb_channels) channels, \(expected.sample_rate) Hz")
      }
      frame.pointee.format = expected.sample_fmt.rawValue
      frame.pointee.nb_samples = Int32(clamping: sampleCount)
      frame.pointee.sample_rate = expected.sample_rate
      let mask = avcodec_channel_mask(&context.pointer.pointee.ch_layout)
      avcodec_set_layout(&frame.pointee.ch_layout, expected.ch_layout.nb_channels, mask)
    }
    // One reference, released with FFmpeg's last buffer reference.
    let owner = Unmanaged.passRetained(buffer)
    frame.pointee.buf.0 = av_buffer_create(
      buffer.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count,
      { opaque, _ in
        if let opaque { Unmanaged<MediaBuffer>.fromOpaque(opaque).release() }
      }, owner.toOpaque(), AV_BUFFER_FLAG_READONLY)
    guard frame.pointee.buf.0 != nil else {
      owner.release()
      throw MediaError(.limitExceeded, "there is no memory for a frame")
    }
    withUnsafeMutableBytes(of: &frame.pointee.data) { data in
      let data = data.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
      for (index, plane) in planes.enumerated() {
        data[index] = plane.base.assumingMemoryBound(to: UInt8.self)
      }
    }
    withUnsafeMutableBytes(of: &frame.pointee.linesize) { sizes in
      let sizes = sizes.bindMemory(to: Int32.self)
      for (index, plane) in planes.enumerated() { sizes[index] = Int32(clamping: plane.stride) }
    }
  }
}
