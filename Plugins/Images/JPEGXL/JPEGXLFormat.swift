import RespoolPlugin

/// JPEG XL files: a codestream (ISO/IEC 18181-1) alone or in boxes (ISO/IEC 18181-2).
enum JPEGXLFormat: ImageReading, ImageWriting {
  static var reader: FactoryDescription {
    var value = FactoryDescription(
      image: .demuxer, "jpegxl", "JPEG XL image", aliases: ["jxl"], extensions: ["jxl"],
      mimeTypes: ["image/jxl"])
    value.magics = [
      FactoryDescription.Magic([0xFF, 0x0A]),
      FactoryDescription.Magic(JPEGXLFile.signature),
    ]
    return value
  }

  static var writer: FactoryDescription {
    var value = FactoryDescription(
      image: .muxer, "jpegxl", "JPEG XL image", aliases: ["jxl"], extensions: ["jxl"],
      mimeTypes: ["image/jxl"])
    value.codecs = ["jpegxl"]
    return value
  }

  static func read(_ source: ByteSource) throws(MediaError) -> Image {
    let file = try JPEGXLFile(wholeFile(source))
    let size = try file.imageSize()
    var image = Image(
      TrackDescription(image: "jpegxl", width: size.width, height: size.height),
      .bytes(MediaBuffer(file.codestream)))
    (image.exif, image.xmp, image.others) = (file.exif, file.xmp, file.others)
    return image
  }

  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    try JPEGXLFile.file(of: packet, image)
  }
}
