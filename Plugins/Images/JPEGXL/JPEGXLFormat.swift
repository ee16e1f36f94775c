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
    let bytes = try wholeFile(source)
    let file = try JPEGXLFile(bytes)
    let info = try MediaBuffer(bytes).withBytes { bytes throws(MediaError) in try JPEGXLInfo(bytes)
    }
    var track = TrackDescription(image: "jpegxl", width: info.width, height: info.height)
    (track.pixelFormat, track.color) = (info.pixelFormat, info.color)
    if let profile = info.profile { track.add(profile: profile) }
    var image = Image(track, .bytes(MediaBuffer(file.codestream)))
    (image.exif, image.xmp, image.others) = (info.exif, info.xmp, file.others)
    if info.frameCount > 1 {
      let count = (info.frameCount - 1).counting("further frame")
      image.others.append("\(count) of the animation")
    }
    if info.endsEarly {
      image.endsEarly = true
      image.warning = "the image is not complete: it was cut off"
    }
    return image
  }

  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    try JPEGXLFile.file(of: packet, image)
  }
}
