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
}
