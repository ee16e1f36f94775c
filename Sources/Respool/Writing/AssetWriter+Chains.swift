import RespoolMedia

extension AssetWriter {
  /// Connects an input to the muxer.
  func begin(_ input: AssetWriterInput, _ index: Int, _ interleaver: Interleaver) {
    let port = TrackOutput(interleaver, index: index, dress: Self.dress(input))
    input.begin(port)
    if input.mediaDataLocation == .beforeMainMediaDataNotInterleaved { port.putFirst() }
    if let hint = input.sourceFormatHint, input.settings == nil {
      var track = hint.track
      track.timeBase = input.announcedTimeBase(of: track)
      port.announce(track)
    } else if input.settings == nil {
      port.announce { () throws(MediaError) in
        throw MediaError(
          .limitExceeded,
          "a pass-through input received no sample while others continued; set its format hint")
      }
    } else {
      port.announce { [weak self, weak input] () throws(MediaError) in
        guard let self, let input else { throw MediaError(.cancelled, "stopped") }
        // The first sample determines the time base; until then any will do.
        let base = input.defaultTimeBase
        let (factory, settings) = try self.encoding(of: input, frame: nil, timeBase: base)
        return try self.registry.openEncoder(factory, settings).track
      }
    }
  }

  /// Returns a function that applies the input's configuration to the track description of its encoder or source.
  private static func dress(_ input: AssetWriterInput)
    -> @Sendable (TrackDescription) -> TrackDescription
  {
    let configuration = input.configured(\.self)
    let isPassedThrough = input.settings == nil
    let (transform, isEnabled) = (configuration.transform, configuration.isEnabled)
    let language = configuration.extendedLanguageTag ?? configuration.languageCode
    let metadata = MetadataItem.entries(configuration.metadata)
    let stated = input.settings?.video?.cleanAperture
    return { track in
      var track = track
      if !isPassedThrough || transform != .identity { track.displayMatrix = transform }
      if let language { track.language = language }
      for entry in metadata {
        track.metadata.removeAll { $0.name == entry.name }
        track.metadata.append(entry)
      }
      if let stated { track.cleanAperture = stated }
      track.disposition.remove(isEnabled ? .disabled : .default)
      track.disposition.insert(isEnabled ? .default : .disabled)
      return track
    }
  }

  /// Returns the input's chain of stages, created with its first frame; `first` describes that frame.
  func stage(for input: AssetWriterInput, first: TrackDescription, timeBase: Rational)
    throws(MediaError) -> any Stage<Frame>
  {
    if let stage = input.stage { return stage }
    guard let port = input.port,
      let stage = try stage(for: input, first: first, timeBase: timeBase, to: port)
    else { throw MediaError(.unsupported, "the encoder is no longer available") }
    input.stage = stage
    return stage
  }

  private func stage(
    for input: AssetWriterInput, first: TrackDescription, timeBase base: Rational,
    to port: TrackOutput
  ) throws(MediaError) -> (any Stage<Frame>)? {
    guard let factory = encoderFactory(of: input) else { return nil }
    let open = builder.opener(factory) { [weak self, weak input] (frame) throws(MediaError) in
      guard let self, let input else { throw MediaError(.cancelled, "stopped") }
      return try self.encoding(of: input, frame: frame, timeBase: base).settings
    }
    let encode = EncodeStage(
      to: port,
      seen: { track in
        // The frames' own clean aperture is kept if their size is.
        guard track.cleanAperture == nil, let aperture = first.cleanAperture,
          (track.width, track.height) == (first.width, first.height)
        else { return }
        track.cleanAperture = aperture
      }, open: open)
    switch input.settings {
    case nil: return nil
    case .video(let video):
      if input.passes({ $0.encodesFirstPass }) { input.analysis = AnalysisStage(open: open) }
      return try picture(
        video, first, factory.description.pixelFormats.first ?? .yuv420p, timeBase: base,
        to: input.analysis ?? encode)
    case .audio(let audio):
      let audioFormat = AudioFormat(
        sampleFormat: factory.description.sampleFormats.first ?? .flt,
        sampleRate: audio.sampleRate, channelLayout: audio.channelLayout)
      return AudioConversionStage(output: audioFormat, timeBase: base, to: encode)
    }
  }

  /// Returns a chain of stages that converts frames to the size and format to encode.
  ///
  /// `first` describes the first frame.
  private func picture(
    _ video: VideoOutputSettings, _ first: TrackDescription, _ format: PixelFormat,
    timeBase: Rational, to end: any Stage<Frame>
  ) throws(MediaError) -> any Stage<Frame> {
    let size = VideoDimensions(
      width: video.width ?? first.width, height: video.height ?? first.height)
    if let aperture = video.cleanAperture, !aperture.fits(width: size.width, height: size.height) {
      throw MediaError(
        .invalidArgument,
        "the clean aperture \(aperture) does not fit into frames of \(size.width)x\(size.height)")
    }
    let convert = VideoConversionStage(
      output: VideoFormat(
        pixelFormat: format, width: size.width, height: size.height,
        color: video.color ?? .unspecified),
      orientation: .init(), sampleAspect: video.pixelAspectRatio, maximumRate: nil,
      timeBase: timeBase, to: end)
    let fit = FittingStage(
      video, size: size, aperture: first.cleanAperture, pixelFormat: format, to: convert)
    return DurationStage(to: fit)
  }

  /// `true` if the encoder supports a first pass over the samples.
  func canAnalyse(_ input: AssetWriterInput) -> Bool {
    guard input.settings?.video != nil else { return false }
    return encoderFactory(of: input)?.description.flags.contains(.twoPasses) ?? false
  }

  /// Returns the encoder of an input; `nil` if it is passed through or the encoder is not available.
  private func encoderFactory(of input: AssetWriterInput) -> PluginFactory? {
    switch input.settings {
    case .video(let video): encoderFactory(video.codec, video.encoder)
    case .audio(let audio): encoderFactory(audio.codec, audio.encoder)
    case nil: nil
    }
  }

  /// Returns the encoder of an input and its settings.
  ///
  /// `frame` is the first frame. `nil` if only the encoder's track description is needed.
  private func encoding(of input: AssetWriterInput, frame: Frame?, timeBase base: Rational)
    throws(MediaError) -> (factory: PluginFactory, settings: EncoderSettings)
  {
    guard let factory = encoderFactory(of: input) else {
      throw MediaError(.unsupported, "the encoder is no longer available")
    }
    switch input.settings {
    case .video(let video):
      var track = TrackDescription(kind: .video, codec: video.codec, timeBase: base)
      guard let width = frame?.width ?? video.width, let height = frame?.height ?? video.height
      else {
        throw MediaError(
          .invalidArgument, "an input without a size received no frame to take the size from")
      }
      (track.width, track.height) = (width, height)
      track.pixelFormat =
        frame?.pixelFormat ?? factory.description.pixelFormats.first ?? .yuv420p
      track.color = frame?.color ?? video.color ?? .unspecified
      track.sampleAspect = frame?.sampleAspect ?? .unknown
      track.displayMatrix = input.transform
      track.language = input.languageCode
      var settings = EncoderSettings(
        track: track, bitRate: video.bitRate, quality: video.quality, options: video.options)
      settings.isLowDelay = input.expectsMediaDataInRealTime
      settings.pass = input.encodingPass
      return (factory, settings)
    case .audio(let audio):
      var track = TrackDescription(kind: .audio, codec: audio.codec, timeBase: base)
      track.sampleRate = audio.sampleRate
      track.channelLayout = audio.channelLayout
      track.sampleFormat = factory.description.sampleFormats.first ?? .flt
      track.language = input.languageCode
      return (
        factory, EncoderSettings(track: track, bitRate: audio.bitRate, options: audio.options)
      )
    case nil: throw MediaError(.internal, "an input that is passed through has no encoder")
    }
  }
}
