/// A picture as FLAC's picture block has it (RFC 9639 8.8), which METADATA_BLOCK_PICTURE has in Base64.
public struct FLACPicture: Equatable, Sendable {
  /// ID3v2's number: 3 is the front cover.
  public var type: UInt32 = 3
  public var mimeType: String
  public var description = ""
  /// Pixels; 0 if not known.
  public var width: UInt32 = 0
  /// Pixels; 0 if not known.
  public var height: UInt32 = 0
  /// The picture's file.
  public var data: [UInt8]

  public init(mimeType: String, width: Int = 0, height: Int = 0, data: [UInt8]) {
    self.mimeType = mimeType
    self.width = UInt32(clamping: width)
    self.height = UInt32(clamping: height)
    self.data = data
  }

  /// Reads the body of a block.
  public init(block bytes: [UInt8]) throws(MediaError) {
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

  /// The body of a block.
  public var block: [UInt8] {
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
    // Depth and number of colors: unknown.
    append(0)
    append(0)
    append(UInt32(clamping: data.count))
    return result + data
  }

  /// FFmpeg's name of the picture's codec.
  ///
  /// `nil` if the data is not a picture file, such as a link.
  public var codec: String? { Self.codecs.first { $0.mimeType == mimeType.lowercased() }?.codec }

  /// `true` if the data is the address of a picture.
  public var isLink: Bool { mimeType == "-->" }

  private static let codecs: [(codec: String, mimeType: String)] = [
    ("mjpeg", "image/jpeg"), ("mjpeg", "image/jpg"), ("png", "image/png"), ("gif", "image/gif"),
    ("webp", "image/webp"), ("bmp", "image/bmp"), ("tiff", "image/tiff"),
  ]

  /// Returns the MIME type of a codec; `nil` if it is not a codec of pictures.
  public static func mimeType(ofCodec codec: String) -> String? {
    codecs.first { $0.codec == codec }?.mimeType
  }
}
