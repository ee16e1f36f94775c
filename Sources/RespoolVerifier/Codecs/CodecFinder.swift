import RespoolHost
import RespoolMedia

/// The factories that checks of a plugin may use: its own, and those of the plugins that are installed.
struct CodecFinder {
  let plugin: PluginRecord
  private let registry = PluginRegistry.standard

  init(plugin: PluginRecord) { self.plugin = plugin }

  /// The plugin's own factories of a kind.
  func own(_ kind: FactoryDescription.Kind) -> [PluginFactory] {
    plugin.provided.filter { $0.description.kind == kind }
  }

  /// Returns factories of other plugins, best first.
  private func others(_ factories: [PluginFactory]) -> [PluginFactory] {
    factories.filter { $0.plugin.name != plugin.name }
  }

  /// Returns decoders that accept the track, those of other plugins first, because they are independent.
  func decoders(_ track: TrackDescription) -> [PluginFactory] {
    let found = others(registry.decoders(for: track)) + own(.decoder)
    return found.filter { factory in
      (try? DecoderInstance.supports(factory, track)) == true
    }
  }

  /// Returns an encoder of the codec and a first format: the plugin's own if it has one.
  func encoder(_ codec: String) -> PluginFactory? {
    own(.encoder).first { $0.description.codecs.contains(codec) }
      ?? others(registry.encoders(for: codec)).first
  }

  /// Returns demuxers of the plugin, then the one that the host chooses for a file.
  func demuxers(_ source: FileSource, of muxer: FactoryDescription) -> [PluginFactory] {
    // A plugin may read one format and write another.
    var found = own(.demuxer).filter {
      let extensions = $0.description.extensions
      return extensions.isEmpty || !Set(extensions).isDisjoint(with: muxer.extensions)
    }
    if let chosen = try? registry.openDemuxer(source).factory,
      !found.contains(where: { $0.description.name == chosen.description.name })
    {
      found.append(chosen)
    }
    return found
  }

  /// Returns muxers whose files a demuxer may read: the plugin's own first.
  func muxers(for demuxer: FactoryDescription) -> [PluginFactory] {
    let all = own(.muxer) + others(registry.factories(.muxer))
    return all.filter { factory in
      !Set(factory.description.extensions).isDisjoint(with: demuxer.extensions)
        || factory.description.name == demuxer.name
    }
  }

  /// Returns muxers of other formats than a demuxer lists, without those of fallbacks.
  func foreignMuxers(for demuxer: FactoryDescription) -> [PluginFactory] {
    let known = Set(muxers(for: demuxer).map(\.description.name))
    return registry.factories(.muxer).filter {
      !known.contains($0.description.name) && $0.description.tier != .fallback
    }
  }

  /// Returns the first demuxer of another plugin that reads tracks in a file, opened; fallbacks come last.
  func peer(_ source: FileSource) -> DemuxerInstance? {
    for factory in others(registry.factories(.demuxer)) {
      guard
        let demuxer = try? DemuxerInstance(factory, FileSource(again: source), reason: ""),
        demuxer.media.tracks.contains(where: { $0.kind == .video || $0.kind == .audio })
      else { continue }
      return demuxer
    }
    return nil
  }

  /// Returns `true` if a muxer accepts the track.
  func accepts(_ muxer: PluginFactory, _ track: TrackDescription) -> Bool {
    (try? registry.checkMuxer(muxer, track: track)) != nil
  }

  /// Opens a file with the demuxer that the host chooses.
  func open(_ source: FileSource) throws(MediaError) -> DemuxerInstance {
    try registry.openDemuxer(source, for: .copying)
  }
}

extension EncoderInput {
  /// Returns the inputs that a factory lists, one for each format.
  static func all(of factory: FactoryDescription, _ codec: String) -> [EncoderInput] {
    if !factory.pixelFormats.isEmpty { return factory.pixelFormats.map { .video(codec, $0) } }
    let rate = factory.sampleRates.contains(48000) ? 48000 : factory.sampleRates.first ?? 48000
    let counts = factory.channelCounts ?? 1...64
    let layout =
      factory.channelLayouts.contains(.stereo) || factory.channelLayouts.isEmpty
      ? ChannelLayout.standard(min(max(2, counts.lowerBound), counts.upperBound))
      : factory.channelLayouts.first ?? .stereo
    return (factory.sampleFormats.isEmpty ? [.s16] : factory.sampleFormats).map {
      .audio(codec, $0, rate: rate, layout: layout)
    }
  }
}
