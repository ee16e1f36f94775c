import CRespool
public import RespoolMedia

/// The plugins that this program can use: found, described and checked, and opened only when needed.
///
/// Usable from any thread.
public final class PluginRegistry: Sendable {
  /// The plugins of the standard search path, which is searched on first use.
  ///
  /// It is the default of all parameters that take a registry.
  public static let standard = PluginRegistry()

  /// All plugins found, in the order of the search path: working, failed and shadowed ones.
  ///
  /// Plugins that were installed with this program and are missing come last, as failed.
  public let plugins: [PluginRecord]
  public let searchPath: PluginSearchPath
  /// Folder in which descriptions are stored; `nil` if they are not stored.
  public let cacheFolder: String?

  /// The user's choices among plugins.
  public let choices: PluginChoices
  /// Choices that have no effect, one sentence each.
  public let problemsOfChoices: [String]

  /// Factories by kind, best first.
  private let ranked: [FactoryDescription.Kind: [PluginFactory]]
  /// Descriptions of `ranked`.
  package let described: RankedFactories
  /// Plugins that are not used although no working plugin of the same name replaces them.
  package let unusablePlugins: UnusablePlugins
  /// Settings that encoders have accepted.
  package let acceptedSettings = AcceptedSettings()
  /// Names of decoders that come first, by media type.
  private let decoders: [TrackDescription.Kind: String]

  /// Searches the search path.
  ///
  /// A new or changed file is described in a process of its own, within the seconds of
  /// `RESPOOL_PLUGIN_TIMEOUT` (default: 5). If `cacheFolder` is `nil`, `$XDG_CACHE_HOME/respool` is used.
  /// If `retriesFailures` is `true`, plugins that crashed or hung are tried again although they have not
  /// changed. `choices` are the user's choices among the plugins that are found.
  public init(
    searchPath: PluginSearchPath = .standard, cacheFolder: String? = nil,
    retriesFailures: Bool = false, choices: PluginChoices = .standard
  ) {
    let cacheFolder = cacheFolder ?? Self.standardCacheFolder
    self.searchPath = searchPath
    self.cacheFolder = cacheFolder
    let found = PluginDiscovery(
      searchPath: searchPath, cacheFolder: cacheFolder, retriesFailures: retriesFailures
    ).run()
    self.choices = choices
    decoders = [:]
    plugins = choices.applied(to: found) + searchPath.missingPlugins()
    problemsOfChoices = choices.problems(with: plugins)
    unusablePlugins = UnusablePlugins(of: plugins)
    ranked = Dictionary(grouping: plugins.filter { $0.status == .ok }.flatMap(\.provided)) {
      $0.description.kind
    }.mapValues { $0.sorted(by: Self.isBetter) }
    described = RankedFactories(
      sorted: ranked.mapValues {
        $0.map { DescribedFactory(plugin: $0.plugin.name, description: $0.description) }
      })
  }

  /// Creates a registry with the plugins of `other`, in which some decoders come first.
  private init(_ other: PluginRegistry, decoders: [TrackDescription.Kind: String]) {
    (plugins, searchPath, cacheFolder) = (other.plugins, other.searchPath, other.cacheFolder)
    (choices, problemsOfChoices) = (other.choices, other.problemsOfChoices)
    (ranked, described, self.decoders) = (other.ranked, other.described, decoders)
    unusablePlugins = other.unusablePlugins
  }

  /// Returns a registry with the same plugins, in which the named decoder of a media type comes before all others.
  ///
  /// A name is that of a decoder, an alias, or `Plugin/name`.
  package func preferring(decoders: [TrackDescription.Kind: String]) -> PluginRegistry {
    decoders.isEmpty ? self : PluginRegistry(self, decoders: decoders)
  }

  /// Default cache folder, `$XDG_CACHE_HOME/respool`; `nil` if there is no home folder.
  public static var standardCacheFolder: String? {
    PluginSearchPath.baseFolder("XDG_CACHE_HOME", inHome: ".cache").map { $0 + "/respool" }
  }

  /// Path of the cache file in the cache folder.
  public var cachePath: String? { cacheFolder.map { $0 + "/" + DescriptionCache.fileName } }

  /// Handler of the messages of plugins.
  ///
  /// Called on any thread. `nil` writes messages up to the level in `RESPOOL_LOG` (error, warning, info,
  /// debug) to standard error.
  public static var logHandler: PluginLogHandler? {
    get { PluginHost.logHandler.withLock { $0 } }
    set { PluginHost.logHandler.withLock { $0 = newValue } }
  }

  /// Returns the factories of this kind of all working plugins, best first: by tier, then by name.
  public func factories(_ kind: FactoryDescription.Kind) -> [PluginFactory] { ranked[kind] ?? [] }

  /// Returns decoders that may accept the track, best first, without opening any.
  ///
  /// Within a tier, decoders that list the codec come before those that only an open plugin can check
  /// (`anyCodec`). A decoder that a preset names comes first.
  public func decoders(for track: TrackDescription) -> [PluginFactory] {
    let candidates = factories(.decoder)
    let ordered = FactoryDescription.Tier.allCases.flatMap { tier in
      let members = candidates.filter { $0.description.tier == tier }
      return members.filter { $0.description.codecs.contains(track.codec) }
        + members.filter {
          !$0.description.codecs.contains(track.codec) && $0.description.flags.contains(.anyCodec)
        }
    }
    guard let name = decoders[track.kind] else { return ordered }
    return ordered.filter { $0.isNamed(name) } + ordered.filter { !$0.isNamed(name) }
  }

  /// Returns encoders of `codec`, best first.
  public func encoders(for codec: String) -> [PluginFactory] {
    factories(.encoder).filter { $0.description.codecs.contains(codec) }
  }

  /// Returns the encoder of this name or alias, such as `x264`, or `Plugin/name`, such as `X264/x264`.
  public func encoder(named name: String) -> PluginFactory? {
    factories(.encoder).factory(named: name, by: \.description, plugin: \.plugin.name)
  }

  /// Returns the filter of this name or alias and media, such as `bwdif`.
  public func filter(named name: String, of media: Frame.Kind) -> PluginFactory? {
    factories(.filter).filter { $0.description.filteredMedia == media }
      .factory(named: name, by: \.description, plugin: \.plugin.name)
  }

  /// Returns the muxer of this container name, alias or file extension, in this order.
  public func muxer(named name: String) -> PluginFactory? {
    factories(.muxer).factory(named: name, by: \.description, plugin: \.plugin.name)
  }

  private static func isBetter(_ a: PluginFactory, _ b: PluginFactory) -> Bool {
    if a.description.tier != b.description.tier { return a.description.tier < b.description.tier }
    if a.description.name != b.description.name { return a.description.name < b.description.name }
    return a.plugin.name < b.plugin.name
  }
}
