public import RespoolMedia

/// A plugin file that was found, whether it works or not.
public struct PluginRecord: Hashable, Sendable {
  public enum Status: String, Hashable, Sendable {
    case ok, failed
    /// It works, and another plugin of the same name comes first on the search path.
    case shadowed
  }

  /// Of the file where the plugin could not say its own.
  public var name: String
  public var path: String
  public var version: String
  /// SPDX expression of the plugin together with what it links; empty where not known.
  public var license: String
  public var status: Status
  /// Why the plugin is not used; nil where it is.
  public var reason: String?
  /// What to do about it.
  public var advice: String?
  public var factories: [FactoryDescription]
  /// The place of each factory in the plugin's own list.
  package var indices: [Int] = []

  public init(
    name: String, path: String, version: String = "", license: String = "", status: Status,
    reason: String? = nil, advice: String? = nil, factories: [FactoryDescription] = []
  ) {
    self.name = name
    self.path = path
    self.version = version
    self.license = license
    self.status = status
    self.reason = reason
    self.advice = advice
    self.factories = factories
  }

  /// The name that a file name stands for: `librespool-VPX.so` is `VPX`.
  package static func name(ofFile path: String) -> String {
    var name = lastPathComponent(path)[...]
    if name.hasSuffix(".so") { name.removeLast(3) }
    for prefix in ["librespool-", "lib"] where name.hasPrefix(prefix) && name.count > prefix.count {
      name.removeFirst(prefix.count)
      break
    }
    return String(name)
  }
}

/// One thing that a plugin can do, known without the plugin being open.
public struct PluginFactory: Hashable, Sendable {
  public let plugin: PluginRecord
  public let description: FactoryDescription
  /// The place in the plugin's own list.
  public let index: Int

  /// For `-v`: `x264 of the plugin X264`.
  package var label: String { "\(description.name) of the plugin \(plugin.name)" }

  public static func == (a: PluginFactory, b: PluginFactory) -> Bool {
    a.plugin.path == b.plugin.path && a.index == b.index
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(plugin.path)
    hasher.combine(index)
  }
}
