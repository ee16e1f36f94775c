package import RespoolMedia

extension PluginRegistry {
  /// The plugins of the search path that do not work and that no other plugin of their name replaces.
  public var pluginsOutOfOrder: [PluginRecord] {
    let working = Set(plugins.lazy.filter { $0.status != .failed }.map(\.name))
    return plugins.filter { $0.status == .failed && !working.contains($0.name) }
  }

  /// `error` with the plugin that is out of order and may be its cause.
  ///
  /// For errors that say that no plugin reads a file or decodes a track. They become a `pluginFailure`: the
  /// plugin that does may be the one that cannot be used. Other errors are returned as they are.
  package func explaining(_ error: MediaError) -> MediaError {
    switch error.detail {
    case .fileFormatNotRecognized, .decoderNotFound: break
    default: return error
    }
    guard error.code == .unsupported, let plugin = pluginsOutOfOrder.first else { return error }
    var error = error
    error.code = .pluginFailure
    error.message += "; " + plugin.disorder
    return error
  }
}

extension PluginRecord {
  /// A sentence that says why the plugin does not work, and what to do about it.
  public var disorder: String {
    "the plugin \(name) is out of order: \(reason ?? "it has failed")"
      + (advice.map { " (\(path); \($0))" } ?? " (\(path))")
  }
}
