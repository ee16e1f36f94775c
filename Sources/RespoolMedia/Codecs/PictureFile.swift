/// Picture files, such as covers, by their first bytes.
public enum PictureFile {
  /// Returns FFmpeg's name of the codec; `nil` if the bytes are not a file type used for covers.
  public static func codec(of bytes: some Collection<UInt8>) -> String? {
    signatures.first { bytes.starts(with: $0.bytes) }?.codec
  }

  /// Returns the media type of an image in another format: AVIF, HEIC, WebP, GIF or TIFF.
  package static func mimeType(of bytes: some Collection<UInt8>) -> String? {
    let brand = bytes.dropFirst(4).prefix(8)
    if ["ftypavif", "ftypavis"].contains(where: { brand.elementsEqual($0.utf8) }) {
      return "image/avif"
    }
    if ["ftypheic", "ftypheix", "ftypmif1"].contains(where: { brand.elementsEqual($0.utf8) }) {
      return "image/heic"
    }
    return codec(of: bytes).flatMap(FLACPicture.mimeType(ofCodec:))
  }

  private static let signatures: [(bytes: [UInt8], codec: String)] = [
    ([0x89, 0x50, 0x4E, 0x47], "png"), ([0xFF, 0xD8], "mjpeg"), ([0x42, 0x4D], "bmp"),
    (Array("GIF8".utf8), "gif"), (Array("RIFF".utf8), "webp"), ([0x49, 0x49, 0x2A, 0], "tiff"),
    ([0x4D, 0x4D, 0, 0x2A], "tiff"),
  ]

  /// A JPEG file whose end libavcodec finds; any other file as it is.
  ///
  /// Where the last scan has no byte of 0xFF in it, which would have to be escaped, libavcodec reads past the
  /// marker of the end and calls the file damaged. Two fill bytes in front of the marker, which mean nothing
  /// (ITU-T T.81 B.1.1.2), keep it from that; the picture stays the same.
  package static func withFindableEnd(_ file: [UInt8]) -> [UInt8] {
    guard file.starts(with: [0xFF, 0xD8]), file.suffix(2) == [0xFF, 0xD9],
      let scan = lastScan(of: file), !scan.contains(0xFF)
    else { return file }
    return file.dropLast(2) + [0xFF, 0xFF, 0xFF, 0xD9]
  }

  /// Returns the coded data of the scan that ends at the file's end marker; `nil` if no scan ends there.
  private static func lastScan(of file: [UInt8]) -> ArraySlice<UInt8>? {
    var place = 2
    while place + 4 <= file.count, file[place] == 0xFF {
      let marker = file[place + 1]
      place += 2 + (Int(file[place + 2]) << 8 | Int(file[place + 3]))
      guard marker == 0xDA, place < file.count else { continue }
      // Up to a marker that is neither an escaped 0xFF nor one to restart at (B.1.1.5).
      let start = place
      while place + 1 < file.count,
        file[place] != 0xFF || file[place + 1] == 0 || (0xD0...0xD7).contains(file[place + 1])
      {
        place += 1
      }
      if place == file.count - 2 { return file[start..<place] }
    }
    return nil
  }
}
