import Glibc
import RespoolMedia

/// Crashes and hangs of plugins in jobs, kept in a text file for `respool doctor`.
///
/// Each line has the time in seconds since 1970, size and modification time of the plugin's file, its path, the file
/// that was converted and the reason, separated by tabs.
package struct PluginCrashes: Sendable {
  /// One crash or hang.
  package struct Crash: Equatable, Sendable {
    /// Path of the plugin's file.
    package var plugin: String
    /// Seconds since 1970.
    package var time: Int64
    /// File that was converted.
    package var file: String
    /// Part of a sentence: `was killed by signal 11 in encode (encoder.c:12) of the plugin X`.
    package var reason: String

    package init(plugin: String, time: Int64, file: String, reason: String) {
      (self.plugin, self.time, self.file, self.reason) = (plugin, time, file, reason)
    }
  }

  private let path: String
  /// Size of the file above which only its newer half is kept.
  private static let maximumSize = 64 << 10

  /// Creates the list in the registry's cache folder; `nil` if it has none.
  package init?(_ registry: PluginRegistry) {
    guard let folder = registry.cacheFolder else { return nil }
    path = folder + "/crashes"
  }

  /// Adds a crash; a list that cannot be written stays as it is.
  package func add(_ crash: Crash) {
    guard let library = LibraryIdentity(ofFileAt: crash.plugin) else { return }
    let fields = [
      "\(crash.time)", "\(library.size)", "\(library.modified)", crash.plugin, crash.file,
      crash.reason,
    ]
    let line = fields.map(Self.withoutSeparators).joined(separator: "\t") + "\n"
    var lines = self.lines
    while !lines.isEmpty,
      lines.reduce(line.utf8.count, { $0 + $1.utf8.count + 1 }) > Self.maximumSize
    {
      lines.removeFirst(lines.count / 2 + 1)
    }
    try? TextFile.write(lines.map { $0 + "\n" }.joined() + line, to: path)
  }

  /// Returns the crashes of plugins whose files have not changed since, the oldest first.
  package func ofUnchangedPlugins() -> [Crash] {
    lines.compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 6, let time = Int64(fields[0]),
        let library = LibraryIdentity(ofFileAt: fields[3]),
        fields[1] == "\(library.size)", fields[2] == "\(library.modified)"
      else { return nil }
      return Crash(plugin: fields[3], time: time, file: fields[4], reason: fields[5])
    }
  }

  private var lines: [Substring] {
    ((try? TextFile.read(path, called: "list of crashes")) ?? "").split(separator: "\n")
  }

  /// Returns the text without the separators of the list, and not longer than a path may be.
  private static func withoutSeparators(_ text: String) -> String {
    String(text.prefix(4096).map { $0 == "\t" || $0.isNewline ? " " : $0 })
  }
}
