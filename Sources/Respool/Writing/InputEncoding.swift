import RespoolMedia

/// Encoder of an input that does not pass samples through, and its settings.
struct InputEncoding: Sendable {
  let factory: PluginFactory
  let registry: PluginRegistry
  let output: AssetWriterInput.Settings
  private let transform: DisplayMatrix
  private let languageCode: String?
  private let isLowDelay: Bool

  /// Creates the encoding of an input; `nil` if it passes samples through.
  init?(of input: AssetWriterInput, registry: PluginRegistry) throws(MediaError) {
    guard let output = input.settings else { return nil }
    guard let factory = registry.encoder(for: output) else {
      throw MediaError(.unsupported, "the encoder is no longer available")
    }
    (self.factory, self.registry, self.output) = (factory, registry, output)
    (transform, languageCode) = (input.transform, input.languageCode)
    isLowDelay = input.expectsMediaDataInRealTime
  }

  var pixelFormat: PixelFormat { factory.description.pixelFormats.first ?? .yuv420p }
  var sampleFormat: SampleFormat { factory.description.sampleFormats.first ?? .flt }

  /// Returns the encoder's settings.
  ///
  /// `frame` is the first frame. `nil` if only the encoder's track description is needed.
  func settings(for frame: Frame?, timeBase: Rational, pass: EncoderSettings.Pass)
    throws(MediaError) -> EncoderSettings
  {
    var track = TrackDescription(
      kind: output.video == nil ? .audio : .video, codec: output.codec, timeBase: timeBase)
    track.language = languageCode
    switch output {
    case .video(let video):
      guard let width = frame?.width ?? video.width, let height = frame?.height ?? video.height
      else {
        throw MediaError(
          .invalidArgument, "an input without a size received no frame to take the size from")
      }
      (track.width, track.height) = (width, height)
      track.pixelFormat = frame?.pixelFormat ?? pixelFormat
      track.color = frame?.color ?? video.color ?? .unspecified
      track.sampleAspect = frame?.sampleAspect ?? .unknown
      track.displayMatrix = transform
      var settings = EncoderSettings(
        track: track, bitRate: video.bitRate, quality: video.quality, options: video.options)
      (settings.isLowDelay, settings.pass) = (isLowDelay, pass)
      settings.keyFrameInterval = video.maxKeyFrameInterval
      return settings
    case .audio(let audio):
      (track.sampleRate, track.channelLayout) = (audio.sampleRate, audio.channelLayout)
      track.sampleFormat = sampleFormat
      return EncoderSettings(track: track, bitRate: audio.bitRate, options: audio.options)
    }
  }
}

extension PluginRegistry {
  /// Returns the encoder that the settings of an input name, or the first for their codec.
  func encoder(for settings: AssetWriterInput.Settings) -> PluginFactory? {
    guard let name = settings.encoder else { return encoders(for: settings.codec).first }
    let encoder = encoder(named: name)
    return encoder.flatMap { $0.description.codecs.contains(settings.codec) ? $0 : nil }
  }
}
