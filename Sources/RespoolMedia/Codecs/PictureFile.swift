/// Picture files, such as covers, by their first bytes.
public enum PictureFile {
  /// FFmpeg's name of the codec; nil for what is none of the kinds that covers have.
  public static func codec(of bytes: some Collection<UInt8>) -> String? {
    signatures.first { bytes.starts(with: $0.bytes) }?.codec
  }

  private static let signatures: [(bytes: [UInt8], codec: String)] = [
    ([0x89, 0x50, 0x4E, 0x47], "png"), ([0xFF, 0xD8], "mjpeg"), ([0x42, 0x4D], "bmp"),
    (Array("GIF8".utf8), "gif"), (Array("RIFF".utf8), "webp"), ([0x49, 0x49, 0x2A, 0], "tiff"),
    ([0x4D, 0x4D, 0, 0x2A], "tiff"),
  ]

  /// A JPEG file whose end libavcodec finds; any other file as it is.
  ///
  /// Of a picture that is coded in a few bytes libavcodec reads past the last one, misses the marker of the
  /// end and calls the file damaged. Two fill bytes in front of the marker, which mean nothing (ITU-T T.81
  /// B.1.1.2), keep it from that; the picture stays the same.
  public static func withFindableEnd(_ file: [UInt8]) -> [UInt8] {
    guard file.starts(with: [0xFF, 0xD8]), file.suffix(2) == [0xFF, 0xD9] else { return file }
    var reader = ByteReader(file)
    do throws(MediaError) {
      try reader.skip(2)
      while true {
        let marker = try reader.big(UInt16.self)
        let length = Int(try reader.big(UInt16.self))
        try reader.skip(length - 2)
        guard marker >> 8 == 0xFF else { return file }
        // What follows the head of a scan is coded samples, up to the marker of the end.
        if marker == 0xFFDA { break }
      }
    } catch { return file }
    guard (2..<10).contains(reader.remaining) else { return file }
    return file.dropLast(2) + [0xFF, 0xFF, 0xFF, 0xD9]
  }
}
