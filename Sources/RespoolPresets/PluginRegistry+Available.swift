import RespoolMedia

extension PluginRegistry {
  /// Factories against which presets are checked and resolved.
  ///
  /// Checking whether a muxer accepts a track opens the muxer's plugin.
  public var availablePlugins: AvailablePlugins { availablePlugins(askingEncoders: false) }

  /// Returns the factories against which presets are checked.
  ///
  /// - Parameter askingEncoders: `true` opens the encoder and the filters of a preset that have options, so
  ///   that a check finds what these refuse. This runs plugin code in this process.
  package func availablePlugins(askingEncoders: Bool) -> AvailablePlugins {
    AvailablePlugins(
      ranked: described,
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
      },
      filterProblem: { [self] filter, options in
        guard askingEncoders, let factory = factory(for: filter) else { return nil }
        return problem(filter: factory, options)
      },
      filtered: { [self] (filter, settings) throws(MediaError) in
        guard let factory = factory(for: filter) else {
          throw MediaError(
            .unsupported, "the filter \(filter.description.name) is not available")
        }
        return try openFilter(factory, settings).track
      },
      unusable: unusablePlugins)
  }

  /// Opens the filter for small synthetic video or audio.
  private func problem(filter: PluginFactory, _ options: [PluginOption]) -> String? {
    let isVideo = filter.description.filteredMedia == .video
    var track = TrackDescription(
      kind: isVideo ? .video : .audio, codec: "",
      timeBase: isVideo ? Rational(1, 25) : Rational(1, 48_000))
    if isVideo {
      (track.width, track.height) = (1920, 1080)
      (track.frameRate, track.baseFrameRate) = (Rational(25, 1), Rational(25, 1))
      track.sampleAspect = Rational(1, 1)
    } else {
      (track.sampleRate, track.channelLayout) = (48_000, .stereo)
    }
    do throws(MediaError) {
      let settings = FilterSettings(
        track: track.accepted(by: filter.description), options: options)
      _ = try openFilter(filter, settings)
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
