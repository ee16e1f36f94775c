import RespoolMedia

extension PluginRegistry {
  /// What presets are checked against and resolved with.
  ///
  /// Asking whether a muxer takes a track opens the muxer's plugin.
  public var availablePlugins: AvailablePlugins {
    let factories = FactoryDescription.Kind.allCases.flatMap { self.factories($0) }
    return AvailablePlugins(
      factories.map { .init(plugin: $0.plugin.name, description: $0.description) }
    ) { [self] muxer, track in
      guard let factory = factory(for: muxer) else { return "the muxer is not there" }
      do throws(MediaError) {
        try checkMuxer(factory, track: track)
        return nil
      } catch {
        return error.message
      }
    }
  }

  /// The factory to open for one that settings name.
  public func factory(for choice: AvailablePlugins.Factory) -> PluginFactory? {
    factories(choice.description.kind).first {
      $0.plugin.name == choice.plugin && $0.description == choice.description
    }
  }
}
