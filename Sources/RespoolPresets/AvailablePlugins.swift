public import RespoolHost
public import RespoolMedia

/// Factories of the plugins that are present, against which presets are checked and resolved.
///
/// A value, so that resolving needs no open plugin. ``PluginRegistry`` creates it with `availablePlugins`.
public struct AvailablePlugins: Sendable {
  public typealias Factory = DescribedFactory

  private let ranked: RankedFactories
  /// Plugins that are not used, of which one may have what is missing.
  package let unusable: UnusablePlugins

  /// Reason why a muxer does not accept a track; `nil` if it does.
  ///
  /// Asks the plugin if there is one. The description alone does not show whether a codec's configuration
  /// record has the form that the container needs.
  public let refusal: @Sendable (Factory, TrackDescription) -> String?

  /// Reason why an encoder does not accept settings; `nil` if it does.
  ///
  /// Asks the plugin. `nil` for all settings unless ``PluginRegistry/availablePlugins(askingEncoders:)`` made
  /// this value.
  let settingsProblem: @Sendable (Factory, EncoderSettings) -> String?

  /// Reason why a filter does not accept options; `nil` if it does.
  ///
  /// Opens the filter. `nil` for all options unless ``PluginRegistry/availablePlugins(askingEncoders:)`` made
  /// this value.
  let filterProblem: @Sendable (Factory, [PluginOption]) -> String?

  /// Description of the frames that come out of a filter, which is opened for this.
  ///
  /// Throws the error of the filter if it does not accept the options or the frames.
  let filtered: @Sendable (Factory, FilterSettings) throws(MediaError) -> TrackDescription

  public init(
    _ factories: [Factory],
    refusal: @escaping @Sendable (Factory, TrackDescription) -> String? = { _, _ in nil }
  ) {
    self.init(ranked: RankedFactories(factories), refusal: refusal) { _, _ in nil }
  }

  package init(
    ranked: RankedFactories,
    refusal: @escaping @Sendable (Factory, TrackDescription) -> String?,
    settingsProblem: @escaping @Sendable (Factory, EncoderSettings) -> String?,
    filterProblem: @escaping @Sendable (Factory, [PluginOption]) -> String? = { _, _ in nil },
    filtered: @escaping @Sendable (Factory, FilterSettings) throws(MediaError) -> TrackDescription =
      {
        (_, settings) throws(MediaError) in settings.track
      },
    unusable: UnusablePlugins = .init()
  ) {
    self.unusable = unusable
    (self.settingsProblem, self.filterProblem) = (settingsProblem, filterProblem)
    self.filtered = filtered
    self.ranked = ranked
    self.refusal = refusal
  }

  /// All factories, by kind, best first.
  package var factories: [Factory] { FactoryDescription.Kind.allCases.flatMap { all($0) } }

  /// Returns the factories of a kind, best first.
  package func all(_ kind: FactoryDescription.Kind) -> [Factory] {
    ranked[kind]
  }

  /// Returns the filters of video or audio, best first.
  package func filters(of media: Frame.Kind) -> [Factory] {
    all(.filter).filter { $0.description.filteredMedia == media }
  }

  /// Returns the muxer of a container name, an alias or a file extension.
  public func muxer(named name: String) -> Factory? {
    ranked.factory(.muxer, named: name)
  }

  /// Returns the encoder whose name or alias is `name`, or `Plugin/name`.
  public func encoder(named name: String) -> Factory? {
    ranked.factory(.encoder, named: name)
  }

  /// Returns the decoder whose name or alias is `name`, or `Plugin/name`.
  public func decoder(named name: String) -> Factory? {
    ranked.factory(.decoder, named: name)
  }

  /// Returns encoders of `codec`, best first.
  public func encoders(for codec: String) -> [Factory] {
    all(.encoder).filter { $0.description.codecs.contains(codec) }
  }

  /// Returns decoders of `codec`, best first.
  ///
  /// A name with capital letters is the identifier of a container for a codec that its plugin does not know. FFmpeg's
  /// names, which decoders of any codec look up, have none.
  public func decoders(for codec: String) -> [Factory] {
    let isName = !codec.isEmpty && !codec.utf8.contains { (0x41...0x5A).contains($0) }
    return all(.decoder).filter {
      $0.description.codecs.contains(codec) || isName && $0.description.flags.contains(.anyCodec)
    }
  }

  /// Returns the reason why `muxer` does not accept `track`; `nil` if it does.
  package func refusal(of muxer: Factory, for track: TrackDescription) -> String? {
    guard track.furtherSampleDescriptions.isEmpty || muxer.description.flags.contains(.keepsFormats)
    else {
      return "the track has \(track.sampleDescriptions.count) sample descriptions, and "
        + "\(muxer.description.name) cannot store several"
    }
    return track.sampleDescriptions.lazy.compactMap { refusal(of: muxer, forFormat: $0) }.first
  }

  private func refusal(of muxer: Factory, forFormat track: TrackDescription) -> String? {
    let description = muxer.description
    guard
      description.codecs.contains(track.codec)
        || description.flags.contains(.anyCodec) && !track.codec.isEmpty
    else {
      if track.kind == .attachment {
        return "\(description.name) cannot store attached files"
      }
      return "\(description.name) does not carry \(track.codecLabel)"
    }
    return refusal(muxer, track)
  }
}
