import CRespool
public import RespoolMedia

/// The plugins that this program can use: found, described and checked, opened only when needed.
///
/// Usable from any thread.
public final class PluginRegistry: Sendable {
  /// The plugins of the standard search path, looked for when they are first needed.
  ///
  /// What takes a registry uses this one unless it is given another.
  public static let standard = PluginRegistry()

  /// Everything that was found, in the order of the search path: what works, failed, is shadowed.
  ///
  /// Plugins that were installed with this program and are gone come last, as failed.
  public let plugins: [PluginRecord]
  public let searchPath: PluginSearchPath
  /// Where descriptions are kept; nil: nowhere.
  public let cacheFolder: String?

  /// By kind, best first.
  private let ranked: [FactoryDescription.Kind: [PluginFactory]]

  /// Looks at the search path.
  ///
  /// A file that is new or has changed is described in a process of its own, within the seconds of
  /// `RESPOOL_PLUGIN_TIMEOUT` (5). `cacheFolder` nil stands for `$XDG_CACHE_HOME/respool`.
  /// `retriesFailures`: plugins that crashed or hung are tried again although they have not changed.
  public init(
    searchPath: PluginSearchPath = .standard, cacheFolder: String? = nil,
    retriesFailures: Bool = false
  ) {
    let cacheFolder = cacheFolder ?? Self.standardCacheFolder
    self.searchPath = searchPath
    self.cacheFolder = cacheFolder
    let found = PluginDiscovery(
      searchPath: searchPath, cacheFolder: cacheFolder, retriesFailures: retriesFailures
    ).run()
    plugins = found + searchPath.missingPlugins()
    var ranked: [FactoryDescription.Kind: [PluginFactory]] = [:]
    for plugin in plugins where plugin.status == .ok {
      for factory in plugin.provided {
        ranked[factory.description.kind, default: []].append(factory)
      }
    }
    self.ranked = ranked.mapValues { $0.sorted(by: Self.isBetter) }
  }

  /// `$XDG_CACHE_HOME/respool`; nil where there is no home folder.
  public static var standardCacheFolder: String? {
    PluginSearchPath.baseFolder("XDG_CACHE_HOME", inHome: ".cache").map { $0 + "/respool" }
  }

  /// The file in the cache folder.
  public var cachePath: String? { cacheFolder.map { $0 + "/" + DescriptionCache.fileName } }

  /// Receives what plugins report.
  ///
  /// Without one, standard error gets what the level in `RESPOOL_LOG` (error, warning, info, debug)
  /// asks for. Called on any thread.
  public static var logHandler: PluginLogHandler? {
    get { PluginHost.logHandler.withLock { $0 } }
    set { PluginHost.logHandler.withLock { $0 = newValue } }
  }

  /// What the working plugins provide of this kind, best first: by tier, then by name.
  public func factories(_ kind: FactoryDescription.Kind) -> [PluginFactory] { ranked[kind] ?? [] }

  /// Decoders that may take the track, best first, without opening any.
  ///
  /// Those that list its codec stand before those of their tier that only an open plugin can answer
  /// for (`anyCodec`).
  public func decoders(for track: TrackDescription) -> [PluginFactory] {
    let candidates = factories(.decoder)
    let tiers: [FactoryDescription.Tier] = [.preferred, .standard, .fallback]
    return tiers.flatMap { tier in
      let members = candidates.filter { $0.description.tier == tier }
      return members.filter { $0.description.codecs.contains(track.codec) }
        + members.filter {
          !$0.description.codecs.contains(track.codec) && $0.description.flags.contains(.anyCodec)
        }
    }
  }

  /// Encoders that make `codec`, best first.
  public func encoders(for codec: String) -> [PluginFactory] {
    factories(.encoder).filter { $0.description.codecs.contains(codec) }
  }

  /// The encoder of this name or alias, such as `x264`.
  public func encoder(named name: String) -> PluginFactory? {
    factories(.encoder).first { $0.description.name == name }
      ?? factories(.encoder).first { $0.description.aliases.contains(name) }
  }

  /// The muxer of this container name, alias or file extension, in this order.
  public func muxer(named name: String) -> PluginFactory? {
    let muxers = factories(.muxer)
    return muxers.first { $0.description.name == name }
      ?? muxers.first { $0.description.aliases.contains(name) }
      ?? muxers.first { $0.description.extensions.contains(name.lowercased()) }
  }

  private static func isBetter(_ a: PluginFactory, _ b: PluginFactory) -> Bool {
    if a.description.tier != b.description.tier { return a.description.tier < b.description.tier }
    if a.description.name != b.description.name { return a.description.name < b.description.name }
    return a.plugin.name < b.plugin.name
  }
}
