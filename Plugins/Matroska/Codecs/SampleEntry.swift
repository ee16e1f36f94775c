import RespoolPlugin

/// A QuickTime sample description, the CodecPrivate of `V_QUICKTIME` and `A_QUICKTIME` (Matroska codec mappings).
struct SampleEntry {
  var code: FourCC
  /// The whole description: decoders search it for the data of their codec.
  var bytes: [UInt8]

  private static let depthOffset = 82
  private static let sampleSizeOffset = 26
  /// Size of a video sample description without boxes, the size that FFmpeg stores.
  private static let videoSize = 0x5A

  /// Returns `nil` if the bytes are too few.
  ///
  /// Some writers omit the size before the code; it is added.
  init?(_ bytes: [UInt8], isVideo: Bool) {
    guard bytes.count >= 8 else { return nil }
    func code(at index: Int) -> FourCC {
      FourCC(rawValue: bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    let table = isVideo ? SampleEntryCodecs.video : SampleEntryCodecs.audio
    if table[code(at: 0)] != nil, table[code(at: 4)] == nil {
      self.code = code(at: 0)
      self.bytes = UInt32(clamping: bytes.count + 4).bigEndianBytes + bytes
    } else {
      self.code = code(at: 4)
      self.bytes = bytes
    }
  }

  /// Creates the description of a video track.
  init(code: FourCC, depth: Int, extradata: [UInt8]) {
    self.code = code
    var bytes = UInt32(clamping: Self.videoSize + extradata.count).bigEndianBytes
    bytes += code.rawValue.bigEndianBytes
    bytes += [UInt8](repeating: 0, count: Self.depthOffset - bytes.count)
    bytes += UInt16(clamping: depth).bigEndianBytes
    bytes += [UInt8](repeating: 0, count: Self.videoSize - bytes.count)
    self.bytes = bytes + extradata
  }

  /// Bits per pixel, plus 32 for gray.
  ///
  /// 0 if it is not stored.
  var depth: Int { number(at: Self.depthOffset) }

  /// Bits per audio sample.
  ///
  /// 0 if it is not stored.
  var sampleSize: Int { number(at: Self.sampleSizeOffset) }

  private func number(at index: Int) -> Int {
    bytes.count >= index + 2 ? Int(bytes[index]) << 8 | Int(bytes[index + 1]) : 0
  }
}
