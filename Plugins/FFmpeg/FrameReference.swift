package import CFFmpeg
package import RespoolMedia

/// A frame of FFmpeg that the holder frees.
// Sendable: one owner at a time holds it.
package struct FrameReference: @unchecked Sendable {
  package let pointer: UnsafeMutablePointer<AVFrame>

  package init(_ pointer: UnsafeMutablePointer<AVFrame>) { self.pointer = pointer }

  /// Allocates a frame without samples.
  package init() throws(MediaError) {
    guard let frame = av_frame_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a frame")
    }
    pointer = frame
  }

  /// Frees the frame.
  package func free() {
    var frame: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&frame)
  }
}
