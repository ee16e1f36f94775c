import RespoolPlugin

/// PNG files (ISO/IEC 15948, Portable Network Graphics 3rd edition) with one image.
enum PNGFormat: ImageReading, ImageWriting {
  static var reader: FactoryDescription {
    var value = FactoryDescription(
      image: .demuxer, "png", "PNG image", aliases: ["png_pipe"], extensions: ["png"],
      mimeTypes: ["image/png"])
    value.magics = [FactoryDescription.Magic(PNGChunks.signature)]
    return value
  }

  static var writer: FactoryDescription {
    var value = FactoryDescription(
      image: .muxer, "png", "PNG image", extensions: ["png"],
      mimeTypes: ["image/png"])
    value.codecs = ["png"]
    return value
  }

  /// Scores an animation lower, which another plugin reads.
  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    let score = reader.score(bytes, name: name)
    guard score >= 75 else { return score }
    var reader = ByteReader(Array(bytes.prefix(64 << 10)))
    do throws(MediaError) {
      try reader.skip(8)
      while reader.remaining >= 8 {
        let size = Int(try reader.big(UInt32.self))
        let type = try reader.text(4)
        if type == "acTL" { return 5 }
        if type == "IDAT" { break }
        try reader.skip(size + 4)
      }
    } catch {
      // The start does not have all chunks before the image.
    }
    return 100
  }

  static func read(_ source: ByteSource) throws(MediaError) -> Image {
    let chunks = try PNGChunks(source)
    var header = ByteReader(chunks.header)
    let (width, height) = (try header.big(UInt32.self), try header.big(UInt32.self))
    let (depth, color) = (try header.u8(), try header.u8())
    guard (1...UInt32(Int32.max)).contains(width), (1...UInt32(Int32.max)).contains(height) else {
      throw MediaError(.malformed, "the image has \(width)x\(height) pixels", offset: 16)
    }
    var track = TrackDescription(image: "png", width: Int(width), height: Int(height))
    track.pixelFormat = format(depth: depth, color: color, hasTransparency: chunks.hasTransparency)
    track.color = chunks.color
    if track.pixelFormat.layout?.family == .rgb { track.color.matrix = H273.Matrix.identity }
    track.color.range = .full
    if let profile = chunks.profile { track.add(profile: profile) }
    if let aspect = chunks.aspect { track.sampleAspect = aspect }
    var image = Image(
      track, .bytes(MediaBuffer(try PNGChunks.image(in: wholeFile(source)))))
    (image.exif, image.xmp, image.metadata) = (chunks.exif, chunks.xmp, chunks.texts)
    if let exif = chunks.exif.flatMap({ ExifData($0) }) {
      image.track.displayMatrix = exif.orientation.matrix
    }
    image.endsEarly = chunks.endsEarly
    if chunks.endsEarly { image.warning = "the image has no end (IEND): it was cut off" }
    return image
  }

  /// Returns the format that holds the decoded image (ISO/IEC 15948 11.2.2); `none` if that varies.
  private static func format(depth: UInt8, color: UInt8, hasTransparency: Bool) -> PixelFormat {
    if hasTransparency {
      return switch (color, depth) {
      case (0, 1...8): .ya8
      case (0, 16): .ya16be
      case (2, 16): .rgba64be
      default: .rgba
      }
    }
    return switch (color, depth) {
    case (0, 2), (0, 4): .gray
    case (3, 1...8): .rgb24
    case (0, 8): .gray
    case (0, 16): .gray16be
    case (2, 8): .rgb24
    case (2, 16): .rgb48be
    case (4, 8): .ya8
    case (6, 8): .rgba
    case (6, 16): .rgba64be
    default: .none
    }
  }

  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    try PNGChunks.file(of: packet, image)
  }
}
