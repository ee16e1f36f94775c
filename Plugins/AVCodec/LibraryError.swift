import CAVCodec
import FFmpeg
import RespoolPlugin

extension MediaError {
  /// Returns the error for a negative result of libavcodec.
  static func library(_ result: Int32, _ message: String, _ code: Code = .malformed) -> MediaError {
    if result == ffmpeg_error_no_memory {
      return MediaError(.limitExceeded, "memory ran out", cause: message)
    }
    let code: Code =
      switch result {
      case ffmpeg_error_patch_welcome: .unsupported
      default: code
      }
    // In old decoders, -1 means any error, not a missing permission.
    return MediaError(code, message, cause: result == -1 ? nil : ffmpegDescription(of: result))
  }
}
