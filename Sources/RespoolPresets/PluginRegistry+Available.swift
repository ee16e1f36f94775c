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
      optionProblem: { [self] encoder, codec, options in
        guard askingEncoders, let factory = factory(for: encoder) else { return nil }
        return optionProblem(factory, codec, options)
      })
  }

  /// Opens the encoder for small synthetic video or audio, which every encoder accepts.
  private func optionProblem(
    _ encoder: PluginFactory, _ codec: String, _ options: [PluginOption]
  ) -> String? {
    let description = encoder.description
    let isVideo = !description.pixelFormats.isEmpty
    var track = TrackDescription(
      kind: isVideo ? .video : .audio, codec: codec,
      timeBase: isVideo ? Rational(1, 25) : Rational(1, 48_000))
    if isVideo {
      (track.width, track.height) = (640, 360)
      (track.frameRate, track.baseFrameRate) = (Rational(25, 1), Rational(25, 1))
      track.pixelFormat = description.pixelFormats.first ?? .yuv420p
      track.sampleAspect = Rational(1, 1)
    } else {
      let rates = description.sampleRates
      track.sampleRate = rates.isEmpty || rates.contains(48_000) ? 48_000 : rates.max() ?? 48_000
      track.timeBase = Rational(1, Int32(clamping: track.sampleRate))
      track.sampleFormat = description.sampleFormats.first ?? .s16
      track.channelLayout = description.channelLayouts.first ?? .stereo
    }
    do throws(MediaError) {
      _ = try openEncoder(encoder, EncoderSettings(track: track, options: options))
      return nil
    } catch {
      // Other failures, such as a missing library, are not errors of the preset.
      return error.code == .invalidArgument ? error.message : nil
    }
  }

  /// Returns the factory to open for one that settings name.
  package func factory(for choice: AvailablePlugins.Factory) -> PluginFactory? {
    factories(choice.description.kind).first {
      $0.plugin.name == choice.plugin && $0.description == choice.description
    }
  }
}
