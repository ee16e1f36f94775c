import CAVFormat
import RespoolMedia

extension MediaError {
  /// What a negative result of libavformat means.
  static func library(_ result: Int32, _ message: String, offset: Int64? = nil) -> MediaError {
    let code: Code
    switch result {
    case avformat_error_exit: return MediaError(.cancelled, "reading was cancelled", offset: offset)
    case avformat_error_io: code = .io
    case avformat_error_no_memory: code = .limitExceeded
    case avformat_error_not_permitted, avformat_error_patch_welcome: code = .unsupported
    default: code = .malformed
    }
    var text = [CChar](repeating: 0, count: 128)
    av_strerror(result, &text, text.count)
    let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return MediaError(
      code, message, offset: offset, cause: String(decoding: words, as: UTF8.self))
  }
}
