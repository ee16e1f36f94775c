import RespoolMedia

extension PluginRegistry {
  /// What presets are checked against; opens no plugin until a muxer has to be asked about a track.
  public var available: AvailablePlugins {
    let factories = FactoryDescription.Kind.allCases.flatMap { kind in
      self.factories(kind).map {
        AvailablePlugins.Factory(plugin: $0.plugin.name, description: $0.description)
      }
    }
    return AvailablePlugins(factories) { factory, track in
      guard let muxer = self.muxer(named: factory.description.name) else {
        return "no plugin writes \(factory.description.name)"
      }
      do throws(MediaError) {
        try self.checkMuxer(muxer, track: track)
        return nil
      } catch { return error.message }
    }
  }
}
