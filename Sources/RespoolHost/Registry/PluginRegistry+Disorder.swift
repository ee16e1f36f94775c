package import RespoolMedia

extension PluginRegistry {
  /// Plugins of the search path that do not work and that no working plugin of the same name replaces.
  package var pluginsOutOfOrder: [PluginRecord] { unusablePlugins.outOfOrder }

  /// Returns `error` with the plugins that do not work and may be its cause.
  ///
  /// For errors that no plugin reads a file or decodes a track. They become a `pluginFailure`, because the
  /// plugin that could do so may be one that does not work. Other errors are returned unchanged.
  package func explaining(_ error: MediaError) -> MediaError {
    let kind: FactoryDescription.Kind
    switch error.detail {
    case .fileFormatNotRecognized: kind = .demuxer
    case .decoderNotFound: kind = .decoder
    default: return error
    }
    // A disabled plugin is the user's choice, and whether it could read the file is unknown.
    let failed = UnusablePlugins(pluginsOutOfOrder)
    guard error.code == .unsupported, let reason = failed.explanation(for: kind) else {
      return error
    }
    return error.explained(by: reason)
  }
}

extension PluginRecord {
  /// A sentence with the reason why the plugin does not work, and the advice.
  package var disorder: String {
    "the plugin \(name) is out of order: \(reason ?? "it has failed")"
      + (advice.map { " (\(path); \($0))" } ?? " (\(path))")
  }
}

extension MediaError {
  /// Returns the error that something is missing, with the plugin that may have it, as a `pluginFailure`.
  package func explained(by reason: String?) -> MediaError {
    guard let reason else { return self }
    var error = self
    error.code = .pluginFailure
    error.message += "; " + reason
    return error
  }
}
