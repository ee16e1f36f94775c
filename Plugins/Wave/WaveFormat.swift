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

  init(_ reader: ByteReader) throws(MediaError) {
    let start = reader.offset
    let header: WaveFormatHeader
    do throws(MediaError) { header = try WaveFormatHeader(reader) } catch {
      var error = error
      if error.code == .unsupported { error.path = "fmt " }
      throw error
    }
    tag = header.tag
    channels = header.channelCount
    sampleRate = header.sampleRate
    bytesPerSecond = Int64(header.bytesPerSecond)
    blockAlign = header.blockAlign
    mask = header.mask
    extradata = header.extradata
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
    let bits = header.bitsPerSample
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
    chunk.add(isExtensible ? WaveFormatHeader.extensible : tag)
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
      chunk.bytes += WaveFormatHeader.subformat
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

extension LittleEndianBytes {
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
