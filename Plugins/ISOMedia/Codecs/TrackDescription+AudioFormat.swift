import RespoolPlugin

extension TrackDescription {
  /// Applies the properties that the codec itself stores or defines, after all boxes have been read.
  mutating func finishAudio(_ entry: AudioSampleEntry, format: FourCC) -> AudioPacking? {
    let channels = max(1, channelLayout.channelCount)
    readAudioConfiguration()
    switch codec {
    case "adpcm_ima_qt":
      sampleFormat = .s16p
      bitsPerSample = 4
      blockAlign = 34 * channels
      return AudioPacking(bytesPerFrame: 34 * channels, samplesPerFrame: 64)
    case "gsm":
      return AudioPacking(bytesPerFrame: 33, samplesPerFrame: 160)
    case "mace3": return AudioPacking(bytesPerFrame: 2 * channels, samplesPerFrame: 6)
    case "mace6": return AudioPacking(bytesPerFrame: channels, samplesPerFrame: 6)
    default: break
    }
    if codec.hasPrefix("pcm_") {
      blockAlign = bitsPerSample / 8 * channels
      return AudioPacking(bytesPerFrame: blockAlign)
    }
    if let compression = entry.compression, compression.samplesPerPacket > 0,
      compression.bytesPerFrame > 0
    {
      if CodecTable.waveTag(format) != nil {
        blockAlign = Int(compression.bytesPerFrame)
        frameSize = Int(compression.samplesPerPacket)
        if codec.hasPrefix("adpcm_") { bitsPerSample = 4 }
      }
      return AudioPacking(
        bytesPerFrame: Int(compression.bytesPerFrame),
        samplesPerFrame: Int(compression.samplesPerPacket))
    }
    return nil
  }
}
