/// The header of a PNG image (ISO/IEC 15948 11.2.2).
package struct PNGHeader {
  package let width: Int
  package let height: Int
  /// Pixel format of the decoded image, as FFmpeg decodes it; `none` for combinations that the standard does not allow.
  package let pixelFormat: PixelFormat

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Maximum number of chunks before the image in which transparency is looked for.
  private static let mostChunks = 1000

  /// Parses the beginning of a file; `nil` if it does not begin with a header of PNG.
  package init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.signature) else { return nil }
    var reader = ByteReader(bytes)
    guard (try? reader.skip(Self.signature.count)) != nil, (try? reader.big(UInt32.self)) == 13,
      (try? reader.text(4)) == "IHDR", let width = try? reader.big(UInt32.self),
      let height = try? reader.big(UInt32.self), let depth = try? reader.u8(),
      let colorType = try? reader.u8()
    else { return nil }
    (self.width, self.height) = (Int(width), Int(height))
    var hasTransparency = false
    // The rest of the header, and its checksum.
    try? reader.skip(7)
    for _ in 0..<Self.mostChunks {
      guard let length = try? reader.big(UInt32.self), let type = try? reader.text(4),
        type != "IDAT"
      else { break }
      hasTransparency = hasTransparency || type == "tRNS"
      guard (try? reader.skip(Int(length) + 4)) != nil else { break }
    }
    pixelFormat =
      switch (colorType, depth, hasTransparency) {
      case (0, 1, false): .monoblack
      case (0, 2...8, false): .gray
      case (0, 1...8, true): .ya8
      case (0, 16, false): .gray16be
      case (2, 8, false): .rgb24
      case (2, 8, true): .rgba
      case (2, 16, false): .rgb48be
      case (2, 16, true): .rgba64be
      case (3, 1...8, _): .pal8
      case (4, 8, _): .ya8
      case (4, 16, _), (0, 16, true): .ya16be
      case (6, 8, _): .rgba
      case (6, 16, _): .rgba64be
      default: .none
      }
  }
}
