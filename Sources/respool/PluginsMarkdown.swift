import Respool
import RespoolMedia

/// What the plugins can do as a table in Markdown, for the README.
enum PluginsMarkdown {
  static func text(_ plugins: [PluginRecord]) -> String {
    var rows = [["", "name", "what", "files or codecs", "plugin", "licence"]]
    for kind in FactoryDescription.Kind.allCases {
      let provided = plugins.filter { $0.status == .ok }.flatMap(\.provided)
        .filter { $0.description.kind == kind }
        .sorted { order($0) < order($1) }
      rows += provided.map { row($0) }
    }
    let lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
    return
      ([lines[0], "|" + String(repeating: " --- |", count: rows[0].count)] + lines.dropFirst())
      .joined(separator: "\n")
  }

  private static func order(_ factory: PluginFactory) -> (UInt32, String, String) {
    (factory.description.tier.rawValue, factory.description.name, factory.plugin.name)
  }

  private static func row(_ factory: PluginFactory) -> [String] {
    let description = factory.description
    let verb =
      switch description.kind {
      case .demuxer: "reads"
      case .decoder: "decodes"
      case .encoder: "encodes"
      case .muxer: "writes"
      }
    let isContainer = description.kind == .demuxer || description.kind == .muxer
    var handled = isContainer ? description.extensions : description.codecs
    if handled.count > 8 { handled = handled.prefix(8) + ["and \(handled.count - 8) more"] }
    if description.tier == .fallback { handled = ["what no other plugin \(verb)"] }
    return [
      verb, description.name, description.longName, handled.joined(separator: ", "),
      factory.plugin.name, factory.plugin.license,
    ].map { $0.replacing("|", with: "\\|") }
  }
}
