import TestFixtures

@testable import RespoolHost

extension PluginWorkshop {
  /// A discovery that searches only this folder.
  var discovery: PluginDiscovery {
    PluginDiscovery(
      searchPath: PluginSearchPath(folders: [.init(folder.path)]), cacheFolder: cache.path)
  }
}
