import RespoolPlugin

extension TrackDescription {
  /// Fills in the fields that an audio sample entry stores.
  ///
  /// Returns the packing if samples are audio frames of constant size, which have to be grouped into packets.
  mutating func read(
    audio entry: AudioSampleEntry, format: FourCC, isQuickTime: Bool, path: String
  ) throws(MediaError) -> AudioPacking? {
    sampleRate = Int(max(0, min(entry.sampleRate, Double(Int32.max))))
    channelLayout = .standard(Int(min(entry.channelCount, 64)))
    bitsPerSample = Int(entry.bitsPerSample)
    var linear = Self.linear(format, entry)
    var reader = ByteReader(entry.children, origin: entry.childrenOrigin)
    try read(audioBoxes: &reader, format: format, linear: &linear, depth: 0, path: path)
    if let linear, let name = linear.codec {
      codec = name
      bitsPerSample = linear.bits
      sampleFormat = linear.sampleFormat
    }
    return finishAudio(entry, format: format)
  }

  private static func linear(_ format: FourCC, _ entry: AudioSampleEntry) -> LinearPCM? {
    let bits = Int(entry.bitsPerSample)
    switch format {
    case "sowt": return LinearPCM(bits: bits == 0 ? 16 : bits, isBigEndian: false)
    case "twos": return LinearPCM(bits: bits == 0 ? 16 : bits, isBigEndian: true)
    case "raw ", "NONE":
      return bits == 16
        ? LinearPCM(bits: 16, isBigEndian: true)
        : LinearPCM(bits: 8, isSigned: false, isBigEndian: true)
    case "in24": return LinearPCM(bits: 24, isBigEndian: true)
    case "in32": return LinearPCM(bits: 32, isBigEndian: true)
    case "fl32": return LinearPCM(bits: 32, isFloat: true, isBigEndian: true)
    case "fl64": return LinearPCM(bits: 64, isFloat: true, isBigEndian: true)
    case "ipcm": return LinearPCM(bits: bits, isBigEndian: true)
    case "fpcm": return LinearPCM(bits: bits, isFloat: true, isBigEndian: true)
    case "lpcm":
      guard let stated = entry.linear else { return LinearPCM(bits: bits, isBigEndian: true) }
      return LinearPCM(
        bits: Int(min(stated.bitsPerChannel, 64)),
        isFloat: stated.flags & AudioSampleEntry.LinearFormat.isFloat != 0,
        isSigned: stated.flags & AudioSampleEntry.LinearFormat.isSigned != 0,
        isBigEndian: stated.flags & AudioSampleEntry.LinearFormat.isBigEndian != 0)
    default:
      guard let tag = CodecTable.waveTag(format), tag == 1 || tag == 3 else { return nil }
      let frame = Int(entry.compression?.bytesPerFrame ?? 0)
      let size = entry.channelCount > 0 ? frame / Int(entry.channelCount) * 8 : 0
      return LinearPCM(
        bits: size > 0 ? min(size, 64) : bits, isFloat: tag == 3, isSigned: size > 8 || bits > 8,
        isBigEndian: false)
    }
  }

  private mutating func read(
    audioBoxes reader: inout ByteReader, format: FourCC, linear: inout LinearPCM?, depth: Int,
    path: String
  ) throws(MediaError) {
    while case (let type, var payload)? = try reader.nextBox() {
      do throws(MediaError) {
        let record = SampleEntryRecords.record(type, payload, of: SampleEntryRecords.audio)
        if let record { sideData.append(record) }
        switch type {
        case "wave" where depth < 4:
          try read(
            audioBoxes: &payload, format: format, linear: &linear, depth: depth + 1, path: path)
        case "esds":
          let stream = try ElementaryStreamBox(from: &payload)
          if let name = CodecTable.objectTypes[stream.objectType] { codec = name }
          if codec == "aac",
            let type = AudioSpecificConfiguration.objectType(stream.decoderSpecific)
          {
            codec = CodecTable.audioObjectTypes[type] ?? codec
          }
          if !stream.decoderSpecific.isEmpty { extradata = stream.decoderSpecific }
          if stream.averageBitRate > 0 { bitRate = Int64(stream.averageBitRate) }
        case "enda":
          // QuickTime: 1 in 16 bits means that in24, in32, fl32 and fl64 are little-endian.
          if try payload.big(UInt16.self) & 0xFF != 0 { linear?.isBigEndian = false }
        case "pcmC":
          _ = try payload.versionAndFlags()
          linear?.isBigEndian = try payload.u8() & 1 == 0
          linear?.bits = Int(try payload.u8())
        case "dOps":
          let head = try OpusConfiguration(boxBody: payload.bytes)
          extradata = head.head
          channelLayout = .standard(Int(head.channelCount))
        case "dfLa":
          // Version and flags, then the metadata blocks: the first is STREAMINFO with its header.
          try payload.skip(4)
          let blocks = try payload.take(payload.remaining)
          guard blocks.count >= 38 else { throw MediaError(.malformed, "dfLa has no STREAMINFO") }
          extradata = Array(blocks.dropFirst(4).prefix(34))
          channelLayout = FLACStreamInfo.layout(channelLayout.channelCount, inBlocks: blocks)
        case "alac" where format == "alac":
          // FFmpeg's form: the whole box, with the 24 bytes of the cookie after a header of 12.
          var writer = BoxWriter()
          writer.box("alac") { $0.raw(payload.bytes) }
          extradata = writer.bytes
        case "dac3": try readAC3(&payload)
        case "dec3": try readEAC3(&payload)
        case "chan": try readChannels(&payload)
        case "glbl": if extradata.isEmpty { extradata = Array(payload.bytes) }
        case BitRateBox.type:
          let rates = try BitRateBox(from: &payload)
          if bitRate == 0 { bitRate = Int64(rates.average) }
        default: break
        }
      } catch {
        guard type == "esds" || type == "dOps" || type == "dfLa" else { continue }
        var error = error
        error.path = "\(path)/\(format)/\(type)"
        throw error
      }
    }
  }

  /// Reads `dac3` (ETSI TS 102 366 F.4).
  private mutating func readAC3(_ payload: inout ByteReader) throws(MediaError) {
    let word = UInt32(try payload.big(bytes: 3))
    let mode = Int(word >> 11 & 7)
    let hasLowFrequency = word >> 10 & 1 != 0
    channelLayout = AC3Configuration.layout(mode: mode, hasLowFrequency: hasLowFrequency)
  }

  /// Reads the first independent substream of `dec3` (ETSI TS 102 366 F.6).
  private mutating func readEAC3(_ payload: inout ByteReader) throws(MediaError) {
    try payload.skip(2)
    let word = UInt32(try payload.big(bytes: 3))
    let mode = Int(word >> 9 & 7)
    let hasLowFrequency = word >> 8 & 1 != 0
    channelLayout = AC3Configuration.layout(mode: mode, hasLowFrequency: hasLowFrequency)
  }

  /// Reads QuickTime's `chan`: the channel bit mask, and the tags that have a single meaning.
  private mutating func readChannels(_ payload: inout ByteReader) throws(MediaError) {
    _ = try payload.versionAndFlags()
    let tag = try payload.big(UInt32.self)
    let mask = UInt64(try payload.big(UInt32.self))
    let count = channelLayout.channelCount
    let stated: UInt64
    switch tag {
    case 0x1_0000: stated = mask & 0x3FFFF
    case 100 << 16 | 1: stated = 0x4
    case 101 << 16 | 2: stated = 0x3
    case 121 << 16 | 6: stated = 0x3F
    case 126 << 16 | 8: stated = 0xFF
    default: return
    }
    if stated.nonzeroBitCount == count { channelLayout = ChannelLayout(mask: stated) }
  }
}
