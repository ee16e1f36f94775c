package import RespoolMedia

/// Plugins of the search path that are not used: those that do not work, and those that the user has disabled.
///
/// A message that something is missing names the one that may have it.
package struct UnusablePlugins: Sendable {
  /// Records with the status `failed` or `disabled`.
  let records: [PluginRecord]

  package init(_ records: [PluginRecord] = []) { self.records = records }

  /// Finds the plugins among all of the search path that are not used.
  init(of plugins: [PluginRecord]) {
    let working = Set(plugins.lazy.filter { $0.status != .failed }.map(\.name))
    records =
      plugins.filter { $0.status == .failed && !working.contains($0.name) }
      + plugins.filter { $0.status == .disabled }
  }

  /// Records of plugins that do not work, although no working plugin of the same name replaces them.
  var outOfOrder: [PluginRecord] { records.filter { $0.status == .failed } }

  /// Returns a sentence about the plugin that may have a missing factory; `nil` if there is none.
  ///
  /// A disabled plugin counts if one of its factories is `suitable`. The factories of a plugin that does not work
  /// are unknown, so that any such plugin may have it.
  package func explanation(
    for kind: FactoryDescription.Kind, where suitable: (FactoryDescription) -> Bool = { _ in true }
  ) -> String? {
    explanation { $0.factories.contains { $0.kind == kind && suitable($0) } }
  }

  /// Returns a sentence about the plugin that may have the factory of a name, an alias or `Plugin/name`.
  package func explanation(for kind: FactoryDescription.Kind, named name: String) -> String? {
    let owner = name.split(separator: "/").first?.lowercased()
    if let plugin = records.first(where: { $0.status == .failed && $0.name.lowercased() == owner })
    {
      return plugin.disorder
    }
    return explanation { record in
      record.factories.filter { $0.kind == kind }
        .factory(named: name, by: \.self, plugin: { _ in record.name }) != nil
    }
  }

  private func explanation(suitable: (PluginRecord) -> Bool) -> String? {
    if let plugin = records.first(where: { $0.status == .disabled && suitable($0) }) {
      return "the plugin \(plugin.name) has one, but is disabled"
        + (plugin.advice.map { " (\($0))" } ?? "")
    }
    let failed = records.filter { $0.status == .failed }
    guard let first = failed.first else { return nil }
    guard failed.count > 1 else { return first.disorder }
    let others = (failed.count - 1).counting("more plugin", "is", "are")
    return first.disorder + "; \(others) out of order (respool doctor)"
  }
}
