import CFFmpeg
package import RespoolMedia

extension MediaError {
  /// Returns FFmpeg's description of a negative result; `nil` if FFmpeg does not know the number.
  package static func ffmpegDescription(of result: Int32) -> String? {
    var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE) * 2)
    guard av_strerror(result, &text, text.count) >= 0 else { return nil }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
