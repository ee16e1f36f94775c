import RespoolMedia

extension PluginSearchPath {
  /// Returns records of plugins that were installed with this program and are missing.
  ///
  /// `make install` writes the list of its files to `share/respool/installed-files`. Installations whose
  /// plugins are not on the search path are skipped.
  func missingPlugins() -> [PluginRecord] {
    Installation.folders.flatMap { folder -> [PluginRecord] in
      let prefix = Self.parent(of: folder)
      guard folders.contains(where: { $0.path == prefix + "/lib/respool" }) else { return [] }
      return Self.missingPlugins(below: prefix)
    }
  }

  /// Returns records of plugins that the list of an installation contains and that are missing.
  ///
  /// Empty for an installation without a list.
  static func missingPlugins(below prefix: String) -> [PluginRecord] {
    let list = prefix + "/share/respool/installed-files"
    guard fileExists(list), let text = try? TextFile.read(list, called: "list of files") else {
      return []
    }
    return text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("./lib/respool/librespool-"), line.hasSuffix(".so") else { return nil }
      let path = prefix + line.dropFirst()
      guard !fileExists(path) else { return nil }
      return PluginRecord(
        name: PluginRecord.name(ofFile: path), path: path, status: .failed,
        reason: "the installed file is missing", advice: "install Respool again")
    }
  }
}
