import RespoolPlugin

extension JPEGXLFile {
  // MARK: Writing

  /// Returns a file with a codestream and the description of `image`.
  static func file(of packet: [UInt8], _ image: WrittenImage) throws(MediaError) -> [UInt8] {
    // More than 12 bits need level 10, which is stated (ISO/IEC 18181-1 annex M; ISO/IEC 18181-2 9.9).
    let isLarge = image.track.pixelFormat.layout.map { $0.depth > 12 } ?? false
    guard image.exif != nil || image.xmp != nil || isLarge else { return packet }
    var file = signature + box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8))
    if isLarge { file += box("jxll", [10]) }
    if let exif = image.exif { file += box("Exif", [0, 0, 0, 0] + exif) }
    if let xmp = image.xmp { file += box("xml ", xmp) }
    guard packet.count < Int(UInt32.max) - 8 else {
      throw MediaError(.unsupported, "an image of \(packet.count) bytes", track: 0)
    }
    return file + box("jxlc", packet)
  }

  private static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    UInt32(body.count + 8).bigEndianBytes + Array(type.utf8) + body
  }
}
