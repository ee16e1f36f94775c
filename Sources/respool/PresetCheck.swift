import Respool
import RespoolBatch
import RespoolMedia

/// The check of a preset before folders are converted with it.
enum PresetCheck {
  /// Returns the plugins, after a check of the preset.
  ///
  /// An error is reported here once, with its own message, instead of by every worker.
  static func registry(for preset: String) throws(MediaError) -> PluginRegistry {
    let registry = PluginRegistry()
    do throws(MediaError) {
      let found = try PresetLibrary.standard.preset(preset, available: registry.availablePlugins)
      try PresetCheckingProcess.check(found, called: preset)
    } catch {
      // The preset may be valid again when the plugin that it needs works.
      for plugin in registry.pluginsOutOfOrder { CommandError.note("warning: \(plugin.disorder)") }
      throw error
    }
    return registry
  }
}
