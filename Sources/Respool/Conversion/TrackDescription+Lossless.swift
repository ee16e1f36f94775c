import RespoolMedia

extension TrackDescription {
  /// Whether its codec gives the sound back bit by bit, and so has no memory that has to be filled.
  var isLosslessSound: Bool {
    codec.hasPrefix("pcm_")
      || ["flac", "alac", "wavpack", "tta", "ape", "truehd", "mlp", "shorten", "als"].contains(
        codec)
  }

  /// Bits that hold a sample without loss; 0 for lossy codecs, which have no depth of their own.
  var losslessDepth: Int {
    // The one of what was mixed.
    if codec == EditedMedia.codec { return bitsPerSample }
    guard isLosslessSound else { return 0 }
    if codec.hasPrefix("pcm_f") { return max(32, bitsPerSample) }
    if bitsPerSample > 0 { return bitsPerSample }
    return sampleFormat.interleaved == .s32 ? 24 : 16
  }
}
