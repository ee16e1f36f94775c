import CAVCodec
import RespoolPlugin

extension MediaError {
  /// Returns the error for a negative result of libavcodec.
  static func library(_ result: Int32, _ message: String, _ code: Code = .malformed) -> MediaError {
    if result == avcodec_error_no_memory {
      return MediaError(.limitExceeded, "memory ran out", cause: message)
    }
    let code: Code =
      switch result {
      case avcodec_error_patch_welcome: .unsupported
      default: code
      }
    var text = [CChar](repeating: 0, count: 128)
    // In old decoders, -1 means any error, not a missing permission.
    guard result != -1, av_strerror(result, &text, text.count) >= 0 else {
      return MediaError(code, message)
    }
    let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return MediaError(code, message, cause: String(decoding: words, as: UTF8.self))
  }
}
