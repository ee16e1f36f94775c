package import RespoolHost

/// The built plugins and the clips of `Tests/Media`.
package enum Pipeline {
  /// The plugins built with the tests, and no others.
  package static let registry = PluginRegistry(
    searchPath: PluginSearchPath(
      folders: [.init(Installation.folder ?? ".", isShared: true)]))

  package static func clip(_ name: String) -> String {
    PluginWorkshop.package.appending(path: "Tests/Media/\(name)").path
  }
}
