extension TrackDescription {
  /// Fills in sample format, sample rate, channels and frame size, as the codec or its configuration record says.
  ///
  /// What neither says stays as the container has it.
  public mutating func readAudioConfiguration() {
    switch codec {
    case "aac":
      sampleFormat = .fltp
      bitsPerSample = 0
      frameSize = 1024
      if let config = try? AudioSpecificConfiguration(extradata) {
        if config.decodedSampleRate > 0 { sampleRate = config.decodedSampleRate }
        if let layout = config.channelLayout { channelLayout = layout }
        frameSize = config.frameSize
        profile = config.profile
      }
    case "mp3", "mp2", "mp1":
      sampleFormat = .fltp
      bitsPerSample = 0
      frameSize = codec == "mp1" ? 384 : codec == "mp3" && sampleRate < 32000 ? 576 : 1152
    case "ac3", "eac3", "dts", "truehd", "vorbis":
      sampleFormat = .fltp
      bitsPerSample = 0
      frameSize = codec == "ac3" ? 1536 : 0
    case "opus":
      sampleFormat = .fltp
      bitsPerSample = 0
      // Opus always decodes to 48 kHz (RFC 7845 5.1).
      sampleRate = 48000
      seekPreroll = 3840
    case "alac": readALAC()
    case "flac": readFLAC()
    case "amr_nb", "amr_wb":
      sampleFormat = .fltp
      bitsPerSample = 0
      // 3GPP TS 26.244: both have one channel and one rate, whatever the entry says.
      sampleRate = codec == "amr_nb" ? 8000 : 16000
      channelLayout = .mono
      frameSize = codec == "amr_nb" ? 160 : 320
    case "pcm_mulaw", "pcm_alaw":
      bitsPerSample = 8
      sampleFormat = .s16
    default: break
    }
  }

  /// The cookie of ALAC: version, frame size, then bits, channels and rate.
  private mutating func readALAC() {
    sampleFormat = .s16p
    var reader = ByteReader(extradata)
    do throws(MediaError) {
      try reader.skip(12)
      frameSize = Int(try reader.big(UInt32.self))
      try reader.skip(1)
      let bits = Int(try reader.u8())
      try reader.skip(3)
      let channels = Int(try reader.u8())
      try reader.skip(10)
      let rate = Int(try reader.big(UInt32.self))
      if (1...32).contains(bits) {
        bitsPerSample = bits
        sampleFormat = bits > 16 ? .s32p : .s16p
      }
      if (1...8).contains(channels) { channelLayout = .standard(channels) }
      if rate > 0 { sampleRate = rate }
    } catch {
      // The entry's own fields stay.
    }
  }

  /// STREAMINFO of FLAC (RFC 9639 8.2).
  private mutating func readFLAC() {
    var bits = BitReader(extradata)
    do throws(MediaError) {
      let smallest = try bits.bits(16)
      let largest = try bits.bits(16)
      try bits.skip(48)
      let rate = Int(try bits.bits(20))
      let channels = Int(try bits.bits(3)) + 1
      bitsPerSample = Int(try bits.bits(5)) + 1
      if rate > 0 { sampleRate = rate }
      if channels != channelLayout.channelCount { channelLayout = .flac(channels) }
      sampleFormat = bitsPerSample > 16 ? .s32 : .s16
      frameSize = smallest == largest ? Int(largest) : 0
    } catch {
      // The entry's own fields stay.
    }
  }
}
