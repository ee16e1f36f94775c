import RespoolPlugin

/// The header that stands before each AAC frame in a transport stream (ISO/IEC 13818-7 6.2).
struct ADTSHeader {
  /// Bytes of the header.
  var size: Int
  /// The same told as AudioSpecificConfig.
  var specificConfiguration: [UInt8]

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
    size = bytes[1] & 1 == 0 ? 9 : 7
    guard bytes.count > size else { return nil }
    let objectType = (bytes[2] >> 6) + 1
    let rate = bytes[2] >> 2 & 15
    let channels = (bytes[2] & 1) << 2 | bytes[3] >> 6
    specificConfiguration = [objectType << 3 | rate >> 1, (rate & 1) << 7 | channels << 3]
  }
}
