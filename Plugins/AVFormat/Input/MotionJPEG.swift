import CAVFormat
import RespoolPlugin

/// Raw Motion JPEG, which libavformat takes for one image by its first bytes.
enum MotionJPEG {
  private static let extensions = [".mjpeg", ".mjpg"]

  /// Returns the format of video if `format` is that of one image and the file has several, one after the other.
  static func format(instead format: UnsafePointer<AVInputFormat>, of source: ByteSource)
    throws(MediaError) -> UnsafePointer<AVInputFormat>
  {
    guard String(cString: format.pointee.name) == "jpeg_pipe",
      extensions.contains(where: { source.name.lowercased().hasSuffix($0) }),
      let size = source.size, try JPEGExtent.isFollowedByImage(source, size),
      let film = av_find_input_format("mjpeg")
    else { return format }
    return film
  }
}
