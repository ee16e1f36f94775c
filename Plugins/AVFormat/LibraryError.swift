import CAVFormat
import RespoolMedia

extension MediaError {
  /// Returns the error for a negative result of libavformat.
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
    let words = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let cause: String?
    switch result {
    case avformat_error_patch_welcome: cause = "FFmpeg does not support it yet"
    case avformat_error_no_memory: cause = "FFmpeg needs more memory than is available"
    // FFmpeg has no description of this error number.
    case _ where words.hasPrefix("Unknown error") || words.hasPrefix("Error number"): cause = nil
    default: cause = words
    }
    return MediaError(code, message, offset: offset, cause: cause)
  }
}
