import RespoolMedia

extension TrackDescription {
  /// Whether its codec gives the sound back bit by bit, and so has no memory that has to be filled.
  var isLosslessSound: Bool {
    codec.hasPrefix("pcm_")
      || ["flac", "alac", "wavpack", "tta", "ape", "truehd", "mlp", "shorten", "als"].contains(
        codec)
  }
}
