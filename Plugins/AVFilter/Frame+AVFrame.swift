import CAVFilter
import FFmpeg
import RespoolPlugin

extension Frame {
  /// Creates a frame from one of libavfilter and takes ownership of it.
  ///
  /// The memory is freed with the last reference. The duration is left to the host, which knows that of the frames
  /// that went in.
  init(adopting reference: FrameReference, isVideo: Bool) throws(MediaError) {
    let buffer = MediaBuffer(adopting: reference)
    // A frame that has been copied does not hold the buffer, which frees libavfilter's frame.
    defer { withExtendedLifetime(buffer) {} }
    let value = reference.pointer.pointee
    self = try Frame(value, in: buffer, isVideo: isVideo)
    pts = value.pts == ffmpeg_no_time ? nil : value.pts
  }
}
