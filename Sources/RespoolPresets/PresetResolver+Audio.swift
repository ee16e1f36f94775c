package import RespoolMedia

extension PresetResolver {
  package mutating func audio(
    _ track: TrackDescription, about subject: Subject, index: Int
  )
    throws(MediaError) -> ResolvedSettings.Track.Action
  {
    guard var wanted = preset.audio else { return .drop(reason: "the preset makes no audio") }
    let isPCM = wanted.codec == "pcm"
    if isPCM { wanted.codec = pcm(for: track) }
    switch passThrough(audio: track, index: index, wanted) {
    case .success(let reason):
      record(subject.copying, "pass through \(track.codec)", reason)
      return .passThrough
    case .failure(let refusal):
      if wanted.passThrough == .only {
        return .drop(reason: "the track cannot be copied: \(refusal.reason)")
      }
      if let reason = try undecodable(track, index: index) { return .drop(reason: reason) }
      let exact = lossless(track, wanted, about: subject)
      wanted = exact ?? wanted
      record(
        subject.encoding, "convert \(track.codec) to \(wanted.codec)", refusal.reason,
        loss: exact != nil || isPCM
          ? nil : loss(of: index, about: subject, as: wanted.codec, wanted.passThrough, refusal))
    }
    if isPCM {
      record(subject.setting("codec"), wanted.codec, "chosen for the bit depth of the source")
    }
    let encoder = try chooseEncoder(wanted.encoder, for: wanted.codec, about: subject)
    let layout = settleChannels(
      of: track, limit: wanted.channels, encoder.description, about: subject)
    let sampleRate = settleSampleRate(
      of: track, wanted: wanted.sampleRate, codec: wanted.codec, encoder.description, about: subject
    )
    let sampleFormat = settleSampleFormat(of: track, encoder.description, about: subject)
    var bitRate = wanted.bitRate
    if let stated = wanted.bitRate {
      bitRate = settleBitRate(
        stated, wanted, layout: layout, sampleRate: sampleRate, about: subject)
    }
    if let quality = wanted.quality {
      record(
        subject.setting("quality"), quality.decimalText, "from the preset, on the codec's own scale"
      )
    }
    for option in wanted.options {
      record(subject.setting("options.\(option.name)"), option.value, "from the preset")
    }
    return .convertAudio(
      AudioConversion(
        encoder: encoder, codec: wanted.codec, sampleRate: sampleRate, channelLayout: layout,
        sampleFormat: sampleFormat, bitRate: bitRate, quality: wanted.quality,
        options: wanted.options))
  }

  private mutating func settleSampleRate(
    of track: TrackDescription, wanted: Int?, codec: String, _ encoder: FactoryDescription,
    about subject: Subject
  ) -> Int {
    let taken = encoder.sampleRates.sorted()
    let from = wanted ?? track.sampleRate
    let setting = subject.setting("sampleRate")
    guard from > 0 else {
      let rate = taken.isEmpty || taken.contains(48000) ? 48000 : taken.last ?? 48000
      record(setting, "\(rate)", "the source states no sample rate")
      return rate
    }
    // AAC has packets of 1024 samples, and most players play the whole last packet. At 8,000 Hz that would
    // add up to an eighth of a second.
    let least = 32000
    if codec == "aac", wanted == nil, from < least,
      let rate = taken.first(where: { $0 >= least && $0.isMultiple(of: from) })
        ?? taken.first(where: { $0 >= least })
    {
      record(setting, "\(rate)", "players end AAC of \(from) Hz late; a higher rate loses nothing")
      return rate
    }
    if taken.isEmpty || taken.contains(from) {
      record(setting, "\(from)", wanted == nil ? "as the source" : "from the preset")
      return from
    }
    let rate = taken.first { $0 > from } ?? taken.last ?? from
    record(
      setting, "\(rate)",
      rate > from
        ? "\(encoder.name) does not take \(from) Hz; the next higher rate loses nothing"
        : "\(encoder.name) does not take \(from) Hz; this is its highest rate")
    return rate
  }

  private mutating func settleChannels(
    of track: TrackDescription, limit: Int?, _ encoder: FactoryDescription,
    about subject: Subject
  ) -> ChannelLayout {
    let setting = subject.setting("channels")
    guard track.channelLayout.channelCount > 0 else {
      record(setting, "stereo", "the source does not state the number of channels")
      return .stereo
    }
    let source = track.channelLayout.resolved
    var most = limit ?? .max
    if let counts = encoder.channelCounts { most = min(most, counts.upperBound) }
    if source.channelCount <= most, takes(source, encoder) {
      record(setting, "\(source)", "as the source")
      return source
    }
    if let layout = layoutWithAll(of: source, atMost: most, encoder) {
      let how =
        layout.channelCount > source.channelCount
        ? "with silent channels added" : "moved to the nearest layout"
      record(setting, "\(layout)", "\(source) \(how): \(encoder.name) does not take \(source)")
      return layout
    }
    // Fewer channels are mixed down; the same number is moved to the loudspeakers that the encoder
    // supports. If it supports only more channels, such as an encoder of stereo alone, mono becomes stereo.
    var counts = Array((1...max(1, min(source.channelCount, most, 64))).reversed())
    counts += (1...64).filter { $0 > source.channelCount && $0 <= most }
    for count in counts {
      let known = encoder.channelLayouts.filter { $0.channelCount == count }
      let layout = known.first { $0 == .standard(count) } ?? known.first ?? .standard(count)
      guard takes(layout, encoder) else { continue }
      let limited = limit.map { $0 < source.channelCount } ?? false
      let why =
        limited ? "the preset allows \(most) at most" : "\(encoder.name) does not take \(source)"
      let how =
        count < source.channelCount
        ? "mixed down" : count > source.channelCount ? "spread" : "moved to the nearest layout"
      record(
        setting, "\(layout)", "\(source) \(how): \(why)",
        loss: limited || source == .mono
          ? nil
          : "\(subject): the channels of \(source) are mixed into \(layout), because \(encoder.name) takes no "
            + "layout with all of them")
      return layout
    }
    record(setting, "\(source)", "as the source; \(encoder.name) takes no nearer layout")
    return source
  }

  /// Returns the encoder's smallest layout with a loudspeaker for each of the source's channels; `nil` if
  /// none fits.
  ///
  /// A side pair can replace a back pair if the source has only one pair.
  private func layoutWithAll(
    of source: ChannelLayout, atMost most: Int, _ encoder: FactoryDescription
  ) -> ChannelLayout? {
    guard source.mask != 0 else { return nil }
    let wanted = source.withOnePairAtTheBack.mask
    return encoder.channelLayouts.filter { layout in
      layout.channelCount <= most && takes(layout, encoder)
        && layout.withOnePairAtTheBack.mask & wanted == wanted
    }.min { ($0.channelCount, $0.mask) < ($1.channelCount, $1.mask) }
  }

  package func takes(_ layout: ChannelLayout, _ encoder: FactoryDescription) -> Bool {
    if let counts = encoder.channelCounts, !counts.contains(layout.channelCount) { return false }
    return encoder.channelLayouts.isEmpty || encoder.channelLayouts.contains(layout)
  }

  private mutating func settleSampleFormat(
    of track: TrackDescription, _ encoder: FactoryDescription,
    about subject: Subject
  ) -> SampleFormat {
    let setting = subject.setting("sampleFormat")
    let source = track.sampleFormat
    guard source != .none else {
      // Lossy decoders return floating point.
      let format = encoder.sampleFormats.first ?? .fltp
      record(
        setting, format.name, "preferred by \(encoder.name); the source states no sample format")
      return format
    }
    let format =
      encoder.sampleFormats.min {
        Self.loss(from: source, to: $0) < Self.loss(from: source, to: $1)
      } ?? source
    record(
      setting, format.name,
      format == source
        ? "as the source" : "nearest to the source's \(source.name) that \(encoder.name) takes")
    return format
  }

  private static func loss(from source: SampleFormat, to target: SampleFormat) -> Int {
    // Bits that are stored exactly: a float has 24 of them, and no clipping.
    func bits(_ format: SampleFormat) -> Int {
      switch format.interleaved {
      case .u8: 8
      case .s16: 16
      case .s32: 32
      case .flt: 24
      default: 53
      }
    }
    func isFloat(_ format: SampleFormat) -> Bool {
      format.interleaved == .flt || format.interleaved == .dbl
    }
    var loss = max(0, bits(source) - bits(target)) * 1000
    loss += isFloat(source) && !isFloat(target) ? 500 : 0
    loss += max(0, bits(target) - bits(source)) * 4
    loss += isFloat(target) && !isFloat(source) ? 2 : 0
    loss += source.isPlanar != target.isPlanar ? 1 : 0
    return loss
  }

  private mutating func settleBitRate(
    _ stated: Int64, _ wanted: Preset.Audio, layout: ChannelLayout, sampleRate: Int,
    about subject: Subject
  ) -> Int64 {
    let share = Self.bitRate(stated, forChannels: wanted.channels, for: layout)
    var rate = share
    let reference = wanted.channels.map { "\(ChannelLayout.standard($0))" } ?? "stereo"
    var reason =
      share == stated
      ? "from the preset"
      : "the preset's \(stated) is for \(reference), scaled to \(layout)"
    if let limit = Self.greatestBitRate(
      wanted.codec, channels: layout.channelCount, sampleRate: sampleRate), rate > limit
    {
      rate = limit
      reason += "; \(wanted.codec) allows no more at \(sampleRate) Hz"
    }
    record(subject.setting("bitRate"), "\(rate)", reason)
    return rate
  }

  /// Returns the share of a preset's bit rate that `layout` gets, rounded to a multiple of 8,000.
  ///
  /// The bit rate is meant for as many channels as the preset states, and for stereo if it states none. Each
  /// channel has the same part of it. Low-frequency channels do not count, and mono counts as 1.2 channels
  /// because it has no other channel to share with.
  package static func bitRate(
    _ stated: Int64, forChannels channels: Int?, for layout: ChannelLayout
  ) -> Int64 {
    let (wanted, reference) = (tenths(of: layout), tenths(of: .standard(channels ?? 2)))
    guard wanted != reference else { return stated }
    let (product, overflow) = stated.multipliedReportingOverflow(by: wanted)
    guard !overflow else { return stated }
    let rate = product / reference
    return rate < 16_000 ? rate : (rate + 4_000) / 8_000 * 8_000
  }

  /// Returns the part of a stereo bit rate that a layout needs, in tenths.
  private static func tenths(of layout: ChannelLayout) -> Int64 {
    let low: UInt64 = 0x8 | 0x8_0000_0000  // LFE and the second one of WAVE_FORMAT_EXTENSIBLE.
    let resolved = layout.resolved
    let full = max(1, resolved.channelCount - (resolved.mask & low).nonzeroBitCount)
    return full == 1 ? 6 : Int64(full) * 5
  }

  /// Returns the maximum bit rate of a codec, in bits per second; `nil` if unknown.
  private static func greatestBitRate(_ codec: String, channels: Int, sampleRate: Int) -> Int64? {
    switch codec {
    // ISO/IEC 14496-3 4.5.3.3: 6,144 bits for each channel in a block of 1,024 samples.
    case "aac": Int64(clamping: 6 * sampleRate) * Int64(clamping: channels)
    // RFC 6716 2.1.1: 510 kbit/s for one stream of one or two channels.
    case "opus": 255_000 * Int64(clamping: max(channels, 2))
    default: nil
    }
  }
}
