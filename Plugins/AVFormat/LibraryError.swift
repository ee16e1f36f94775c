import CAVFormat
import FFmpeg
import RespoolMedia

extension MediaError {
  /// Returns the error for a negative result of libavformat.
  static func library(_ result: Int32, _ message: String, offset: Int64? = nil) -> MediaError {
    let code: Code
    switch result {
    case ffmpeg_error_exit: return MediaError(.cancelled, "reading was cancelled", offset: offset)
    case ffmpeg_error_no_memory: code = .limitExceeded
    case ffmpeg_error_not_permitted, ffmpeg_error_patch_welcome: code = .unsupported
    default: code = .malformed
    }
    let cause: String?
    switch result {
    case ffmpeg_error_patch_welcome: cause = "FFmpeg does not support it yet"
    case ffmpeg_error_no_memory: cause = "FFmpeg needs more memory than is available"
    // Errors of the source and the sink are kept apart; FFmpeg calls data that is missing so.
    case ffmpeg_error_io: cause = "the data ends early"
    default: cause = ffmpegDescription(of: result)
    }
    return MediaError(code, message, offset: offset, cause: cause)
  }
}
