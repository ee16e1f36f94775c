import CAVCodec
import RespoolPlugin

extension Frame {
  static func isOneBit(_ format: AVPixelFormat) -> Bool {
    format == AV_PIX_FMT_MONOWHITE || format == AV_PIX_FMT_MONOBLACK
  }

  /// Converts a frame with one bit per pixel to one byte per pixel, black 0 and white 255.
  ///
  /// `nil` for other formats.
  static func gray(ofBits frame: AVFrame) -> Frame? {
    let format = AVPixelFormat(rawValue: frame.format)
    guard isOneBit(format), let bits = frame.data.0,
      var result = Frame(
        pixelFormat: .gray, width: Int(frame.width), height: Int(frame.height), pts: nil),
      let plane = result.planes.first
    else { return nil }
    let flip: UInt8 = format == AV_PIX_FMT_MONOWHITE ? 0xFF : 0
    for row in 0..<result.height {
      // FFmpeg's rows have a byte for every eight pixels, with the leftmost in the highest bit.
      let source = bits + row * Int(frame.linesize.0)
      let target = plane.base + row * plane.stride
      for column in 0..<result.width {
        let bit = (source[column >> 3] ^ flip) << UInt8(column & 7) & 0x80
        target.storeBytes(of: bit == 0 ? 0 : 255, toByteOffset: column, as: UInt8.self)
      }
    }
    result.color.range = .full
    return result
  }
}
