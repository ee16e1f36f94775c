/// Names and versions of plugins as text, such as `Opus 1.0, Wave 1.0`.
enum PluginVersions {
  /// Returns the text for the plugins that are in `versions`.
  static func text(of names: [String], in versions: [String: String]) -> String {
    names.sorted().compactMap { name in versions[name].map { "\(name) \($0)" } }
      .joined(separator: ", ")
  }

  /// Name in the text of the files of subtitles beside the source, which no plugin has.
  private static let subtitles = "subtitle-files"

  /// Returns a text with the files of subtitles of which an output was made.
  static func text(_ text: String, with mark: SubtitleMark) -> String {
    (text.isEmpty ? "" : text + ", ") + "\(subtitles) \(mark)"
  }

  /// Returns the files of subtitles in a text; `nil` if it does not have them.
  static func subtitles(in text: String) -> SubtitleMark? {
    text.split(separator: ", ").last { $0.hasPrefix(subtitles + " ") }
      .flatMap { SubtitleMark($0.dropFirst(subtitles.count + 1)) }
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
