extension TrackDescription {
  /// Sets what the name of a PCM codec states: the format of decoded samples, and bits and bytes that are unknown.
  ///
  /// Does nothing for other codecs. A demuxer that leaves the format open would let 24 bits be converted as 16.
  package mutating func takeFactsOfPCM() {
    guard kind == .audio, codec.hasPrefix("pcm_"), let facts = Self.pcm(codec) else { return }
    sampleFormat = facts.format
    if bitsPerSample <= 0 || bitsPerSample > facts.bytes * 8 { bitsPerSample = facts.bytes * 8 }
    let channels = channelLayout.channelCount
    if blockAlign <= 0, channels > 0 { blockAlign = facts.bytes * channels }
  }

  /// Returns the format of decoded samples and the bytes of a coded one, by FFmpeg's name such as `pcm_s24le`.
  private static func pcm(_ codec: String) -> (format: SampleFormat, bytes: Int)? {
    switch codec {
    case "pcm_u8", "pcm_s8": (.u8, 1)
    case "pcm_alaw", "pcm_mulaw": (.s16, 1)
    case "pcm_s16le", "pcm_s16be": (.s16, 2)
    case "pcm_s24le", "pcm_s24be": (.s32, 3)
    case "pcm_s32le", "pcm_s32be": (.s32, 4)
    case "pcm_f32le", "pcm_f32be": (.flt, 4)
    case "pcm_f64le", "pcm_f64be": (.dbl, 8)
    default: nil
    }
  }
}
