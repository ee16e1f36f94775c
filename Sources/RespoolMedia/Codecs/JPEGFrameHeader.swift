/// The frame header of a JPEG image (ITU-T T.81 B.2.2).
package struct JPEGFrameHeader {
  package let width: Int
  package let height: Int
  /// Full range, unless a comment says otherwise.
  ///
  /// `none` for formats other than gray and Y'CbCr of 8 bits.
  package let pixelFormat: PixelFormat
  /// `true` if a comment of FFmpeg's encoders states that the range is limited.
  package private(set) var hasLimitedRange = false

  /// Returns `nil` if the bytes end before the header.
  package init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard (try? reader.big(UInt16.self)) == 0xFFD8 else { return nil }
    for _ in 0..<1000 {
      guard var marker = try? reader.u8(), marker == 0xFF else { return nil }
      while marker == 0xFF {
        guard let next = try? reader.u8() else { return nil }
        marker = next
      }
      guard let length = try? reader.big(UInt16.self), length >= 2,
        var segment = try? reader.sub(Int(length) - 2)
      else { return nil }
      if marker == 0xFE, segment.bytes.starts(with: "CS=ITU601".utf8) { hasLimitedRange = true }
      guard (0xC0...0xC3).contains(marker) else { continue }
      guard let depth = try? segment.u8(), let height = try? segment.big(UInt16.self),
        let width = try? segment.big(UInt16.self), let count = try? segment.u8(),
        let components = try? segment.take(Int(count) * 3)
      else { return nil }
      (self.width, self.height) = (Int(width), Int(height))
      let sampling = stride(from: 0, to: components.count, by: 3).map {
        components[components.startIndex + $0 + 1]
      }
      let names: [[UInt8]: String] = [
        [0x11]: "gray", [0x22, 0x11, 0x11]: "yuv420p", [0x21, 0x11, 0x11]: "yuv422p",
        [0x11, 0x11, 0x11]: "yuv444p", [0x12, 0x11, 0x11]: "yuv440p",
        [0x22, 0x12, 0x12]: "yuv422p",
      ]
      pixelFormat =
        depth == 8
        ? names[count == 1 ? [0x11] : sampling].flatMap { PixelFormat(name: $0) } ?? .none : .none
      return
    }
    return nil
  }
}
