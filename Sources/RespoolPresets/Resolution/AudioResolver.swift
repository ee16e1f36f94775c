import RespoolMedia

/// A resolver of the settings of audio tracks.
struct AudioResolver {
  private let passThrough: PassThroughRule
  private let codecs: CodecChoice
  private let lossless: LosslessAudio
  private let filters: FilterResolver

  init(_ input: ResolutionInput) {
    passThrough = PassThroughRule(input)
    codecs = CodecChoice(input)
    lossless = LosslessAudio(input)
    filters = FilterResolver(input: input)
  }

  /// Resolves the settings of a track, for which the preset has the settings `wanted`.
  func resolve(
    _ track: TrackDescription, _ index: Int, _ wanted: Preset.Audio, _ recorder: DecisionRecorder
  ) throws(MediaError) -> ResolvedSettings.Track.Action {
    var wanted = wanted
    let isPCM = wanted.codec == "pcm"
    if isPCM { wanted.codec = lossless.pcm(for: track) }
    switch passThrough.outcome(audio: track, index, wanted) {
    case .copy(let reason):
      recorder.record(.copying, "pass through \(track.codec)", reason)
      _ = loudness(wanted, recorder)
      return .passThrough
    case .drop(let reason): return .drop(reason: reason)
    case .encode(let refusal):
      if let reason = try codecs.undecodable(track, index: index) { return .drop(reason: reason) }
      let exact = lossless.settings(wanted, for: track, recorder)
      wanted = exact ?? wanted
      recorder.record(
        .encoding, "convert \(track.codec) to \(wanted.codec)", refusal.reason,
        loss: exact != nil || isPCM
          ? nil : refusal.loss(of: recorder.subject, as: wanted.codec))
      if exact == nil { lossless.recordDepth(of: wanted.codec, for: track, recorder) }
      if isPCM { recorder.record("codec", wanted.codec, "chosen for the bit depth of the source") }
      let filters = try filters.filters(wanted.filters, of: track, index, recorder)
      var filtered = filters?.output ?? track
      // Some filters work at a higher rate, which the output does not need.
      filtered.sampleRate = track.sampleRate
      var conversion = try conversion(of: filtered, wanted, recorder)
      conversion.filters = filters
      conversion.loudness = loudness(wanted, recorder)
      return .convertAudio(conversion)
    }
  }

  private func loudness(_ wanted: Preset.Audio, _ recorder: DecisionRecorder) -> LoudnessTarget? {
    guard case .target(let loudness) = wanted.loudness else {
      if wanted.loudness == .tags {
        recorder.record(
          "loudness", "tags", "from the preset; measured before the conversion, and not changed")
      }
      return nil
    }
    recorder.record(
      "loudness", "\(loudness.decimalText) LUFS",
      "from the preset; the source is measured before it is converted, and true peaks are at most "
        + "\(wanted.truePeak.decimalText) dBTP before they are encoded")
    return LoudnessTarget(loudness: loudness, truePeak: wanted.truePeak)
  }

  private func conversion(
    of track: TrackDescription, _ wanted: Preset.Audio, _ recorder: DecisionRecorder
  ) throws(MediaError) -> AudioConversion {
    codecs.recordDecoder(wanted.decoder, for: track, recorder)
    let factory = try codecs.encoder(wanted.encoder, for: wanted.codec, recorder)
    let encoder = factory.description
    let layout = ChannelChoice(encoder, limit: wanted.channels).layout(for: track, recorder)
    let sampleRate = sampleRate(of: track, wanted, encoder, recorder)
    let sampleFormat = sampleFormat(of: track, as: wanted.codec, encoder, recorder)
    let bitRate = wanted.recordBitRate(for: layout, sampleRate: sampleRate, recorder)
    if bitRate == nil { recorder.recordRate(quality: wanted.quality, bitRate: nil, of: encoder) }
    recorder.record(wanted.options, of: encoder)
    return AudioConversion(
      encoder: factory, codec: wanted.codec, sampleRate: sampleRate, channelLayout: layout,
      sampleFormat: sampleFormat, bitRate: bitRate, quality: wanted.quality,
      options: wanted.options)
  }

  private func sampleRate(
    of track: TrackDescription, _ wanted: Preset.Audio, _ encoder: FactoryDescription,
    _ recorder: DecisionRecorder
  ) -> Int {
    let taken = encoder.sampleRates.sorted()
    let from = wanted.sampleRate ?? track.sampleRate
    guard from > 0 else {
      let rate = taken.isEmpty || taken.contains(48000) ? 48000 : taken.last ?? 48000
      recorder.record("sampleRate", "\(rate)", "the source states no sample rate")
      return rate
    }
    // AAC has packets of 1024 samples, and most players play the whole last packet. At 8,000 Hz that would
    // add up to an eighth of a second.
    let least = 32000
    if wanted.codec == "aac", wanted.sampleRate == nil, from < least,
      let rate = taken.first(where: { $0 >= least && $0.isMultiple(of: from) })
        ?? taken.first(where: { $0 >= least })
    {
      recorder.record(
        "sampleRate", "\(rate)", "players end AAC of \(from) Hz late; a higher rate loses nothing")
      return rate
    }
    if taken.isEmpty || taken.contains(from) {
      recorder.record(
        "sampleRate", "\(from)", wanted.sampleRate == nil ? "as the source" : "from the preset")
      return from
    }
    let rate = taken.first { $0 > from } ?? taken.last ?? from
    recorder.record(
      "sampleRate", "\(rate)",
      rate > from
        ? "\(encoder.name) does not take \(from) Hz; the next higher rate loses nothing"
        : "\(encoder.name) does not take \(from) Hz; this is its highest rate")
    return rate
  }

  private func sampleFormat(
    of track: TrackDescription, as codec: String, _ encoder: FactoryDescription,
    _ recorder: DecisionRecorder
  ) -> SampleFormat {
    let source = track.sampleFormat
    if LosslessAudio.codecs.contains(codec), track.losslessDepth == 0,
      let format = encoder.sampleFormats.first(where: { $0.interleaved == .s16 })
    {
      recorder.record(
        "sampleFormat", format.name, "lossy audio has no bit depth of its own; 16 bits are enough")
      return format
    }
    if source == .none, track.losslessDepth > 16,
      let format = encoder.sampleFormats.first(where: { $0.interleaved == .s32 })
    {
      recorder.record(
        "sampleFormat", format.name, "the source has \(track.losslessDepth) bits of its own format")
      return format
    }
    guard source != .none else {
      // Lossy decoders return floating point.
      let format = encoder.sampleFormats.first ?? .fltp
      recorder.record(
        "sampleFormat", format.name,
        "preferred by \(encoder.name); the source states no sample format")
      return format
    }
    let format =
      encoder.sampleFormats.min { source.loss(to: $0) < source.loss(to: $1) } ?? source
    recorder.record(
      "sampleFormat", format.name,
      format == source
        ? "as the source" : "nearest to the source's \(source.name) that \(encoder.name) takes")
    return format
  }
}
