package import CFFmpeg
package import RespoolMedia

extension Frame {
  /// Returns a new frame of FFmpeg that `fill` fills in.
  ///
  /// The caller frees the result.
  package func makeAVFrame(
    _ fill: (UnsafeMutablePointer<AVFrame>) throws(MediaError) -> Void
  ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
    let frame = try FrameReference()
    do throws(MediaError) {
      try fill(frame.pointer)
    } catch {
      frame.free()
      throw error
    }
    return frame.pointer
  }

  /// Shares the memory with a frame of FFmpeg, which holds one reference until its last user releases it.
  package func share(with frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
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
    // FFmpeg has room for eight planes.
    withUnsafeMutableBytes(of: &frame.pointee.data) { data in
      let data = data.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
      for (index, plane) in planes.prefix(8).enumerated() {
        data[index] = plane.base.assumingMemoryBound(to: UInt8.self)
      }
    }
    withUnsafeMutableBytes(of: &frame.pointee.linesize) { sizes in
      let sizes = sizes.bindMemory(to: Int32.self)
      for (index, plane) in planes.prefix(8).enumerated() {
        sizes[index] = Int32(clamping: plane.stride)
      }
    }
  }
}
