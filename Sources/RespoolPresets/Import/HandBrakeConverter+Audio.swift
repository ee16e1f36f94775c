import RespoolHost
import RespoolMedia

extension HandBrakeConverter {
  /// Codecs of Respool by HandBrake's encoders.
  ///
  /// An encoder that is not exactly the same is a change.
  private static let encoders: [String: (codec: String, isSame: Bool)] = [
    "av_aac": ("aac", true), "ca_aac": ("aac", false), "fdk_aac": ("aac", false),
    "ca_haac": ("aac", false), "fdk_haac": ("aac", false), "faac": ("aac", false),
    "mp3": ("mp3", true), "lame": ("mp3", true), "vorbis": ("vorbis", true),
    "opus": ("opus", true), "flac16": ("flac", false), "flac24": ("flac", false),
  ]

  /// Converts the list of audio tracks, of which Respool makes one.
  mutating func convertAudio() {
    let entries = source["AudioList"]?.elements ?? []
    let behavior = text("AudioTrackSelectionBehavior")
    let isNone = entries.isEmpty || behavior == "none"
    let isAll = behavior == "all"
    var (rules, unknown) = trackRules("AudioLanguageList", isFirst: !isAll)
    // Without a track of these languages, HandBrake takes the first one.
    if rules.contains(where: { $0.contains("language") }) {
      rules.append("else: best")
    } else {
      rules = isAll ? ["all"] : []
    }
    if !isNone { audioRules = rules }
    note(
      "AudioTrackSelectionBehavior",
      isNone == (behavior == "none") && ["all", "none"].contains(behavior) ? .kept : .changed,
      isNone
        ? "audio: none"
        : isAll ? "tracks of audio" : "the best track of each language, not the first")
    noteLanguages("AudioLanguageList", isUsed: !isNone, unknown)
    note("AudioSecondaryEncoderMode", .unused, "there is one audio setting")
    for (index, entry) in entries.enumerated() {
      if index == 0, !isNone { continue }
      for member in entry.members {
        note(
          "AudioList[\(index)].\(member.name)", member.value, isNone ? .unused : .refused,
          isNone ? "audio: none" : "a source track becomes one output track")
      }
    }
    guard !isNone, let first = entries.first else {
      note("AudioList", .changed, "audio: none")
      note("AudioCopyMask", .unused)
      note("AudioEncoderFallback", .unused)
      return
    }
    note(
      "AudioList", entries.count == 1 ? .kept : .changed,
      entries.count == 1 ? "one track" : "the first of \(entries.count) tracks")
    convertTrack(first)
  }

  private mutating func convertTrack(_ entry: JSON) {
    let wanted = entry["AudioEncoder"]?.string ?? ""
    let copies = wanted.hasPrefix("copy")
    let fallback = text("AudioEncoderFallback")
    let only = copies && fallback == "none"
    let encoder = copies ? fallback : wanted
    let known = Self.encoders[encoder]
    let inWebM = root.contains { $0 == ("container", "webm") }
    let codec =
      inWebM && known?.codec != "vorbis" ? "opus" : known?.codec ?? (inWebM ? "opus" : "aac")
    let isSame = known?.isSame == true && known?.codec == codec
    let copied = wanted.hasPrefix("copy:") ? String(wanted.dropFirst(5)) : ""
    let passThrough = only ? "only" : !copies ? "never" : copied == codec ? "auto" : "any"
    var notes: [String: (Treatment, String)] = [:]
    if !only { audio.append(("codec", codec)) }
    let isExact = copies ? copied == codec : isSame
    notes["AudioEncoder"] = (
      isExact ? .kept : .changed,
      only ? "passthrough: only" : "codec: \(codec), passthrough: \(passThrough)"
    )
    note(
      "AudioEncoderFallback", !copies ? .unused : only || isSame ? .kept : .changed,
      only ? "passthrough: only" : "codec: \(codec)")
    note(
      "AudioCopyMask", !copies || copied == codec ? .unused : .changed,
      "all codecs that the container carries are copied")
    // Encoders of lossless codecs have neither bit rate nor channels to choose.
    if !only {
      convertAudioRate(entry, codec, encoder, copies, &notes)
      convertChannels(entry, codec, &notes)
    }
    audio.append(("passthrough", passThrough))
    noteAudio(entry, notes, codec, isOnly: only)
  }

  private mutating func convertAudioRate(
    _ entry: JSON, _ codec: String, _ encoder: String, _ copies: Bool,
    _ notes: inout [String: (Treatment, String)]
  ) {
    let usesQuality = entry["AudioTrackQualityEnable"]?.isTrue == true
    let quality = entry["AudioTrackQuality"]?.double
    let scale: ClosedRange<Double>? = codec == "mp3" ? 0...9.999 : codec == "vorbis" ? 0...10 : nil
    let isOwn = Self.encoders[encoder]?.codec == codec
    if codec == "flac" {
      notes["AudioBitrate"] = (.unused, "flac is lossless")
      notes["AudioTrackQuality"] = (.unused, "flac is lossless")
      notes["AudioTrackQualityEnable"] = (.unused, "flac is lossless")
      return
    }
    if usesQuality, let quality, let scale, isOwn {
      let value = min(scale.upperBound, max(scale.lowerBound, quality))
      audio.append(("quality", value.decimalText))
      notes["AudioTrackQuality"] = (
        value == quality ? .kept : .changed, "quality: \(value.decimalText)"
      )
      notes["AudioTrackQualityEnable"] = (.kept, "a quality")
      notes["AudioBitrate"] = (.unused, "a quality is set")
      return
    }
    notes["AudioTrackQuality"] =
      usesQuality ? (.refused, "\(codec) gets a bit rate") : (.unused, "a bit rate is set")
    notes["AudioTrackQualityEnable"] =
      usesQuality ? (.refused, "\(codec) gets a bit rate") : (.kept, "a bit rate")
    let wanted = entry["AudioBitrate"]?.double ?? 0
    let limits: ClosedRange<Double> =
      codec == "mp3" ? 32...320 : codec == "vorbis" ? 48...320 : 32...320
    let rate = wanted > 0 ? min(limits.upperBound, max(limits.lowerBound, wanted)) : 160
    audio.append(("bitrate", "\(Int64(rate.rounded()))k"))
    notes["AudioBitrate"] = (
      rate == wanted && !copies ? .kept : .changed,
      "bitrate: \(Int64(rate.rounded()))k" + (copies ? ", of stereo that is encoded" : "")
    )
  }

  private mutating func convertChannels(
    _ entry: JSON, _ codec: String, _ notes: inout [String: (Treatment, String)]
  ) {
    let mixdown = entry["AudioMixdown"]?.string ?? "none"
    let counts = [
      "mono": 1, "left_only": 1, "right_only": 1, "stereo": 2, "dpl1": 2, "dpl2": 2,
      "5point1": 6, "6point1": 7, "7point1": 8, "5_2_lfe": 8,
    ]
    if let count = counts[mixdown] {
      let result = codec == "mp3" ? min(2, count) : count
      audio.append(("channels", "\(result)"))
      let isPlain = ["mono", "stereo", "5point1", "6point1", "7point1"].contains(mixdown)
      notes["AudioMixdown"] = (
        isPlain && result == count ? .kept : .changed, "channels: \(result) at most"
      )
    } else {
      let isNone = ["none", "", "auto"].contains(mixdown)
      notes["AudioMixdown"] = (isNone ? .kept : .refused, "the channels of the source")
    }
    let rateText = entry["AudioSamplerate"]?.string ?? "auto"
    let rates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]
    // In kHz, with one or two decimals.
    let rate = PresetReader.decimal(rateText).flatMap { wanted in
      rates.first { (Double($0) / 1000 - wanted).magnitude < 0.05 }
    }
    if var rate {
      let wanted = rate
      if codec == "opus", ![8000, 12000, 16000, 24000, 48000].contains(rate) { rate = 48000 }
      audio.append(("sampleRate", "\(rate)"))
      notes["AudioSamplerate"] = (rate == wanted ? .kept : .changed, "sampleRate: \(rate)")
    } else {
      notes["AudioSamplerate"] = (
        ["auto", ""].contains(rateText) ? .kept : .refused, "the rate of the source"
      )
    }
  }

  private mutating func noteAudio(
    _ entry: JSON, _ known: [String: (Treatment, String)], _ codec: String, isOnly: Bool
  ) {
    for member in entry.members {
      let (value, key) = (member.value, "AudioList[0].\(member.name)")
      if let (treatment, text) = known[member.name] {
        note(key, value, treatment, text)
        continue
      }
      if isOnly {
        note(key, value, .unused, "audio is only copied")
        continue
      }
      let number = value.double ?? 0
      switch member.name {
      case "AudioCompressionLevel":
        let isLevel = codec == "flac" && (0...8).contains(number) && number == number.rounded()
        if isLevel { audioOptions.append(("compression-level", "\(Int(number))")) }
        note(
          key, value, isLevel ? .kept : number < 0 ? .unused : .refused,
          isLevel ? "compression-level" : "the encoder has its default")
      case "AudioDitherMethod":
        note(
          key, value, ["auto", "none", ""].contains(value.string ?? "") ? .kept : .refused,
          "Respool chooses")
      case "AudioNormalizeMixLevel", "AudioTrackGainSlider", "AudioTrackDRCSlider":
        note(
          key, value, value.isTrue ? .refused : .kept,
          value.isTrue ? "the level stays; loudness or the filter volume changes it" : "none")
      case "AudioTrackName", "AudioTrackNamePassthru":
        note(key, value, .refused, "titles of tracks are those of the source")
      default: note(key, value, .refused, "the key is unknown")
      }
    }
  }
}
