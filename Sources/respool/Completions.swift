import ArgumentParser
import Respool

/// Completions that a shell offers after TAB and that depend on the machine.
enum Completions {
  /// Names of presets.
  ///
  /// Paths have no completion.
  static let presets = CompletionKind.custom { _, _, _ in
    PresetLibrary.standard.entries().filter { $0.shadowedBy == nil }.map(\.name)
  }

  /// Names of plugins, and of the containers, decoders and encoders in them.
  static let plugins = CompletionKind.custom { _, _, _ in
    var seen: Set<String> = []
    return PluginRegistry().plugins.flatMap { plugin in
      [plugin.name] + plugin.factories.map(\.name)
    }.filter { seen.insert($0).inserted && !$0.contains(",") }
  }
}
