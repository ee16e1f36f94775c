/// WAVEFORMAT, WAVEFORMATEX or WAVEFORMATEXTENSIBLE (RFC 2361), as in the `fmt ` chunk of wave files.
package struct WaveFormatHeader: Hashable, Sendable {
  /// Format tag; that of the subformat if the format is extensible.
  package var tag: UInt16
  package var channelCount: Int
  /// Hertz.
  package var sampleRate: Int
  package var bytesPerSecond: Int
  /// Bytes of a block of all channels.
  package var blockAlign: Int
  /// Size of a coded sample in bits.
  ///
  /// 8 if it is not stored.
  package var bitsPerSample = 8
  /// Channel mask of an extensible format, otherwise 0.
  package var mask: UInt32 = 0
  package var extradata: [UInt8] = []

  /// Format tag of WAVEFORMATEXTENSIBLE.
  package static let extensible: UInt16 = 0xFFFE
  /// Bytes after the format tag in a subformat for media (KSDATAFORMAT_SUBTYPE).
  package static let subformat: [UInt8] = [
    0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71,
  ]
  /// Bytes after the format tag in a subformat for B-format ambisonics.
  private static let ambisonic: [UInt8] = [
    0, 0, 0x21, 0x07, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0,
  ]

  package init(
    tag: UInt16, channelCount: Int, sampleRate: Int, bytesPerSecond: Int, blockAlign: Int,
    bitsPerSample: Int, extradata: [UInt8] = []
  ) {
    (self.tag, self.channelCount, self.sampleRate) = (tag, channelCount, sampleRate)
    (self.bytesPerSecond, self.blockAlign) = (bytesPerSecond, blockAlign)
    (self.bitsPerSample, self.extradata) = (bitsPerSample, extradata)
  }

  package init(_ reader: ByteReader) throws(MediaError) {
    var reader = reader
    let start = reader.offset
    tag = try reader.little()
    channelCount = Int(try reader.little(UInt16.self))
    sampleRate = Int(try reader.little(UInt32.self))
    bytesPerSecond = Int(try reader.little(UInt32.self))
    blockAlign = Int(try reader.little(UInt16.self))
    if reader.remaining >= 2 { bitsPerSample = Int(try reader.little(UInt16.self)) }
    if reader.remaining >= 2 {
      let count = Int(try reader.little(UInt16.self))
      // Some writers store a size that is too large.
      extradata = Array(try reader.take(min(count, reader.remaining)))
    }
    if tag == Self.extensible, extradata.count >= 22 {
      var more = ByteReader(extradata, origin: start + 18)
      // Valid bits are the high ones of the container and the others are zero (Microsoft,
      // WAVEFORMATEXTENSIBLE). So the container's size is used. FFmpeg treats 24 in 32 as floating point, and
      // otherwise uses as many bytes as the bits need.
      try more.skip(2)
      mask = try more.little()
      tag = try more.little()
      let rest = Array(try more.take(14))
      guard rest == Self.subformat || rest == Self.ambisonic else {
        throw MediaError(.unsupported, "the wave subformat is unknown", offset: start)
      }
      if rest == Self.ambisonic { mask = 0 }
      extradata = Array(try more.take(more.remaining))
    }
  }

  /// The bytes of a WAVEFORMATEX.
  package var bytes: [UInt8] {
    var writer = LittleEndianBytes()
    writer.add(tag)
    writer.add(UInt16(clamping: channelCount))
    writer.add(UInt32(clamping: sampleRate))
    writer.add(UInt32(clamping: bytesPerSecond))
    writer.add(UInt16(clamping: blockAlign))
    writer.add(UInt16(clamping: bitsPerSample))
    writer.add(UInt16(clamping: extradata.count))
    return writer.bytes + extradata.prefix(Int(UInt16.max))
  }
}
