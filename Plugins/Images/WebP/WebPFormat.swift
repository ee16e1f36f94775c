import RespoolPlugin

/// WebP files with one image (RFC 9649).
enum WebPFormat: ImageReading, ImageWriting {
  static var reader: FactoryDescription {
    var value = FactoryDescription(
      image: .demuxer, "webp", "WebP image", aliases: ["webp_pipe"], extensions: ["webp"],
      mimeTypes: ["image/webp"])
    let mask: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255]
    value.magics = [FactoryDescription.Magic(Array("RIFF----WEBP".utf8), mask: mask)]
    return value
  }

  static var writer: FactoryDescription {
    var value = FactoryDescription(
      image: .muxer, "webp", "WebP image", extensions: ["webp"],
      mimeTypes: ["image/webp"])
    value.codecs = ["webp"]
    return value
  }

  /// Scores an animation lower, which another plugin reads.
  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    let score = reader.score(bytes, name: name)
    guard score >= 75 else { return score }
    let isAnimation =
      bytes.count > 20 && bytes[12..<16].elementsEqual("VP8X".utf8) && bytes[20] & 2 != 0
    return isAnimation ? 5 : 100
  }

  static func read(_ source: ByteSource) throws(MediaError) -> Image {
    let chunks = try WebPChunks(source)
    var track = TrackDescription(image: "webp", width: chunks.width, height: chunks.height)
    track.pixelFormat =
      chunks.isLossless
      ? (chunks.hasAlpha ? .argb : .rgb24) : chunks.hasAlpha ? .yuva420p : .yuv420p
    // VP8 has the matrix of BT.601 in limited range (RFC 6386, 9.2; RFC 9649, 2.5).
    if !chunks.isLossless { (track.color.matrix, track.color.range) = (5, .limited) }
    if let profile = chunks.profile { track.add(profile: profile) }
    if let exif = chunks.exif.flatMap({ ExifData($0) }) {
      track.displayMatrix = exif.orientation.matrix
    }
    var image = Image(
      track, .bytes(MediaBuffer(try WebPChunks.image(in: wholeFile(source)))))
    (image.exif, image.xmp) = (chunks.exif, chunks.xmp)
    (image.warning, image.endsEarly) = (chunks.warning, chunks.warning != nil)
    return image
  }

  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    try WebPChunks.file(of: packet, image)
  }
}
