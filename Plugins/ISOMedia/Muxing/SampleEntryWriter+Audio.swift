import RespoolPlugin

extension SampleEntryWriter {
  func audio() throws(MediaError) -> SampleDescriptionBox.Entry {
    if trackWriter.audioFrameSize > 0 { return linear() }
    var children = BoxWriter()
    let format = try writeAudioConfiguration(to: &children)
    writeRecords(of: SampleEntryRecords.audio(in: flavor), to: &children)
    var entry = AudioSampleEntry(
      channelCount: UInt32(clamping: track.channelLayout.channelCount),
      sampleRate: track.codec == "opus" ? 48000 : Double(track.sampleRate))
    if ["alac", "flac"].contains(track.codec), track.bitsPerSample > 0 {
      entry.bitsPerSample = UInt16(clamping: track.bitsPerSample)
    }
    if flavor == .mov {
      entry.compressionID = -2
      entry.compression = .init(
        samplesPerPacket: UInt32(clamping: track.frameSize), bytesPerPacket: 0, bytesPerFrame: 0,
        bytesPerSample: 2)
    }
    entry.children = children.bytes
    return self.entry(format) { entry.write(to: &$0) }
  }

  /// Writes the codec's configuration, and returns the type of the sample entry.
  private func writeAudioConfiguration(to children: inout BoxWriter) throws(MediaError) -> FourCC {
    switch track.codec {
    case "aac", "mp3", "mp2":
      return try writeElementaryStream(to: &children)
    case "opus":
      let head = try OpusConfiguration(head: try configurationRecord("the OpusHead"))
      children.box("dOps") { $0.raw(head.boxBody) }
      return "Opus"
    case "flac":
      let record = try configurationRecord("the STREAMINFO")
      let info = try FLACStreamInfo(record)
      children.box("dfLa") {
        $0.versionAndFlags(0)
        $0.raw(info.blocks(track.channelLayout))
      }
      return "fLaC"
    case "alac":
      let record = try configurationRecord("the ALAC cookie")
      // The record is either the whole box, as in FFmpeg, or the cookie alone.
      if record.count >= 36 {
        children.raw(record)
      } else {
        children.box("alac") {
          $0.versionAndFlags(0)
          $0.raw(record)
        }
      }
      return "alac"
    case "ac3", "eac3":
      let type: FourCC = track.codec == "ac3" ? "dac3" : "dec3"
      if let known = track.sideData[type] {
        children.box(type) { $0.raw(known) }
      } else {
        children.raw(dolbyAudioBox())
      }
      return track.codec == "ac3" ? "ac-3" : "ec-3"
    default:
      throw MediaError(.unsupported, "\(flavor.name) does not carry \(track.codec)")
    }
  }

  /// Writes the decoder configuration of MPEG audio, and returns the type of the sample entry.
  private func writeElementaryStream(to children: inout BoxWriter) throws(MediaError) -> FourCC {
    let types: [String: UInt8] = ["aac": 0x40, "mp3": track.sampleRate >= 32000 ? 0x6B : 0x69]
    var stream = elementaryStream(objectType: types[track.codec] ?? 0x6B, streamType: 5)
    stream.bufferSize = storesBitRate ? trackWriter.largestSample : 0
    if track.codec == "aac" {
      stream.decoderSpecific = try configurationRecord("the AudioSpecificConfig")
    }
    if flavor == .mov {
      // QuickTime wraps the decoder configuration (QuickTime File Format, "siDecompressionParam").
      guard track.codec != "mp3" else { return ".mp3" }
      children.box("wave") {
        $0.box("frma") { $0.code("mp4a") }
        $0.box("mp4a") { $0.u32(0) }
        $0.write(stream)
        $0.u32(8)
        $0.u32(0)
      }
    } else {
      children.write(stream)
    }
    return "mp4a"
  }

  /// Returns the QuickTime entry for linear PCM and the G.711 laws.
  private func linear() -> SampleDescriptionBox.Entry {
    let channels = UInt32(clamping: track.channelLayout.channelCount)
    let frame = UInt32(clamping: trackWriter.audioFrameSize)
    var children = BoxWriter()
    var entry = AudioSampleEntry(channelCount: channels, sampleRate: Double(track.sampleRate))
    let format: FourCC
    if let audio = LinearPCM(codec: track.codec) {
      if track.sampleRate >= 65536 || channels > 2 && audio.bits > 16 {
        typealias Linear = AudioSampleEntry.LinearFormat
        format = "lpcm"
        entry.linear = .init(
          bitsPerChannel: UInt32(audio.bits),
          flags: (audio.isFloat ? Linear.isFloat : 0)
            | (audio.isBigEndian ? Linear.isBigEndian : 0)
            | (audio.isSigned && !audio.isFloat ? Linear.isSigned : 0) | Linear.isPacked,
          bytesPerPacket: frame, framesPerPacket: 1)
      } else {
        format = Self.format(of: audio)
        entry.bitsPerSample = audio.bits == 8 ? 8 : 16
        entry.compression = .init(
          samplesPerPacket: 1, bytesPerPacket: UInt32(audio.bits / 8), bytesPerFrame: frame,
          bytesPerSample: UInt32(audio.bits / 8))
        if audio.bits > 16, !audio.isBigEndian {
          children.box("wave") {
            $0.box("frma") { $0.code(format) }
            $0.box("enda") { $0.u16(1) }
            $0.u32(8)
            $0.u32(0)
          }
        }
      }
    } else {
      format = track.codec == "pcm_mulaw" ? "ulaw" : "alaw"
      entry.compression = .init(
        samplesPerPacket: 1, bytesPerPacket: 1, bytesPerFrame: frame, bytesPerSample: 2)
    }
    let mask = track.channelLayout.mask
    if mask != 0, mask >> 18 == 0 {
      children.box("chan") {
        $0.versionAndFlags(0)
        // kAudioChannelLayoutTag_UseChannelBitmap.
        $0.u32(0x1_0000)
        $0.u32(UInt32(mask))
        $0.u32(0)
      }
    }
    entry.children = children.bytes
    return self.entry(format) { entry.write(to: &$0) }
  }

  private static func format(of audio: LinearPCM) -> FourCC {
    switch (audio.isFloat, audio.bits) {
    case (true, 64): "fl64"
    case (true, _): "fl32"
    case (false, 24): "in24"
    case (false, 32): "in32"
    case (false, 8): audio.isSigned ? "sowt" : "raw "
    default: audio.isBigEndian ? "twos" : "sowt"
    }
  }
}
