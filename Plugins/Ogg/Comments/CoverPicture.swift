import RespoolPlugin

/// A cover as METADATA_BLOCK_PICTURE keeps it: FLAC's picture block (RFC 9639 8.8) in Base64.
struct CoverPicture: Equatable {
  /// ID3v2's number: 3 is the front cover.
  var type: UInt32 = 3
  var mimeType: String
  var description = ""
  var width: UInt32 = 0
  var height: UInt32 = 0
  var data: [UInt8]

  init(mimeType: String, width: Int = 0, height: Int = 0, data: [UInt8]) {
    self.mimeType = mimeType
    self.width = UInt32(clamping: width)
    self.height = UInt32(clamping: height)
    self.data = data
  }

  init(block bytes: [UInt8]) throws(MediaError) {
    var reader = ByteReader(bytes)
    type = try reader.big()
    mimeType = try reader.text(Int(try reader.big(UInt32.self)))
    description = try reader.text(Int(try reader.big(UInt32.self)))
    width = try reader.big()
    height = try reader.big()
    try reader.skip(8)
    let count = Int(try reader.big(UInt32.self))
    data = Array(try reader.take(count))
  }

  var block: [UInt8] {
    var result: [UInt8] = []
    func append(_ value: UInt32) {
      result += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    append(type)
    for text in [mimeType, description] {
      append(UInt32(clamping: text.utf8.count))
      result += Array(text.utf8)
    }
    append(width)
    append(height)
    // Depth and number of colours: not known.
    append(0)
    append(0)
    append(UInt32(clamping: data.count))
    return result + data
  }

  /// FFmpeg's name of the picture's codec; nil for what is no picture file, such as a link (`-->`).
  var codec: String? { Self.codecs.first { $0.mimeType == mimeType.lowercased() }?.codec }

  private static let codecs: [(codec: String, mimeType: String)] = [
    ("mjpeg", "image/jpeg"), ("mjpeg", "image/jpg"), ("png", "image/png"), ("gif", "image/gif"),
    ("webp", "image/webp"), ("bmp", "image/bmp"), ("tiff", "image/tiff"),
  ]

  /// The MIME type of a codec; nil where it is none of pictures.
  static func mimeType(ofCodec codec: String) -> String? {
    codecs.first { $0.codec == codec }?.mimeType
  }
}

/// Base64 with padding (RFC 4648 4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var value: UInt32 = 0
      for index in 0..<3 {
        value = value << 8 | (index < count ? UInt32(bytes[start + index]) : 0)
      }
      for index in 0..<4 {
        let digit = Int(value >> UInt32(18 - 6 * index) & 63)
        text.append(index <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil where a character is none of Base64.
  static func decode(_ text: String) -> [UInt8]? {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
    var result: [UInt8] = []
    var value: UInt32 = 0
    var bits = 0
    for digit in text.utf8 {
      if digit == UInt8(ascii: "=") { break }
      let number = values[Int(digit)]
      guard number < 64 else { return nil }
      value = value << 6 | UInt32(number)
      bits += 6
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
      }
    }
    return result
  }
}
