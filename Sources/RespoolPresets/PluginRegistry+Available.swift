import RespoolMedia

extension PluginRegistry {
  /// Factories against which presets are checked and resolved.
  ///
  /// Checking whether a muxer accepts a track opens the muxer's plugin.
  public var availablePlugins: AvailablePlugins { availablePlugins(askingEncoders: false) }

  /// Returns the factories against which presets are checked.
  ///
  /// - Parameter askingEncoders: `true` opens the encoder of a preset that has options for it, so that a
  ///   check finds what the encoder refuses. This runs plugin code in this process.
  package func availablePlugins(askingEncoders: Bool) -> AvailablePlugins {
    let factories = FactoryDescription.Kind.allCases.flatMap { self.factories($0) }
    return AvailablePlugins(
      factories.map { .init(plugin: $0.plugin.name, description: $0.description) },
      refusal: { [self] muxer, track in
        guard let factory = factory(for: muxer) else { return "the muxer is not available" }
        do throws(MediaError) {
          try checkMuxer(factory, track: track)
          return nil
        } catch {
          return error.message
        }
      },
      settingsProblem: { [self] encoder, settings in
        guard askingEncoders, let factory = factory(for: encoder) else { return nil }
        do throws(MediaError) {
          try factory.checkEncoder(settings)
          return nil
        } catch {
          // Other failures, such as a missing library, are not errors of the preset.
          return error.code == .invalidArgument ? error.message : nil
        }
      })
  }

  /// Returns the factory to open for one that settings name.
  package func factory(for choice: AvailablePlugins.Factory) -> PluginFactory? {
    factories(choice.description.kind).first {
      $0.plugin.name == choice.plugin && $0.description == choice.description
    }
  }
}
