import CAVCodec
import RespoolPlugin

extension MediaError {
  /// What a negative result of libavcodec means.
  static func library(_ result: Int32, _ message: String, _ code: Code = .malformed) -> MediaError {
    let code: Code =
      switch result {
      case avcodec_error_no_memory: .limitExceeded
      case avcodec_error_patch_welcome: .unsupported
      default: code
      }
    var text = [CChar](repeating: 0, count: 128)
    av_strerror(result, &text, text.count)
    let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return MediaError(code, message, cause: String(decoding: words, as: UTF8.self))
  }
}
