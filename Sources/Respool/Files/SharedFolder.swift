/// Folders of files that come with Respool and are not code.
package enum SharedFolder {
  /// `../share/respool/<name>` beside the executable's folder; else, for a program that was built and not
  /// installed, `source` of the package that it lies in; nil where neither is there.
  package static func find(_ name: String, source: String) -> String? {
    guard let folder = PluginSearchPath.executableFolder else { return nil }
    let shared = PluginSearchPath.parent(of: folder) + "/share/respool/" + name
    if fileExists(shared) { return shared }
    var package = folder
    while package != "/", package != "." {
      let found = package + "/" + source
      if fileExists(package + "/Package.swift"), fileExists(found) { return found }
      package = PluginSearchPath.parent(of: package)
    }
    return nil
  }
}
