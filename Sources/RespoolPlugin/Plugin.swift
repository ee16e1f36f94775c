/// A plugin: its name and what it provides.
///
/// Every plugin needs this function besides its types:
///
///     @c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
///       Plugin(name: "mine", version: "1.0.0", license: "MIT", decoders: [MyDecoder.self])
///         .table(for: host)
///     }
public struct Plugin {
  /// Name, unique among plugins.
  ///
  /// If two have the same name, the first on the search path is used.
  public var name: String
  /// The plugin's own version, `1.2.3`.
  public var version: String
  /// SPDX license expression of the plugin and the libraries that it links.
  public var license: String
  public var demuxers: [any Demuxer.Type]
  public var decoders: [any Decoder.Type]
  public var encoders: [any Encoder.Type]
  public var muxers: [any Muxer.Type]
  public var filters: [any Filter.Type]

  public init(
    name: String, version: String, license: String, demuxers: [any Demuxer.Type] = [],
    decoders: [any Decoder.Type] = [], encoders: [any Encoder.Type] = [],
    muxers: [any Muxer.Type] = [], filters: [any Filter.Type] = []
  ) {
    self.name = name
    self.version = version
    self.license = license
    self.demuxers = demuxers
    self.decoders = decoders
    self.encoders = encoders
    self.muxers = muxers
    self.filters = filters
  }
}
