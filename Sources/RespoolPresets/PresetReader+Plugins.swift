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
          available.advice(on: preset.container, .muxer, among: names)
            ?? (muxers.isEmpty
              ? "install a plugin that does"
              : "there are \(muxers.map(\.name).joined(separator: ", "))"))
      }
    }
    if let muxer, let entry = node["containerOptions"] {
      checkOptions(of: entry.value, muxer.options, owner: "container \(muxer.name)")
    }
    if let video = preset.video, let section = node["video"]?.value {
      var settings = Requested(codec: video.codec, encoder: video.encoder, isVideo: true)
      (settings.quality, settings.bitRate) = (video.quality, video.bitRate)
      settings.passes = video.passes
      check(section, settings, muxer: muxer)
      checkDecoder(section)
      checkPixelFormats(of: video, section)
      checkFilters(of: section, .video)
    }
    if let audio = preset.audio, let section = node["audio"]?.value {
      var settings = Requested(codec: audio.codec, encoder: audio.encoder, isVideo: false)
      (settings.quality, settings.bitRate) = (audio.quality, audio.bitRate)
      (settings.channels, settings.sampleRate) = (audio.channels, audio.sampleRate)
      check(section, settings, muxer: muxer)
      checkDecoder(section)
      checkAudio(audio, section)
      checkFilters(of: section, .audio)
    }
  }

  /// Codec, encoder and rate that a section of a preset requests.
  private struct Requested {
    var codec: String
    /// Name of the encoder; `nil`: the best one for the codec.
    var encoder: String?
    var isVideo: Bool
    var quality: Double?
    var bitRate: Int64?
    /// Number of times that video is encoded.
    var passes = 1
    /// Number of channels and samples per second; `nil`: those of the source.
    var channels, sampleRate: Int?

    /// `true` for PCM of the source's bit depth.
    var isPCM: Bool { codec == "pcm" && !isVideo }

    func isMade(by encoder: FactoryDescription) -> Bool {
      // A plugin before ABI 1.5 does not state a media type.
      guard encoder.rateControl == nil || encoder.isVideoEncoder == isVideo else { return false }
      return isPCM
        ? encoder.codecs.contains { $0.hasPrefix("pcm_") } : encoder.codecs.contains(codec)
    }
  }

  private mutating func check(
    _ section: PresetNode, _ requested: Requested, muxer: FactoryDescription?
  ) {
    let (codec, isPCM) = (requested.codec, requested.isPCM)
    guard let available, let codecEntry = section["codec"], !codec.isEmpty else { return }
    let makers = available.all(.encoder).filter { requested.isMade(by: $0.description) }
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
    if let name = requested.encoder, let entry = section["encoder"] {
      if let encoder = available.encoder(named: name)?.description {
        chosen = encoder
        if !requested.isMade(by: encoder) {
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
          available.advice(on: name, .encoder, among: names)
            ?? (makers.isEmpty
              ? "install a plugin that has it"
              : "for \(codec) there are \(makers.map(\.description.name).joined(separator: ", "))"))
        chosen = nil
      }
    } else if makers.isEmpty {
      let advice = EncoderAdvice(available: available, kind: requested.isVideo ? .video : .audio)
      report(
        codecEntry.value.place, "no plugin encodes \(codec)",
        available.unusable.explanation(for: .encoder, where: { requested.isMade(by: $0) })
          ?? advice.text(for: codec))
    }
    guard let chosen else { return }
    let count = problems.count
    if let entry = section["options"] {
      checkOptions(of: entry.value, chosen.options, owner: "encoder \(chosen.name)")
    }
    for (key, problem) in [
      ("quality", chosen.problem(quality: requested.quality, bitRate: nil)),
      ("bitrate", chosen.problem(quality: nil, bitRate: requested.bitRate)),
    ] {
      guard let problem, let entry = section[key] else { continue }
      reportProblem(problem, entry.value.place)
    }
    if requested.passes > 1, !chosen.flags.contains(.twoPasses), let entry = section["passes"] {
      let able = makers.map(\.description).filter { $0.flags.contains(.twoPasses) }.map(\.name)
      report(
        entry.value.place, "encoder \(chosen.name) makes one pass only",
        able.isEmpty ? "leave passes out" : "\(Spelling.list(able)) can make two")
    }
    if problems.count == count { askEncoder(chosen, requested, section) }
  }

  private mutating func checkDecoder(_ section: PresetNode) {
    guard let available, let entry = section["decoder"], let name = entry.value.text, !name.isEmpty,
      available.decoder(named: name) == nil
    else { return }
    let names = available.all(.decoder).flatMap {
      [$0.description.name, "\($0.plugin)/\($0.description.name)"]
    }
    report(
      entry.value.place, "no plugin has the decoder \(name)",
      available.advice(on: name, .decoder, among: names)
        ?? "there are \(available.all(.decoder).map(\.description.name).joined(separator: ", "))")
  }

  /// Reports a message of the form "what was found; what is allowed".
  private mutating func reportProblem(
    _ problem: String, _ place: PresetNode.Place, advice: String? = nil
  ) {
    let halves = problem.split(separator: ";", maxSplits: 1).map(String.init)
    report(
      place, halves.first ?? problem,
      advice ?? (halves.count > 1 ? String(halves[1].drop { $0 == " " }) : ""))
  }

  mutating func checkOptions(of node: PresetNode, _ schema: [OptionSchema], owner: String) {
    for entry in node.entries {
      guard let option = schema.first(where: { $0.name == entry.key }) else {
        report(
          entry.keyPlace, "\(owner) has no option \(entry.key)",
          Spelling.advice(for: entry.key, among: schema.map(\.name), kind: "an option"))
        continue
      }
      guard let text = entry.value.text, !text.isEmpty, let problem = option.problem(with: text)
      else { continue }
      var advice: String?
      if case .choice(let words) = option.type,
        let nearest = Spelling.nearest(to: text, among: words)
      {
        advice = "did you mean \(nearest)?"
      }
      reportProblem(problem, entry.value.place, advice: advice)
    }
  }

  /// Lets the encoder check options, quality and bit rate that its description accepts.
  ///
  /// It finds errors in text such as `x264-params`, and in values that depend on each other.
  private mutating func askEncoder(
    _ encoder: FactoryDescription, _ requested: Requested, _ section: PresetNode
  ) {
    let options = section["options"]?.value
    let entries = (options?.entries ?? []).compactMap { entry in
      entry.value.text.map { PluginOption(entry.key, $0) }
    }
    let hasRate = requested.quality != nil || requested.bitRate != nil
    guard !entries.isEmpty || hasRate || requested.passes > 1 else { return }
    let codec =
      requested.isPCM ? encoder.codecs.first ?? requested.codec : requested.codec
    var settings = EncoderSettings(trying: encoder, codec: codec)
    (settings.options, settings.quality, settings.bitRate) =
      (entries, requested.quality, requested.bitRate)
    if requested.passes > 1 { settings.pass = .first }
    if let rate = requested.sampleRate {
      settings.track.sampleRate = rate
      settings.track.timeBase = Rational(1, Int32(clamping: rate))
    }
    // The bit rate of a preset is for these channels, or for stereo.
    if let channels = requested.channels { settings.track.channelLayout = .standard(channels) }
    guard let factory = available?.all(.encoder).first(where: { $0.description == encoder }),
      let reason = available?.settingsProblem(factory, settings)
    else { return }
    let rate = section["bitrate"] ?? section["quality"] ?? section["passes"]
    guard let place = options ?? rate?.value else { return }
    report(reason, about: place, of: encoder)
  }

  /// Lets a filter check options that the schema accepts.
  mutating func askFilter(_ filter: AvailablePlugins.Factory, _ options: PresetNode) {
    let entries = options.entries.compactMap { entry in
      entry.value.text.map { PluginOption(entry.key, $0) }
    }
    guard !entries.isEmpty, let reason = available?.filterProblem(filter, entries) else { return }
    report(reason, about: options, of: filter.description)
  }

  /// Reports the reason for which a plugin does not accept options.
  private mutating func report(
    _ reason: String, about options: PresetNode, of plugin: FactoryDescription
  ) {
    let named = options.entries.first { reason.hasPrefix($0.key) }
    report(
      named?.value.place ?? options.place, reason,
      "`respool plugins show \(plugin.name)` lists the options")
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

extension AvailablePlugins {
  /// Returns advice on a name that no factory of a kind has: a plugin that is not used and may have it, and the nearest of
  /// the names that there are; `nil` if there is neither.
  fileprivate func advice(
    on name: String, _ kind: FactoryDescription.Kind, among names: [String]
  ) -> String? {
    let nearest = Spelling.nearest(to: name, among: names).map { "did you mean \($0)?" }
    guard let unused = unusable.explanation(for: kind, named: name) else { return nearest }
    return unused + (nearest.map { "; or \($0)" } ?? "")
  }
}
