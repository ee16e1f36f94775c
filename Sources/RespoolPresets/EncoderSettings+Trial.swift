import RespoolMedia

extension EncoderSettings {
  /// Settings for small video or audio that every encoder accepts, to find out what it thinks of the rest.
  init(trying encoder: FactoryDescription, codec: String) {
    let isVideo = encoder.isVideoEncoder
    var track = TrackDescription(
      kind: isVideo ? .video : .audio, codec: codec,
      timeBase: isVideo ? Rational(1, 25) : Rational(1, 48_000))
    if isVideo {
      (track.width, track.height) = (640, 360)
      (track.frameRate, track.baseFrameRate) = (Rational(25, 1), Rational(25, 1))
      track.pixelFormat = encoder.pixelFormats.first ?? .yuv420p
      track.sampleAspect = Rational(1, 1)
    } else {
      let rates = encoder.sampleRates
      track.sampleRate = rates.isEmpty || rates.contains(48_000) ? 48_000 : rates.max() ?? 48_000
      track.timeBase = Rational(1, Int32(clamping: track.sampleRate))
      track.sampleFormat = encoder.sampleFormats.first ?? .s16
      // Bit rates of presets are for stereo.
      let layouts = encoder.channelLayouts
      track.channelLayout =
        layouts.isEmpty || layouts.contains(.stereo) ? .stereo : layouts.first ?? .stereo
    }
    self.init(track: track)
  }
}
