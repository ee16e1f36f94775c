import RespoolPlugin

/// A BITMAPINFOHEADER, the CodecPrivate of `V_MS/VFW/FOURCC` (Matroska codec mappings).
struct BitmapHeader {
  /// Code of the codec, `biCompression`.
  var code: FourCC
  var bitsPerPixel: Int
  /// Bytes after the header, which belong to the codec, or a color palette.
  var extradata: [UInt8]

  private static let byteCount = 40

  init(code: FourCC, bitsPerPixel: Int, extradata: [UInt8]) {
    (self.code, self.bitsPerPixel, self.extradata) = (code, bitsPerPixel, extradata)
  }

  /// Returns `nil` if the bytes are too few.
  ///
  /// `biSize` is ignored: some writers include the bytes after the header, others do not.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount else { return nil }
    bitsPerPixel = Int(bytes[14]) | Int(bytes[15]) << 8
    code = FourCC(rawValue: bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) })
    extradata = Array(bytes[Self.byteCount...])
  }

  /// `true` if the bytes after the header are a palette, with four bytes for each color.
  private var hasPalette: Bool {
    (1...8).contains(bitsPerPixel) && (4...1024).contains(extradata.count)
      && extradata.count.isMultiple(of: 4)
  }

  /// Returns the bytes for frames of a size.
  func bytes(width: Int, height: Int) -> [UInt8] {
    var writer = LittleEndianBytes()
    writer.add(UInt32(clamping: Self.byteCount + (hasPalette ? 0 : extradata.count)))
    writer.add(Int32(clamping: width))
    // Rows from top to bottom have a negative height if they are not compressed.
    writer.add(Int32(clamping: code.tag == 0 ? 0 - max(0, height) : height))
    writer.add(UInt16(1))
    writer.add(UInt16(clamping: bitsPerPixel))
    writer.add(code.tag)
    let pixelCount = min(max(0, width), 1 << 20) * min(max(0, height), 1 << 20)
    writer.add(UInt32(clamping: (pixelCount * min(bitsPerPixel, 1 << 16) + 7) / 8))
    // Resolutions are unknown.
    writer.bytes += [UInt8](repeating: 0, count: 8)
    writer.add(UInt32(clamping: hasPalette ? extradata.count / 4 : 0))
    writer.add(UInt32(0))
    return writer.bytes + extradata
  }
}
