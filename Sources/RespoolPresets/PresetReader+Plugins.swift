import RespoolMedia

/// Checks that need the plugins that are present.
extension PresetReader {
  mutating func checkPlugins(of preset: Preset, _ node: PresetNode) {
    guard let available, !preset.container.isEmpty else { return }
    var muxer: FactoryDescription?
    if let container = node["container"] {
      muxer = available.muxer(named: preset.container)?.description
      if muxer == nil {
        let muxers = available.all(.muxer).map(\.description)
        let names = muxers.flatMap { [$0.name] + $0.aliases + $0.extensions }
        report(
          container.value.place, "no plugin writes the container \(preset.container)",
          Spelling.nearest(to: preset.container, among: names).map { "did you mean \($0)?" }
            ?? (muxers.isEmpty
              ? "install a plugin that does"
              : "there are \(muxers.map(\.name).joined(separator: ", "))"))
      }
    }
    if let muxer, let entry = node["containerOptions"] {
      checkOptions(of: entry.value, muxer.options, owner: "container \(muxer.name)")
    }
    if let video = preset.video, let section = node["video"]?.value {
      check(
        section, codec: video.codec, encoder: video.encoder, quality: video.quality, muxer: muxer,
        kind: "video")
      checkPixelFormats(of: video, section)
    }
    if let audio = preset.audio, let section = node["audio"]?.value {
      check(
        section, codec: audio.codec, encoder: audio.encoder, quality: audio.quality, muxer: muxer,
        kind: "audio")
      checkAudio(audio, section)
    }
  }

  private mutating func check(
    _ section: PresetNode, codec: String, encoder name: String?, quality: Double?,
    muxer: FactoryDescription?, kind: String
  ) {
    guard let available, let codecEntry = section["codec"], !codec.isEmpty else { return }
    let isPCM = codec == "pcm" && kind == "audio"
    let makers = available.all(.encoder).filter { Self.makes($0.description, codec, isPCM) }
    if let muxer, !muxer.flags.contains(.anyCodec) {
      let carries =
        isPCM
        ? muxer.codecs.contains { $0.hasPrefix("pcm_") } : muxer.codecs.contains(codec)
      if !carries {
        let known = available.all(.encoder).contains { $0.description.codecs.contains(codec) }
        report(
          codecEntry.value.place, "container \(muxer.name) does not carry \(codec)",
          (known ? nil : Spelling.nearest(to: codec, among: muxer.codecs)).map {
            "did you mean \($0)?"
          } ?? "it carries \(Spelling.list(muxer.codecs))")
      }
    }
    var chosen = makers.first?.description
    if let name, let entry = section["encoder"] {
      if let encoder = available.encoder(named: name)?.description {
        chosen = encoder
        if !Self.makes(encoder, codec, isPCM) {
          report(
            entry.value.place,
            "encoder \(name) does not make \(codec)",
            makers.isEmpty
              ? "it makes \(Spelling.list(encoder.codecs))"
              : "for \(codec) there are \(makers.map(\.description.name).joined(separator: ", "))")
        }
      } else {
        let names = available.all(.encoder).map(\.description.name)
        report(
          entry.value.place, "no plugin has the encoder \(name)",
          Spelling.nearest(to: name, among: names).map { "did you mean \($0)?" }
            ?? (makers.isEmpty
              ? "install a plugin that has it"
              : "for \(codec) there are \(makers.map(\.description.name).joined(separator: ", "))"))
        chosen = nil
      }
    } else if makers.isEmpty {
      let advice = EncoderAdvice(available: available, kind: kind == "video" ? .video : .audio)
      report(codecEntry.value.place, "no plugin encodes \(codec)", advice.text(for: codec))
    }
    guard let chosen else { return }
    if let entry = section["options"] {
      let count = problems.count
      checkOptions(of: entry.value, chosen.options, owner: "encoder \(chosen.name)")
      if problems.count == count { askEncoder(chosen, codec, entry.value) }
    }
    if let quality, let entry = section["quality"], let range = Self.qualityRange(chosen, codec),
      !range.contains(quality)
    {
      report(
        entry.value.place, "quality is \(quality.decimalText)",
        "\(chosen.name) takes from \(range.lowerBound.decimalText) to "
          + range.upperBound.decimalText)
    }
  }

  private static func makes(_ encoder: FactoryDescription, _ codec: String, _ isPCM: Bool) -> Bool {
    isPCM ? encoder.codecs.contains { $0.hasPrefix("pcm_") } : encoder.codecs.contains(codec)
  }

  /// Returns the bounds of the encoder's own quality option, else those of the codec.
  private static func qualityRange(_ encoder: FactoryDescription, _ codec: String)
    -> ClosedRange<Double>?
  {
    for option in encoder.options where ["quality", "crf", "cq-level"].contains(option.name) {
      switch option.type {
      case .int(let range): return Double(range.lowerBound)...Double(range.upperBound)
      case .number(let range): return range
      default: break
      }
    }
    return switch codec {
    case "h264", "hevc": 0...51
    case "vp8", "vp9", "av1": 0...63
    default: nil
    }
  }

  private mutating func checkOptions(of node: PresetNode, _ schema: [OptionSchema], owner: String) {
    for entry in node.entries {
      guard let option = schema.first(where: { $0.name == entry.key }) else {
        report(
          entry.keyPlace, "\(owner) has no option \(entry.key)",
          Spelling.advice(for: entry.key, among: schema.map(\.name), kind: "an option"))
        continue
      }
      guard let text = entry.value.text, !text.isEmpty, let problem = option.problem(with: text)
      else { continue }
      // The schema's sentence contains the problem and the correction.
      let halves = problem.split(separator: ";", maxSplits: 1).map(String.init)
      var advice = halves.count > 1 ? halves[1].drop { $0 == " " } : ""
      if case .choice(let words) = option.type,
        let nearest = Spelling.nearest(to: text, among: words)
      {
        advice = "did you mean \(nearest)?"
      }
      report(entry.value.place, halves.first ?? problem, String(advice))
    }
  }

  /// Lets the encoder check options that the schema accepts.
  ///
  /// It finds errors in text such as `x264-params`, and in options that depend on each other.
  private mutating func askEncoder(
    _ encoder: FactoryDescription, _ codec: String, _ options: PresetNode
  ) {
    let entries = options.entries.compactMap { entry in
      entry.value.text.map { PluginOption(entry.key, $0) }
    }
    guard !entries.isEmpty,
      let factory = available?.factories.first(where: { $0.description == encoder }),
      let reason = available?.optionProblem(factory, codec, entries)
    else { return }
    let named = options.entries.first { reason.hasPrefix($0.key) }
    report(
      named?.value.place ?? options.place, reason,
      "`respool plugins show \(encoder.name)` lists the options")
  }

  private mutating func checkPixelFormats(of video: Preset.Video, _ section: PresetNode) {
    guard let available, let entry = section["pixelFormat"], !video.pixelFormats.isEmpty else {
      return
    }
    let encoder =
      video.encoder.map { available.encoder(named: $0) }
      ?? available.encoders(for: video.codec).first
    guard let encoder = encoder?.description, !encoder.pixelFormats.isEmpty else { return }
    for format in video.pixelFormats where !encoder.pixelFormats.contains(format) {
      report(
        entry.value.place, "encoder \(encoder.name) does not take \(format)",
        "it takes \(encoder.pixelFormats.map(\.name).joined(separator: ", "))")
    }
  }

  private mutating func checkAudio(_ audio: Preset.Audio, _ section: PresetNode) {
    guard let available else { return }
    let encoder =
      audio.encoder.map { available.encoder(named: $0) }
      ?? available.encoders(for: audio.codec).first
    guard let encoder = encoder?.description else { return }
    if let rate = audio.sampleRate, let entry = section["sampleRate"],
      !encoder.sampleRates.isEmpty, !encoder.sampleRates.contains(rate)
    {
      let rates = encoder.sampleRates.sorted().map(String.init).joined(separator: ", ")
      report(
        entry.value.place, "encoder \(encoder.name) does not take \(rate) Hz",
        "it takes \(rates)")
    }
    if let channels = audio.channels, let entry = section["channels"],
      let counts = encoder.channelCounts, channels > counts.upperBound
    {
      report(
        entry.value.place, "channels is \(channels)",
        "encoder \(encoder.name) takes \(counts.upperBound) at most")
    }
  }
}
