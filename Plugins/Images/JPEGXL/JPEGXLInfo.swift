import CImages
import RespoolPlugin

/// The description of an image in a JPEG XL file or codestream, as libjxl reads it.
struct JPEGXLInfo {
  /// Size of the image as it is shown.
  let width: Int
  let height: Int
  /// Format that holds the decoded image.
  let pixelFormat: PixelFormat
  let color: ColorDescription
  /// An ICC profile of the decoded pixels; `nil` for sRGB.
  let profile: [UInt8]?
  let exif: [UInt8]?
  let xmp: [UInt8]?
  /// Number of frames, 1 for a still image.
  let frameCount: Int
  /// `true` if the file ends before the image does.
  let endsEarly: Bool

  /// Reads the description.
  ///
  /// Throws `malformed` if the header is damaged.
  init(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
    guard let base = bytes.baseAddress else {
      throw MediaError(.malformed, "the file has no codestream")
    }
    var info = cjxl_info()
    let status = cjxl_read(base, bytes.count, &info)
    defer { cjxl_free_info(&info) }
    guard status == CJXL_OK.rawValue || status == CJXL_PARTIAL.rawValue, info.width > 0,
      info.height > 0
    else {
      throw MediaError(
        status == CJXL_NO_MEMORY.rawValue ? .limitExceeded : .malformed,
        "libjxl cannot read the header of the image")
    }
    (width, height) = (Int(info.width), Int(info.height))
    let isDeep = info.depth > 8
    pixelFormat =
      switch (info.channels == 1, info.has_alpha != 0) {
      case (true, false): isDeep ? .gray16le : .gray
      case (true, true): isDeep ? .ya16le : .ya8
      case (false, false): isDeep ? .rgb48le : .rgb24
      case (false, true): isDeep ? .rgba64le : .rgba
      }
    var color = ColorDescription.unspecified
    color.primaries = UInt8(clamping: info.primaries)
    color.transfer = UInt8(clamping: info.transfer)
    if info.channels == 3 { color.matrix = H273.Matrix.identity }
    color.range = .full
    self.color = color
    profile = info.is_srgb == 0 ? info.profile.array : nil
    // The offset of the structure comes first (ISO/IEC 18181-2 9.4).
    exif = info.exif.array.flatMap { box in
      var reader = ByteReader(box)
      guard let offset = try? reader.big(UInt32.self), (try? reader.skip(Int(offset))) != nil
      else { return nil }
      return try? Array(reader.take(reader.remaining))
    }
    xmp = info.xmp.array
    frameCount = max(1, Int(info.frames))
    endsEarly = status == CJXL_PARTIAL.rawValue
  }
}

extension cjxl_bytes {
  /// A copy of the bytes; `nil` if there are none.
  var array: [UInt8]? {
    guard let data, count > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: data, count: count))
  }
}
