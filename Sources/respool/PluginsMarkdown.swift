import Respool
import RespoolMedia

/// Table in Markdown of what the plugins support, for the README.
enum PluginsMarkdown {
  static func text(_ plugins: [PluginRecord]) -> String {
    let titles = ["plugin", "reads", "writes", "decodes", "encodes", "filters", "license"]
    var lines = [line(titles), "|" + String(repeating: " --- |", count: titles.count)]
    for plugin in plugins.filter({ $0.status == .ok })
      .sorted(by: { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) })
    {
      lines.append(
        line([
          plugin.name, handled(plugin, .demuxer), handled(plugin, .muxer),
          handled(plugin, .decoder), handled(plugin, .encoder), handled(plugin, .filter),
          plugin.license,
        ]))
    }
    return lines.joined(separator: "\n")
  }

  private static func line(_ cells: [String]) -> String {
    "|" + cells.map { $0.isEmpty ? " |" : " " + $0.replacing("|", with: "\\|") + " |" }.joined()
  }

  /// Returns the extensions of containers, the names of codecs, or those of filters.
  private static func handled(_ plugin: PluginRecord, _ kind: FactoryDescription.Kind) -> String {
    let factories = plugin.factories.filter { $0.kind == kind }
    let isContainer = kind == .demuxer || kind == .muxer
    var words: [String] = []
    for factory in factories {
      let named =
        isContainer ? factory.extensions : kind == .filter ? [factory.name] : factory.codecs
      for word in named where !words.contains(word) {
        words.append(word)
      }
    }
    if words.count > 9 { words = words.prefix(8) + ["\(words.count - 8) more"] }
    // A list of everything that such a plugin supports would fill pages.
    if words.isEmpty, !factories.isEmpty { return "nearly everything else" }
    return words.joined(separator: ", ")
  }
}
