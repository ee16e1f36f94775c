import RespoolMedia

extension AssetWriter {
  /// Gives an input its way into the muxer.
  func begin(_ input: AssetWriterInput, _ index: Int, _ interleaver: Interleaver) {
    let port = MuxPort(interleaver, index: index, dress: Self.dress(input))
    input.begin(port)
    if input.mediaDataLocation == .beforeMainMediaDataNotInterleaved { port.putFirst() }
    if let hint = input.sourceFormatHint, input.settings == nil {
      var track = hint.track
      track.timeBase = Self.timeBase(of: input, track)
      port.announce(track)
    } else if input.settings == nil {
      port.announce { () throws(MediaError) in
        throw MediaError(
          .limitExceeded,
          "an input that passes through gave no sample while others went on; give it a format hint")
      }
    } else {
      port.announce { [weak self, weak input] () throws(MediaError) in
        guard let self, let input else { throw MediaError(.cancelled, "stopped") }
        // The time base is settled with the first sample; until then any will do.
        let base = input.defaultTimeBase
        return try self.openEncoder(for: input, frame: nil, timeBase: base).track
      }
    }
  }

  /// What the input says of its track, on top of what its encoder or source says.
  private static func dress(_ input: AssetWriterInput)
    -> @Sendable (TrackDescription) -> TrackDescription
  {
    let configuration = input.configured(\.self)
    let isPassedThrough = input.settings == nil
    let (transform, isEnabled) = (configuration.transform, configuration.isEnabled)
    let language = configuration.extendedLanguageTag ?? configuration.languageCode
    let metadata = MetadataItem.entries(configuration.metadata)
    var aperture: CleanAperture?
    if case .video(_, _, _, _, _, _, _, let told, _) = input.settings { aperture = told }
    let told = aperture
    return { track in
      var track = track
      if !isPassedThrough || transform != .identity { track.displayMatrix = transform }
      if let language { track.language = language }
      for entry in metadata {
        track.metadata.removeAll { $0.name == entry.name }
        track.metadata.append(entry)
      }
      if let told { track.cleanAperture = told }
      track.disposition.remove(isEnabled ? .disabled : .default)
      track.disposition.insert(isEnabled ? .default : .disabled)
      return track
    }
  }

  /// The input's chain of stages, made with its first sample.
  func stage(for input: AssetWriterInput, since start: MediaTime, first: SampleBuffer)
    throws(MediaError) -> any Stage<Frame>
  {
    if let stage = input.stage { return stage }
    input.timeBase = input.timeBase(since: start, first: first)
    guard let port = input.port,
      let stage = stage(
        for: input, aperture: first.formatDescription.track.cleanAperture, to: port)
    else { throw MediaError(.unsupported, "the encoder is not there any more") }
    input.stage = stage
    return stage
  }

  private func stage(for input: AssetWriterInput, aperture: CleanAperture?, to port: MuxPort)
    -> (any Stage<Frame>)?
  {
    let base = input.timeBase
    let open = { [weak self, weak input] (frame: Frame) throws(MediaError) -> EncoderInstance in
      guard let self, let input else { throw MediaError(.cancelled, "stopped") }
      return try self.openEncoder(for: input, frame: frame, timeBase: base)
    }
    let encode = EncodeStage(
      to: port,
      seen: { track in
        // What the pictures say holds where they are written as they are.
        guard track.cleanAperture == nil, let aperture,
          aperture.fits(width: track.width, height: track.height)
        else { return }
        track.cleanAperture = aperture
      }, open: open)
    switch input.settings {
    case nil: return nil
    case .video(let codec, let width, let height, let name, _, _, _, _, let aspect):
      guard let factory = encoderFactory(codec, name) else { return nil }
      let format = factory.description.pixelFormats.first ?? .yuv420p
      let isAnalysing = input.passes { state in
        // Who does not listen for passes brings the samples once.
        if state.block == nil { state.isAnalysing = false }
        return state.isAnalysing
      }
      if isAnalysing { input.analysis = AnalysisStage(open: open) }
      let end: any Stage<Frame> = input.analysis ?? encode
      return PictureStage(
        output: PictureShape(pixelFormat: format, width: width, height: height),
        orientation: .init(), sampleAspect: aspect, maximumRate: nil, timeBase: base, to: end)
    case .audio(let codec, let rate, let layout, let name, _, _):
      guard let factory = encoderFactory(codec, name) else { return nil }
      let shape = SoundShape(
        sampleFormat: factory.description.sampleFormats.first ?? .flt, sampleRate: rate,
        channelLayout: layout)
      return SoundStage(output: shape, timeBase: base, to: encode)
    }
  }

  /// Whether the encoder can make use of a first pass over the samples.
  func canAnalyse(_ input: AssetWriterInput) -> Bool {
    guard case .video(let codec, _, _, let name, _, _, _, _, _) = input.settings else {
      return false
    }
    let options = encoderFactory(codec, name)?.description.options ?? []
    return options.contains { $0.name == "first-pass" }
  }

  /// The first pass over an input's samples has ended.
  func finishAnalysis(of input: AssetWriterInput) {
    input.feeding.locked {
      do throws(MediaError) { try input.stage?.finish() } catch { fail(error) }
      let statistics = input.analysis?.statistics ?? []
      (input.stage, input.analysis, input.lastTime) = (nil, nil, nil)
      input.passes { ($0.isAnalysing, $0.statistics) = (false, statistics) }
    }
  }

  /// `frame` is the first that comes, or nil where only the encoder's account of the track is wanted.
  private func openEncoder(for input: AssetWriterInput, frame: Frame?, timeBase base: Rational)
    throws(MediaError) -> EncoderInstance
  {
    switch input.settings {
    case .video(
      let codec, let width, let height, let name, let bitRate, let quality, let options, _, _):
      guard let factory = encoderFactory(codec, name) else { break }
      var track = TrackDescription(kind: .video, codec: codec, timeBase: base)
      (track.width, track.height) = (frame?.width ?? width, frame?.height ?? height)
      track.pixelFormat =
        frame?.pixelFormat ?? factory.description.pixelFormats.first ?? .yuv420p
      track.color = frame?.color ?? .unspecified
      track.sampleAspect = frame?.sampleAspect ?? .unknown
      track.displayMatrix = input.transform
      track.language = input.languageCode
      return try registry.openEncoder(
        factory,
        EncoderSettings(
          track: track, bitRate: bitRate, quality: quality, options: options + input.passOptions))
    case .audio(let codec, let rate, let layout, let name, let bitRate, let options):
      guard let factory = encoderFactory(codec, name) else { break }
      var track = TrackDescription(kind: .audio, codec: codec, timeBase: base)
      track.sampleRate = rate
      track.channelLayout = layout
      track.sampleFormat = factory.description.sampleFormats.first ?? .flt
      track.language = input.languageCode
      return try registry.openEncoder(
        factory, EncoderSettings(track: track, bitRate: bitRate, options: options))
    case nil: break
    }
    throw MediaError(.unsupported, "the encoder is not there any more")
  }
}

extension AssetWriterInput {
  /// The unit of times before the first sample is known.
  var defaultTimeBase: Rational {
    if case .audio(_, let rate, _, _, _, _) = settings { return Rational(1, Int32(clamping: rate)) }
    return mediaTimeScale > 0 ? Rational(1, mediaTimeScale) : Rational(1, 90_000)
  }

  /// The unit of the times that the encoder gets.
  ///
  /// Sound: a sample. Pictures: what is asked for, or that of the first one's time, so that times which
  /// are told in one unit stay exact; made finer where it is coarse, and 1/90,000 where it cannot serve.
  func timeBase(since start: MediaTime, first: SampleBuffer) -> Rational {
    if mediaType == .audio || mediaTimeScale > 0 { return defaultTimeBase }
    let scale = (first.presentationTimeStamp - start).timescale
    guard scale > 0, scale <= 1_000_000 else { return defaultTimeBase }
    return Rational(1, scale >= 10_000 ? scale : scale * (10_000 / scale + 1))
  }
}
