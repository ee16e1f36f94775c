import CRespool
public import RespoolMedia

/// A version of the plugin ABI, such as 1.4.
public struct ABIVersion: Hashable, Sendable, CustomStringConvertible {
  /// Versions with different major numbers are incompatible.
  public var major: UInt32
  /// Later minor versions add to earlier ones.
  public var minor: UInt32

  public init(major: UInt32, minor: UInt32) {
    self.major = major
    self.minor = minor
  }

  /// Version of this program.
  public static let host = ABIVersion(major: UInt32(RSP_ABI_MAJOR), minor: UInt32(RSP_ABI_MINOR))

  public var description: String { "\(major).\(minor)" }
}

/// A plugin file that was found, working or not.
public struct PluginRecord: Hashable, Sendable {
  /// State of a plugin: in use, failed, shadowed by another plugin, or disabled by the user.
  public enum Status: String, Hashable, Sendable {
    case ok, failed
    /// The plugin works, but another plugin of the same name comes first on the search path.
    case shadowed
    /// The user has disabled the plugin (``PluginChoices/disabled``).
    case disabled
  }

  /// Name of the plugin.
  ///
  /// If the plugin could not report it, a name derived from the file's.
  public var name: String
  public var path: String
  public var version: String
  /// SPDX expression of the plugin together with the libraries it links.
  ///
  /// Empty if unknown.
  public var license: String
  /// Version of the plugin ABI that the plugin was built with; `nil` if unknown.
  public var abi: ABIVersion?
  public var status: Status
  /// Reason why the plugin is not used; `nil` if it is used.
  public var reason: String?
  /// Advice for the user about the reason.
  public var advice: String?
  public var factories: [FactoryDescription]
  /// Index of each factory in the plugin's own list.
  package var indices: [Int] = []
  /// Paths of the libraries that were loaded with the plugin.
  package var libraries: [String] = []

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

  /// Returns the plugin name that a file name contains: `VPX` for `librespool-VPX.so`.
  package static func name(ofFile path: String) -> String {
    var name = PathName.last(path)[...]
    if name.hasSuffix(".so") { name.removeLast(3) }
    for prefix in ["librespool-", "lib"] where name.hasPrefix(prefix) && name.count > prefix.count {
      name.removeFirst(prefix.count)
      break
    }
    return String(name)
  }
}

/// One factory of a plugin: a demuxer, decoder, encoder or muxer, known without opening the plugin.
public struct PluginFactory: Hashable, Sendable {
  public let plugin: PluginRecord
  public let description: FactoryDescription
  /// Index in the plugin's own list.
  public let index: Int

  /// Name for `-v`: `x264 of the plugin X264`.
  package var label: String { "\(description.name) of the plugin \(plugin.name)" }

  /// Returns `true` if `name` is the factory's name, an alias, or `Plugin/name`.
  package func isNamed(_ name: String) -> Bool {
    [self].factory(named: name, by: \.description, plugin: \.plugin.name) != nil
  }

  public static func == (a: PluginFactory, b: PluginFactory) -> Bool {
    a.plugin.path == b.plugin.path && a.index == b.index
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(plugin.path)
    hasher.combine(index)
  }
}
