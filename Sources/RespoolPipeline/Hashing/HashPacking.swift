package import RespoolMedia

/// The bytes of a frame as `ffmpeg -f rawvideo` and `framemd5` lay them out.
///
/// Video: plane by plane, rows without padding, a palette at the end (`av_image_copy_to_buffer` with
/// alignment 1). Audio: interleaved audio samples in the frame's own format.
package enum HashPacking {
  /// Calls `body` with the bytes of `frame` in order, in as many parts as they have in memory.
  ///
  /// Only planar audio is copied. The bytes are valid only during the call. Throws `invalidArgument` if the
  /// format of the frame is unknown or planes are missing.
  package static func pack(_ frame: Frame, into body: (UnsafeRawBufferPointer) -> Void)
    throws(MediaError)
  {
    if frame.kind == .video {
      try packFrame(frame, into: body)
    } else {
      try packAudio(frame, into: body)
    }
  }

  /// Returns the MD5 of the bytes in lowercase hexadecimal.
  package static func md5(_ frame: Frame) throws(MediaError) -> String {
    var hash = MD5()
    try pack(frame) { hash.update($0) }
    return hash.finalizeHex()
  }

  private static func packFrame(_ frame: Frame, into body: (UnsafeRawBufferPointer) -> Void)
    throws(MediaError)
  {
    guard let layout = frame.pixelFormat.layout, frame.planes.count >= layout.planeCount else {
      throw MediaError(.invalidArgument, "frames of \(frame.pixelFormat) cannot be hashed")
    }
    // The frame guarantees memory for its rows, and keeps it for the call.
    withExtendedLifetime(frame.buffer) {
      for (index, plane) in frame.planes.prefix(layout.planeCount).enumerated() {
        let bytes = layout.rowBytes(ofPlane: index, for: frame.width)
        let rows = layout.height(ofPlane: index, for: frame.height)
        if plane.stride == bytes {
          body(UnsafeRawBufferPointer(start: plane.base, count: bytes * rows))
          continue
        }
        for row in 0..<rows {
          body(UnsafeRawBufferPointer(start: plane.base + row * plane.stride, count: bytes))
        }
      }
    }
  }

  private static func packAudio(_ frame: Frame, into body: (UnsafeRawBufferPointer) -> Void)
    throws(MediaError)
  {
    let channels = frame.channelLayout.channelCount
    let size = frame.sampleFormat.bytesPerSample
    guard size > 0, channels > 0,
      frame.planes.count >= (frame.sampleFormat.isPlanar ? channels : 1)
    else {
      throw MediaError(.invalidArgument, "audio of \(frame.sampleFormat) cannot be hashed")
    }
    withExtendedLifetime(frame.buffer) {
      if !frame.sampleFormat.isPlanar {
        body(
          UnsafeRawBufferPointer(
            start: frame.planes[0].base, count: frame.sampleCount * channels * size))
        return
      }
      // Blocks of 1,024 audio samples keep the copy in the cache.
      let block = 1024
      withUnsafeTemporaryAllocation(byteCount: block * channels * size, alignment: 16) { bytes in
        guard let base = bytes.baseAddress else { return }
        for first in stride(from: 0, to: frame.sampleCount, by: block) {
          let count = min(block, frame.sampleCount - first)
          for channel in 0..<channels {
            convertSamples(
              SampleRun(base: frame.planes[channel].base + first * size, step: 1),
              frame.sampleFormat, SampleRun(base: base + channel * size, step: channels),
              frame.sampleFormat, count: count)
          }
          body(UnsafeRawBufferPointer(start: base, count: count * channels * size))
        }
      }
    }
  }
}
