import RespoolPlugin

/// The chunks of a WebP file (RFC 9649 2.3 to 2.7).
struct WebPChunks {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var isLossless = false
  private(set) var hasAlpha = false
  private(set) var exif: [UInt8]?
  private(set) var xmp: [UInt8]?
  private(set) var profile: [UInt8]?
  private(set) var warning: String?

  private static let exifName = Array("Exif\0\0".utf8)
  /// Largest body that is read: more than any profile or Exif data.
  private static let mostBytes: Int64 = 16 << 20

  init(_ source: ByteSource) throws(MediaError) {
    guard let size = source.size else {
      throw MediaError(.unsupported, "a WebP file needs a known size")
    }
    var head = ByteReader(try source.readExactly(at: 0, count: 12))
    try head.skip(4)
    let end = Int64(try head.little(UInt32.self)) + 8
    if end > size {
      warning = "the file has \(size) bytes, but its header states \(end)"
    }
    var place: Int64 = 12
    while place <= min(end, size) - 8 {
      var head = ByteReader(try source.readExactly(at: place, count: 8))
      let type = try head.text(4)
      let length = Int64(try head.little(UInt32.self))
      let left = max(0, min(length, size - place - 8))
      let isData = ["VP8 ", "VP8L", "ALPH"].contains(type)
      if isData || left <= Self.mostBytes {
        try take(type, source.read(at: place + 8, count: Int(isData ? min(left, 16) : left)))
      }
      place += 8 + length + length % 2
    }
    guard width > 0, height > 0 else {
      throw MediaError(.malformed, "the file has no image", offset: 12)
    }
  }

  private mutating func take(_ type: String, _ body: [UInt8]) throws(MediaError) {
    var reader = ByteReader(body)
    switch type {
    case "VP8 " where width == 0:
      try reader.skip(6)
      width = Int(try reader.little(UInt16.self) & 0x3FFF)
      height = Int(try reader.little(UInt16.self) & 0x3FFF)
    case "VP8L":
      isLossless = true
      try reader.skip(1)
      let bits = try reader.little(UInt32.self)
      // Transparency is used (3.4).
      if bits >> 28 & 1 != 0 { hasAlpha = true }
      if width == 0 { (width, height) = (Int(bits & 0x3FFF) + 1, Int(bits >> 14 & 0x3FFF) + 1) }
    case "VP8X":
      let flags = try reader.u8()
      guard flags & 2 == 0 else {
        throw MediaError(
          .unsupported, "an animation in WebP, which is not decoded; GIF and APNG are")
      }
      try reader.skip(3)
      if flags & 0x10 != 0 { hasAlpha = true }
      width = try Self.size(&reader)
      height = try Self.size(&reader)
    case "ALPH": hasAlpha = true
    case "EXIF":
      exif = body.starts(with: Self.exifName) ? Array(body.dropFirst(Self.exifName.count)) : body
    case "XMP ": xmp = body
    case "ICCP": profile = body
    default: break
    }
  }

  private static func size(_ reader: inout ByteReader) throws(MediaError) -> Int {
    let low = Int(try reader.little(UInt16.self))
    return (Int(try reader.u8()) << 16 | low) + 1
  }

  // MARK: Writing

  /// Returns a file with the chunks of a coded image and the description of `image`.
  static func file(of packet: [UInt8], _ image: WrittenImage) throws(MediaError) -> [UInt8] {
    var (chunks, flags, size) = try parts(of: packet)
    if let profile = image.profile {
      chunks = chunk("ICCP", profile) + chunks
      flags |= 0x20
    }
    if let exif = image.exif {
      chunks += chunk("EXIF", exif)
      flags |= 0x08
    }
    if let xmp = image.xmp {
      chunks += chunk("XMP ", xmp)
      flags |= 0x04
    }
    return riff(chunks, flags, size)
  }

  /// Returns the coded image of a file, without the chunks that describe it.
  static func image(in file: [UInt8]) throws(MediaError) -> [UInt8] {
    let (chunks, flags, size) = try parts(of: file)
    return riff(chunks, flags, size)
  }

  /// Returns the chunks of the image, the flag of transparency if it has any, and the bytes of its size in `VP8X`.
  private static func parts(of packet: [UInt8]) throws(MediaError) -> (
    chunks: [UInt8], flags: UInt8, size: [UInt8]
  ) {
    var reader = ByteReader(packet)
    guard try reader.text(4) == "RIFF" else {
      throw MediaError(.malformed, "the coded image is not WebP", track: 0)
    }
    try reader.skip(8)
    var (chunks, flags, size): ([UInt8], UInt8, [UInt8]) = ([], 0, [])
    while reader.remaining >= 8 {
      let type = try reader.text(4)
      let length = Int(try reader.little(UInt32.self))
      let body = Array(try reader.take(min(length, reader.remaining)))
      if length % 2 == 1, !reader.isAtEnd { try reader.skip(1) }
      switch type {
      case "VP8X": continue
      case "EXIF", "XMP ", "ICCP": continue
      // Bit 28 of the header of a lossless image: transparency is used (RFC 9649 3.4).
      case "VP8L":
        if body.count >= 5, body[4] & 0x10 != 0 { flags |= 0x10 }
        if body.count >= 5 {
          let bits = body[1...4].reversed().reduce(0) { $0 << 8 | Int($1) }
          size = threeBytes(bits & 0x3FFF) + threeBytes(bits >> 14 & 0x3FFF)
        }
      case "VP8 " where body.count >= 10:
        let sides = [Int(body[7]) << 8 | Int(body[6]), Int(body[9]) << 8 | Int(body[8])]
        size = sides.flatMap { threeBytes(($0 & 0x3FFF) - 1) }
      case "ALPH": flags |= 0x10
      default: break
      }
      chunks += chunk(type, body)
    }
    return (chunks, flags, size)
  }

  /// Returns a file with chunks, behind `VP8X` if it needs flags.
  private static func riff(_ chunks: [UInt8], _ flags: UInt8, _ size: [UInt8]) -> [UInt8] {
    let all = (flags == 0 ? [] : chunk("VP8X", [flags, 0, 0, 0] + size)) + chunks
    return Array("RIFF".utf8) + little(all.count + 4) + Array("WEBP".utf8) + all
  }

  private static func threeBytes(_ value: Int) -> [UInt8] {
    (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    Array(type.utf8) + little(body.count) + body + (body.count % 2 == 0 ? [] : [0])
  }

  private static func little(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
