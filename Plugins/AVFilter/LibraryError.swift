import CAVFilter
import RespoolPlugin

extension MediaError {
  /// Returns the error for a negative result of libavfilter, with its first message on this thread.
  static func library(_ result: Int32, _ code: Code, _ message: String) -> MediaError {
    if result == ffmpeg_error_no_memory {
      return MediaError(.limitExceeded, "memory ran out", cause: message)
    }
    let first = String(cString: ffmpeg_first_error())
    return MediaError(code, first.isEmpty ? message : message + ": " + first)
  }
}
