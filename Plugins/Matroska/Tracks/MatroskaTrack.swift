import RespoolPlugin

/// An output track: its number, its track entry and the conversion of its times to block times.
struct MatroskaTrack {
  let number: Int
  /// Index of the track in the media, including covers.
  let index: Int
  var description: TrackDescription
  let timeBase: Rational
  var codecPrivate: CodecPrivate
  /// Hidden duration at the start, in the track's time base.
  let delay: Int64
  var hasAlpha = false
  /// Duration in nanoseconds of the only frame of the track.
  ///
  /// Known at the end.
  var onlyPictureLasts: UInt64?

  static let milliseconds = Rational(1, 1000)

  /// Returns the time base.
  ///
  /// Audio is counted in samples, so that delay and padding are exact.
  static func timeBase(of track: TrackDescription) -> Rational {
    if track.kind == .audio {
      if track.codec == "opus" { return Rational(1, 48000) }
      if track.sampleRate > 0 { return Rational(1, Int32(clamping: track.sampleRate)) }
    }
    return track.timeBase.isPositive ? track.timeBase : milliseconds
  }

  init(
    number: Int, index: Int, _ track: TrackDescription, firstPackets: [Packet]
  ) throws(MediaError) {
    (self.number, self.index) = (number, index)
    description = track
    timeBase = Self.timeBase(of: track)
    codecPrivate = try CodecPrivate(track, firstPackets: firstPackets)
    guard track.kind == .audio else {
      delay = 0
      hasAlpha = firstPackets.contains { !$0.sideData.isEmpty }
      return
    }
    // An edit list may hide more than the encoder delay, so the first time is used.
    let first = firstPackets.first?.pts ?? 0
    let rate = Rational(1, Int32(clamping: max(1, track.sampleRate)))
    let padding = rate.convert(Int64(track.initialPadding), to: timeBase)
    delay = first < 0 ? Int64(clamping: first.magnitude) : max(0, padding)
    if track.codec == "opus", let head = codecPrivate.bytes,
      var configuration = try? OpusConfiguration(head: head)
    {
      // RFC 9559 and WebM: CodecDelay and pre-skip must be equal.
      configuration.preSkip = UInt16(clamping: delay)
      codecPrivate.bytes = configuration.head
    }
  }

  /// Returns the time of a block in milliseconds, shifted by `shift` milliseconds.
  func blockTime(_ time: Int64, shift: Int64) -> Int64 {
    let delayed = Int64(clamping: Int128(time) + Int128(delay))
    return max(0, timeBase.convert(delayed, to: Self.milliseconds) + shift)
  }

  func write(to writer: inout EBMLWriter, isWebM: Bool) {
    writer.master(.trackEntry) { entry in
      entry.unsigned(.trackNumber, number)
      entry.unsigned(.trackUID, number)
      entry.unsigned(.trackType, trackType)
      let disposition = description.disposition
      entry.unsigned(.flagDefault, disposition.contains(.default) ? 1 : 0)
      if disposition.contains(.forced) { entry.unsigned(.flagForced, 1) }
      if !isWebM {
        writeFlags(&entry)
        extras.write(to: &entry)
      }
      entry.unsigned(.flagLacing, 0)
      if let duration = defaultDuration {
        entry.unsigned(.defaultDuration, duration, length: nil)
      } else if let duration = onlyPictureLasts {
        entry.unsigned(.defaultDuration, duration, length: 8)
      } else if let duration = statedDuration {
        entry.unsigned(.defaultDuration, duration, length: nil)
      } else if description.kind == .video {
        entry.void(12)  // Room for the element above.
      }
      if !isWebM, statedDuration != nil || extras.defaultDuration == nil,
        let duration = extras.defaultDecodedFieldDuration
      {
        entry.unsigned(.defaultDecodedFieldDuration, duration, length: nil)
      }
      let isPlainText = CodecPrivate.isPlainText(description)
      if hasAlpha || isPlainText { entry.unsigned(.maxBlockAdditionID, 1) }
      if let name = description.metadata.first(where: { $0.name.lowercased() == "title" })?.value {
        entry.text(.name, name)
      }
      let language = LanguageTag(description.language)
      entry.text(.language, language.iso639)
      if let tag = language.bcp47 { entry.text(.languageBCP47, tag) }
      entry.text(.codecID, codecPrivate.identifier)
      if let bytes = codecPrivate.bytes { entry.binary(.codecPrivate, bytes) }
      if delay > 0 {
        entry.unsigned(.codecDelay, Int(timeBase.convert(delay, to: .nanoseconds)))
      }
      if description.codec == "opus" { entry.unsigned(.seekPreRoll, 80_000_000) }
      switch description.kind {
      case .video:
        // WebM allows both for the codecs that it carries.
        VideoEntry(
          description, hasAlpha: hasAlpha, isWebM: isWebM, extras: extras,
          displaySize: DisplaySize(description.sideData)
        ).write(to: &entry)
      case .audio: writeAudio(&entry, isWebM: isWebM)
      default: break
      }
    }
  }

  private var extras: TrackExtras { TrackExtras(description.sideData) }

  private var trackType: Int {
    switch description.kind {
    case .video: 1
    case .audio: 2
    default: 17
    }
  }

  private func writeFlags(_ entry: inout EBMLWriter) {
    let flags: [(TrackDescription.Disposition, ElementID)] = [
      (.hearingImpaired, .flagHearingImpaired), (.visualImpaired, .flagVisualImpaired),
      (.original, .flagOriginal), (.commentary, .flagCommentary),
    ]
    for (flag, id) in flags where description.disposition.contains(flag) { entry.unsigned(id, 1) }
    if description.disposition.contains(.disabled) { entry.unsigned(.flagEnabled, 0) }
  }

  /// Stored frame duration of the source in nanoseconds.
  ///
  /// `nil` for video with another frame rate, which has been re-encoded.
  private var statedDuration: UInt64? {
    guard let duration = extras.defaultDuration else { return nil }
    guard description.kind == .video else { return duration }
    let rate = TrackDescriber.frameRate(ofDuration: duration)
    return rate.reduced == description.frameRate.reduced ? duration : nil
  }

  /// Duration of each frame in nanoseconds.
  ///
  /// `nil` unless all frames have the same duration.
  private var defaultDuration: UInt64? {
    let rate = description.frameRate
    guard description.kind == .video, rate.isPositive,
      rate.reduced == description.baseFrameRate.reduced
    else { return nil }
    if let statedDuration { return statedDuration }
    let duration = rate.inverse.convert(1, to: .nanoseconds)
    return duration > 0 ? UInt64(duration) : nil
  }

  /// Block duration in milliseconds, rounded, that a reader assumes if none is stored.
  ///
  /// `nil` if it cannot know.
  var defaultMilliseconds: Int64? {
    defaultDuration.map { Int64(($0 + 500_000) / 1_000_000) }
  }

  private func writeAudio(_ entry: inout EBMLWriter, isWebM: Bool) {
    let track = description
    entry.master(.audio) { audio in
      var rate = track.codec == "opus" ? 48000 : max(1, track.sampleRate)
      var output: Int?
      if track.codec == "aac", let bytes = codecPrivate.bytes,
        let configuration = try? AudioSpecificConfiguration(bytes),
        let extended = configuration.extensionSampleRate, extended != configuration.sampleRate
      {
        rate = configuration.sampleRate
        output = extended
      }
      audio.float(.samplingFrequency, Double(rate))
      if let output { audio.float(.outputSamplingFrequency, Double(output)) }
      audio.unsigned(.channels, max(1, track.channelLayout.channelCount))
      if let bits = CodecMapping.pcmBits(track.codec) {
        audio.unsigned(.bitDepth, bits)
      } else if track.bitsPerSample > 0,
        ["flac", "alac", "wavpack", "tta", "mlp", "truehd"].contains(track.codec)
      {
        audio.unsigned(.bitDepth, track.bitsPerSample)
      }
      if !isWebM, extras.emphasis > 0 { audio.unsigned(.emphasis, extras.emphasis) }
    }
  }
}
