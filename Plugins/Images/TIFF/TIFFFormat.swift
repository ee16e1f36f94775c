import RespoolPlugin

/// TIFF files (TIFF 6.0), whose first image is read.
enum TIFFFormat: ImageReading {
  static var reader: FactoryDescription {
    var value = FactoryDescription(
      image: .demuxer, "tiff", "TIFF image", aliases: ["tif", "tiff_pipe"],
      extensions: ["tif", "tiff"], mimeTypes: ["image/tiff"])
    let starts: [[UInt8]] = [
      [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0], [0x4D, 0x4D, 0, 43],
    ]
    value.magics = (starts + TIFFFile.rawStarts).map { FactoryDescription.Magic($0) }
    return value
  }

  /// Color spaces that are not converted (TIFF 6.0, section 23; Adobe Photoshop TIFF technical notes).
  private static let spaces = [
    8: "CIELAB", 9: "ICCLAB", 10: "ITULAB", 32_844: "LogL", 32_845: "LogLuv",
  ]

  static func read(_ source: ByteSource) throws(MediaError) -> Image {
    let bytes = try wholeFile(source)
    let file = try TIFFFile(bytes)
    let (data, fields) = (file.data, file.image)
    if let space = data.integer(fields[TIFFTag.photometric]).flatMap({ spaces[$0] }) {
      throw MediaError(.unsupported, "the image has colors in \(space), which are not converted")
    }
    guard let width = data.integer(fields[TIFFTag.width]),
      let height = data.integer(fields[TIFFTag.height]),
      (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height)
    else { throw MediaError(.malformed, "the directory states no size of the image") }
    var track = TrackDescription(image: "tiff", width: width, height: height)
    track.pixelFormat = file.pixelFormat
    track.color.range = .full
    if track.pixelFormat.layout?.family == .rgb { track.color.matrix = H273.Matrix.identity }
    if let profile = data.bytes(of: fields[TIFFTag.profile]) { track.add(profile: profile) }
    if let value = data.integer(fields[ExifTag.orientation.rawValue]),
      let orientation = ExifOrientation(rawValue: UInt16(clamping: value))
    {
      track.displayMatrix = orientation.matrix
    }
    var image = Image(track, try payload(bytes, file))
    image.exif = file.exif
    image.xmp = data.bytes(of: fields[TIFFTag.xmp])
    image.others = others(file)
    if let end = file.imageEnd, end > bytes.count {
      image.endsEarly = true
      image.warning =
        "the image ends at byte \(end), but the file has \(bytes.count): it was cut off"
    }
    return image
  }

  /// Returns the file, which begins with the directory of the image.
  private static func payload(_ bytes: [UInt8], _ file: TIFFFile) throws(MediaError)
    -> Packet.Payload
  {
    guard file.main > 0 else { return .range(offset: 0, length: Int64(bytes.count)) }
    var bytes = bytes
    bytes.replaceSubrange(4..<8, with: file.data.encoded(file.directories[file.main].place, 4))
    return .bytes(MediaBuffer(bytes))
  }

  private static func others(_ file: TIFFFile) -> [String] {
    var others: [String] = []
    let further = file.furtherImageCount
    if further > 0 { others.append("\(further.counting("further image")) of the file") }
    let fields = file.image
    if fields[TIFFTag.iptc] != nil || fields[TIFFTag.photoshop] != nil {
      others.append("records of Photoshop or IPTC")
    }
    if fields[TIFFTag.layers] != nil { others.append("layers of Photoshop") }
    return others
  }
}
