import RespoolPlugin

/// The `fmt ` chunk: WAVEFORMAT, WAVEFORMATEX or WAVEFORMATEXTENSIBLE.
struct WaveFormat {
  var tag: UInt16
  var channels: Int
  var sampleRate: Int
  var bytesPerSecond: Int64
  var blockAlign: Int
  var mask: UInt32 = 0
  var extradata: [UInt8] = []
  var codec: WaveCodec

  private static let extensible: UInt16 = 0xFFFE
  /// Bytes after the format tag in a subformat for media (KSDATAFORMAT_SUBTYPE).
  private static let subformat: [UInt8] = [
    0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71,
  ]
  /// Bytes after the format tag in a subformat for B-format ambisonics.
  private static let ambisonic: [UInt8] = [
    0, 0, 0x21, 0x07, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0,
  ]

  init(_ reader: ByteReader) throws(MediaError) {
    var reader = reader
    let start = reader.offset
    tag = try reader.little()
    channels = Int(try reader.little(UInt16.self))
    sampleRate = Int(try reader.little(UInt32.self))
    bytesPerSecond = Int64(try reader.little(UInt32.self))
    blockAlign = Int(try reader.little(UInt16.self))
    let bits = reader.remaining >= 2 ? Int(try reader.little(UInt16.self)) : 8
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
        throw MediaError(
          .unsupported, "the wave subformat is unknown", offset: start, path: "fmt ")
      }
      if rest == Self.ambisonic { mask = 0 }
      extradata = []
    }
    guard (1...64).contains(channels) else {
      throw MediaError(
        .unsupported, "\(channels) channels; 1 to 64 can be read", offset: start, path: "fmt ")
    }
    guard sampleRate > 0, sampleRate <= Int(Int32.max) else {
      throw MediaError(
        .malformed, "the sample rate is \(sampleRate) Hz instead of 1 to 2147483647",
        offset: start, path: "fmt ")
    }
    // A sample is in the high bits of its container, whose size follows from the size of a block.
    var bytes = (bits + 7) / 8
    let container = blockAlign / channels
    if blockAlign == container * channels, container > bytes, container <= 4 { bytes = container }
    guard let codec = WaveCodec(tag: tag, bytes: bytes) else {
      throw MediaError(
        .unsupported, "wave format 0x\(String(tag, radix: 16)) with \(bits) bits is not supported",
        offset: start, path: "fmt ")
    }
    self.codec = codec
    if !codec.isBlockCoded {
      blockAlign = bytes * channels
      extradata = []
    }
    guard codec.samples(in: Int64(blockAlign), blockAlign: blockAlign, channels: channels) > 0
    else {
      throw MediaError(
        .malformed, "blocks of \(blockAlign) bytes are too short for \(codec.name)",
        offset: start, path: "fmt ")
    }
  }

  /// The track description from the format, without properties that depend on the data.
  var track: TrackDescription {
    var track = TrackDescription(
      kind: .audio, codec: codec.name, timeBase: Rational(1, Int32(clamping: sampleRate)))
    track.id = 1
    track.codecTag = UInt32(tag)
    track.extradata = extradata
    track.bitRate =
      bytesPerSecond > 0 ? bytesPerSecond * 8 : Int64(sampleRate * blockAlign) * 8
    track.sampleRate = sampleRate
    track.channelLayout = ChannelLayout(channelCount: channels, mask: UInt64(mask))
    track.sampleFormat = codec.sampleFormat
    track.bitsPerSample = codec.bits
    track.blockAlign = blockAlign
    track.start = 0
    return track
  }
}

extension WaveFormat {
  /// Returns the chunk for a track whose codec is PCM, floating point, A-law or mu-law.
  static func chunk(for track: TrackDescription) -> [UInt8] {
    guard let coding = WaveCoding(track.codec) else { return [] }
    let (tag, bytes) = (coding.tag, coding.bytes)
    let layout = track.channelLayout
    let channels = layout.channelCount
    let blockAlign = bytes * channels
    // The plain format does not store a channel layout, so only mono and stereo are unambiguous.
    let speakers = channels <= 2 ? layout.resolved.mask : layout.mask
    let isStandard = speakers == ChannelLayout.standard(channels).mask && channels <= 2
    let isExtensible = !isStandard || (tag == 1 && bytes > 2) || tag == 3
    var chunk = LittleEndianBytes()
    chunk.add(isExtensible ? extensible : tag)
    chunk.add(UInt16(clamping: channels))
    chunk.add(UInt32(clamping: track.sampleRate))
    chunk.add(UInt32(clamping: track.sampleRate * blockAlign))
    chunk.add(UInt16(clamping: blockAlign))
    chunk.add(UInt16(clamping: bytes * 8))
    if isExtensible {
      chunk.add(UInt16(22))
      chunk.add(UInt16(clamping: bytes * 8))
      // Bits above 17 are not defined for wave files.
      chunk.add(speakers < 0x40000 ? UInt32(speakers) : 0)
      chunk.add(tag)
      chunk.bytes += subformat
    } else if tag != 1 {
      chunk.add(UInt16(0))
    }
    return chunk.bytes
  }
}

/// The sample format with which a muxer writes a codec.
struct WaveCoding {
  var tag: UInt16
  /// Bytes of one sample of one channel.
  var bytes: Int
  var silence: UInt8 = 0

  init?(_ codec: String) {
    switch codec {
    case "pcm_u8": (tag, bytes, silence) = (1, 1, 0x80)
    case "pcm_s16le": (tag, bytes) = (1, 2)
    case "pcm_s24le": (tag, bytes) = (1, 3)
    case "pcm_s32le": (tag, bytes) = (1, 4)
    case "pcm_f32le": (tag, bytes) = (3, 4)
    case "pcm_f64le": (tag, bytes) = (3, 8)
    case "pcm_alaw": (tag, bytes, silence) = (6, 1, 0xD5)
    case "pcm_mulaw": (tag, bytes, silence) = (7, 1, 0xFF)
    default: return nil
    }
  }
}

/// A buffer of little-endian numbers.
struct LittleEndianBytes {
  var bytes: [UInt8] = []

  mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  /// Adds a chunk with its header, padded to an even size.
  mutating func add(chunk name: String, _ body: [UInt8]) {
    add(RIFFChunks.Chunk(FourCC(name), body[...]))
  }

  /// Adds a chunk with its header, padded to an even size.
  mutating func add(_ chunk: RIFFChunks.Chunk) {
    add(chunk.type.rawValue.byteSwapped)
    add(UInt32(clamping: chunk.body.count))
    bytes += chunk.body
    if !chunk.body.count.isMultiple(of: 2) { bytes.append(0) }
  }
}
