import CZlib
public import RespoolMedia

/// Writes PNG files (ISO/IEC 15948) of 24-bit RGB images and of images with a palette.
public enum PNGWriter {
  /// Returns the bytes of a PNG file.
  ///
  /// Equal images give equal bytes with the same zlib version. Throws `pluginFailure` if zlib cannot be
  /// used.
  public static func bytes(_ image: IndexedImage) throws(MediaError) -> [UInt8] {
    var chunks = [("PLTE", image.palette.flatMap { [$0.red, $0.green, $0.blue] })]
    if image.palette.contains(where: { $0.alpha < 255 }) {
      chunks.append(("tRNS", image.palette.map(\.alpha)))
    }
    // Eight bits, color type 3 (palette).
    return try file(
      width: image.width, height: image.height, colorType: 3, chunks: chunks,
      rows: filtered(image))
  }

  /// Returns a file with eight bits per component; each row in `rows` begins with its filter type.
  package static func file(
    width: Int, height: Int, colorType: UInt8, chunks: [(String, [UInt8])], rows: [UInt8]
  ) throws(MediaError) -> [UInt8] {
    if let reason = respool_zlib_missing() {
      throw MediaError(.pluginFailure, "zlib is needed for PNG", cause: String(cString: reason))
    }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // Deflate, the only set of filters, no interlacing.
    let sides = [width, height].flatMap { UInt32(clamping: $0).bigEndianBytes }
    append("IHDR", sides + [8, colorType, 0, 0, 0], to: &file)
    for (type, body) in chunks { append(type, body, to: &file) }
    append("IDAT", try compressed(rows), to: &file)
    append("IEND", [], to: &file)
    return file
  }

  /// Returns each row as its difference from the row above (filter 2), which is nearly zero for a waveform.
  private static func filtered(_ image: IndexedImage) -> [UInt8] {
    let width = image.width
    return [UInt8](unsafeUninitializedCapacity: (width + 1) * image.height) { rows, count in
      image.pixels.withUnsafeBufferPointer { pixels in
        for row in 0..<image.height {
          let (from, to) = (row * width, row * (width + 1))
          rows.initializeElement(at: to, to: 2)
          for column in 0..<width {
            let above = row == 0 ? 0 : pixels[from - width + column]
            rows.initializeElement(at: to + 1 + column, to: pixels[from + column] &- above)
          }
        }
      }
      count = (width + 1) * image.height
    }
  }

  private static func compressed(_ bytes: [UInt8]) throws(MediaError) -> [UInt8] {
    var room = respool_zlib_bound(bytes.count)
    var status: Int32 = 0
    let result = [UInt8](unsafeUninitializedCapacity: room) { target, count in
      status = respool_zlib_compress(target.baseAddress, &room, bytes, bytes.count, 6)
      count = status == 0 ? room : 0
    }
    guard status == 0 else {
      throw MediaError(.pluginFailure, "zlib could not compress the image: error \(status)")
    }
    return result
  }

  private static func append(_ type: String, _ body: [UInt8], to file: inout [UInt8]) {
    let chunk = Array(type.utf8) + body
    file += UInt32(clamping: body.count).bigEndianBytes + chunk
    file += respool_zlib_crc(0, chunk, chunk.count).bigEndianBytes
  }
}
