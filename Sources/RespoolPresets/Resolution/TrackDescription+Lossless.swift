import RespoolMedia

extension TrackDescription {
  /// `true` if the codec is lossless, so that its decoder needs no preceding packets.
  package var isLosslessAudio: Bool {
    codec.hasPrefix("pcm_")
      || [
        "flac", "alac", "wavpack", "tta", "ape", "truehd", "mlp", "shorten", "mp4als",
        "wmalossless", "tak", "ralf", "s302m",
      ].contains(codec) || codec == "dts" && profile == Self.dtsMasterAudio
  }

  /// FFmpeg's number of the profile DTS-HD Master Audio.
  private static let dtsMasterAudio: Int32 = 60

  /// `true` if audio samples are floating point in the file, not only in the decoder.
  package var isFloatingPointAudio: Bool {
    if codec.hasPrefix("pcm_") { return codec.hasPrefix("pcm_f") }
    return codec == "wavpack" && sampleFormat.interleaved == .flt
  }

  /// Bits that hold an audio sample without loss.
  ///
  /// 0 for lossy codecs, which have no depth of their own.
  package var losslessDepth: Int {
    // Depth of the mixed audio.
    if codec == TrackDescription.editedCodec { return bitsPerSample }
    guard isLosslessAudio else { return 0 }
    if isFloatingPointAudio { return codec.hasPrefix("pcm_f64") ? 64 : 32 }
    // G.711 codes 13 and 14 bits in 8.
    if codec == "pcm_alaw" || codec == "pcm_mulaw" { return 16 }
    if bitsPerSample > 0 { return bitsPerSample }
    return sampleFormat.interleaved == .s32 ? 24 : 16
  }
}
