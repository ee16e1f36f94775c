/// Names and versions of plugins as text, such as `Opus 1.0, Wave 1.0`.
enum PluginVersions {
  /// Returns the text for the plugins that are in `versions`.
  static func text(of names: [String], in versions: [String: String]) -> String {
    names.sorted().compactMap { name in versions[name].map { "\(name) \($0)" } }
      .joined(separator: ", ")
  }

  /// Returns a sentence about a plugin of the text that has another version now; `nil` if there is none.
  ///
  /// A plugin that is no longer present is no change: nothing could be made with it.
  static func change(of text: String, to versions: [String: String]) -> String? {
    for part in text.split(separator: ", ") {
      guard let space = part.lastIndex(of: " ") else { continue }
      let (name, before) = (String(part[..<space]), part[part.index(after: space)...])
      guard let now = versions[name], now != before else { continue }
      return "the plugin \(name) has changed from version \(before) to \(now)"
    }
    return nil
  }
}
