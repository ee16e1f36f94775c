import RespoolPlugin

/// JPEG files (ITU-T T.81, T.871).
enum JPEGFormat: ImageReading, ImageWriting {
  static var reader: FactoryDescription {
    var value = FactoryDescription(
      image: .demuxer, "jpeg", "JPEG image", aliases: ["jpg", "jpeg_pipe"],
      extensions: ["jpg", "jpeg", "jpe", "jfif"],
      mimeTypes: ["image/jpeg"])
    value.magics = [FactoryDescription.Magic([0xFF, 0xD8, 0xFF])]
    return value
  }

  static var writer: FactoryDescription {
    var value = FactoryDescription(
      image: .muxer, "jpeg", "JPEG image", aliases: ["jpg"], extensions: ["jpg", "jpeg"],
      mimeTypes: ["image/jpeg"])
    value.codecs = ["mjpeg"]
    value.flags = .keepsRotation
    return value
  }

  /// Leaves raw Motion JPEG to another plugin.
  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    let score = reader.score(bytes, name: name)
    guard score >= 75 else { return score }
    return ["mjpeg", "mjpg"].contains { name.lowercased().hasSuffix("." + $0) } ? 0 : 100
  }

  static func read(_ source: ByteSource) throws(MediaError) -> Image {
    let segments = try JPEGSegments(source)
    var track = TrackDescription(
      image: "mjpeg", width: segments.frame.width, height: segments.frame.height)
    track.pixelFormat = segments.frame.pixelFormat
    // JFIF has the matrix of BT.601 in full range (ITU-T T.871, 7).
    track.color.range = .full
    if track.pixelFormat.layout?.family == .yuv { track.color.matrix = 5 }
    if let profile = segments.profile { track.add(profile: profile) }
    if let exif = segments.exif.flatMap({ ExifData($0) }) {
      track.displayMatrix = exif.orientation.matrix
    }
    let file = try wholeFile(source)
    var image = Image(track, .bytes(MediaBuffer(try JPEGSegments.image(in: file))))
    (image.exif, image.xmp) = (segments.exif, segments.xmp)
    image.extendedXMP = segments.extendedXMP
    image.metadata = segments.comment.map { [MetadataEntry("comment", $0)] } ?? []
    image.others = segments.others + JPEGTrailer(file).others(segments)
    image.endsEarly = segments.endsEarly
    if segments.endsEarly { image.warning = "the image has no end marker: it was cut off" }
    return image
  }

  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    try JPEGSegments.file(of: packet, image)
  }
}
