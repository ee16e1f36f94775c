import RespoolMedia

/// The stages of an audio track from decoded frames to audio in the encoder's format.
///
///     conversion -> filters -> conversion -> level -> conversion
///
/// Without filters, there is no first conversion, and without a change of level no last one.
struct AudioChain {
  /// First stage; also counts what was inserted, dropped and clipped.
  let stage: AudioConversionStage
  /// Open filters; `nil` if there are none.
  let filters: FilterChain?

  /// Creates the chain of a track whose decoded frames have times in `timeBase`.
  ///
  /// With `startsAtZero`, the first audio sample gets the time 0. `next` gets audio in the encoder's format.
  init(
    _ conversion: AudioConversion, of track: TrackDescription, timeBase: Rational,
    startsAtZero: Bool, builder: ChainBuilder, to next: any Stage<Frame>
  ) throws(MediaError) {
    let output = AudioFormat(
      sampleFormat: conversion.sampleFormat, sampleRate: conversion.sampleRate,
      channelLayout: conversion.channelLayout)
    let audio = MeasuredAudio(conversion)
    guard audio.level != nil else {
      try self.init(
        audio, as: output, of: track, timeBase: timeBase, startsAtZero: startsAtZero,
        builder: builder, to: next)
      return
    }
    let unit = Rational(1, Int32(clamping: conversion.sampleRate))
    let last = AudioConversionStage(output: output, timeBase: unit, to: next)
    try self.init(
      audio, as: audio.format, of: track, timeBase: timeBase, startsAtZero: startsAtZero,
      builder: builder, to: audio.changed(last))
  }

  /// Creates the chain of a track that is measured, after a change of level if there is one.
  init(
    measuring audio: MeasuredAudio, of track: TrackDescription, timeBase: Rational,
    builder: ChainBuilder, to meter: LoudnessStage
  ) throws(MediaError) {
    var next: any Stage<Frame> = meter
    if audio.meterRate != audio.sampleRate {
      var format = audio.format
      format.sampleRate = audio.meterRate
      next = AudioConversionStage(
        output: format, timeBase: Rational(1, Int32(clamping: audio.sampleRate)), to: meter)
    }
    try self.init(
      audio, as: audio.format, of: track, timeBase: timeBase, startsAtZero: true,
      builder: builder, to: audio.changed(next))
  }

  private init(
    _ audio: MeasuredAudio, as format: AudioFormat, of track: TrackDescription,
    timeBase: Rational, startsAtZero: Bool, builder: ChainBuilder, to next: any Stage<Frame>
  ) throws(MediaError) {
    guard let wanted = audio.filters, let first = wanted.filters.first else {
      stage = AudioConversionStage(
        output: format, timeBase: timeBase, startsAtZero: startsAtZero, to: next)
      filters = nil
      // Filters and gains change the level, so what they take and return is not compared.
      stage.countsClipping =
        audio.level == nil && track.isFloatingPointAudio
        && ![.flt, .dbl].contains(format.sampleFormat.interleaved)
      return
    }
    // The filters get audio of one format on a timeline without gaps.
    var input = track.accepted(by: first.factory.description)
    if input.sampleRate <= 0 { input.sampleRate = format.sampleRate }
    input.channelLayout =
      input.channelLayout.channelCount > 0 ? input.channelLayout.resolved : format.channelLayout
    input.timeBase = Rational(1, Int32(clamping: input.sampleRate))
    let chain = try builder.filters(wanted, of: input)
    let convert = AudioConversionStage(
      output: format, timeBase: chain.output.timeBase, startsAtZero: startsAtZero, to: next)
    stage = AudioConversionStage(
      output: AudioFormat(
        sampleFormat: input.sampleFormat, sampleRate: input.sampleRate,
        channelLayout: input.channelLayout),
      timeBase: timeBase, startsAtZero: startsAtZero, to: chain.stage(to: convert))
    filters = chain
  }
}

/// Audio of which the loudness is measured.
struct MeasuredAudio {
  var filters: TrackFilters?
  var sampleRate: Int
  var channelLayout: ChannelLayout
  /// `nil` if the level does not change.
  var target: LoudnessTarget?
  /// Change of the level before the measurement.
  var level: AudioLevel?

  /// Creates the audio of a track that is encoded.
  init(_ conversion: AudioConversion) {
    (filters, target, level) = (conversion.filters, conversion.loudness, conversion.level)
    (sampleRate, channelLayout) = (conversion.sampleRate, conversion.channelLayout)
  }

  /// Creates the audio of a track that is copied.
  init(_ track: TrackDescription) {
    sampleRate = max(1, track.sampleRate)
    channelLayout = track.channelLayout.channelCount > 0 ? track.channelLayout.resolved : .stereo
  }

  /// Format in which loudness is measured and changed.
  var format: AudioFormat {
    AudioFormat(sampleFormat: .fltp, sampleRate: sampleRate, channelLayout: channelLayout)
  }

  /// Rate at which it is measured: the weighting filter is exact only far above the frequencies that it weights.
  var meterRate: Int { sampleRate < 44100 ? 48000 : sampleRate }

  /// Returns the stage that changes the level before `next`.
  fileprivate func changed(_ next: any Stage<Frame>) -> any Stage<Frame> {
    guard let level else { return next }
    return LevelStage(
      gain: level.gain, ceiling: level.ceiling, rate: sampleRate,
      channels: channelLayout.channelCount, to: next)
  }
}

extension ChainBuilder {
  /// Opens filters for frames of a track, whose times are in its time base.
  func filters(_ wanted: TrackFilters, of track: TrackDescription) throws(MediaError)
    -> FilterChain
  {
    var steps: [FilterChain.Step] = []
    for filter in wanted.filters {
      guard let factory = registry.factory(for: filter.factory) else {
        throw MediaError(
          .unsupported, "the filter \(filter.factory.description.name) is not available")
      }
      steps.append(.init(factory, options: filter.options))
    }
    return try filters(steps, of: track)
  }
}
