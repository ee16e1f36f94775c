import Glibc
import RespoolMedia

/// Folders in which plugins are searched, in order.
///
/// The first of two plugins with one name is used.
public struct PluginSearchPath: Hashable, Sendable {
  /// A folder in which plugins are searched.
  public struct Folder: Hashable, Sendable {
    public var path: String
    /// `true` if only files named `librespool-*.so` count, as in folders that also hold other libraries.
    public var isShared: Bool

    public init(_ path: String, isShared: Bool = false) {
      self.path = path
      self.isShared = isShared
    }
  }

  public var folders: [Folder]

  public init(folders: [Folder]) { self.folders = folders }

  /// The standard search path.
  ///
  /// It contains, in this order: the folders of `RESPOOL_PLUGIN_PATH`, separated by colons;
  /// `$XDG_DATA_HOME/respool/plugins`; the folder of the executable and, if that is named `bin`,
  /// `../lib/respool` beside it. A program that is not `respool` also uses these two folders of the `respool`
  /// that is beside it, in `../bin` or on the `PATH`.
  ///
  /// Plugins that others than root and the user may change are not opened.
  public static var standard: PluginSearchPath {
    var folders = (environment("RESPOOL_PLUGIN_PATH") ?? "").split(separator: ":").map {
      Folder(String($0))
    }
    if let data = baseFolder("XDG_DATA_HOME", inHome: ".local/share") {
      folders.append(Folder(data + "/respool/plugins"))
    }
    for folder in Installation.folders {
      folders.append(Folder(folder, isShared: true))
      // A program in another folder is not an installation: ~/Downloads/../lib could be anyone's.
      guard PathName.last(folder) == "bin" else { continue }
      folders.append(Folder(parent(of: folder) + "/lib/respool", isShared: true))
    }
    return PluginSearchPath(folders: folders)
  }

  /// Returns the paths of the plugin files in a folder, sorted; empty if the folder cannot be read.
  package static func files(in folder: Folder) -> [String] { entries(of: folder, suffix: ".so") }

  /// Returns the paths of the folders with presets of the plugins in a folder: `X.presets` beside `X.so`.
  package static func presetFolders(in folder: Folder) -> [String] {
    entries(of: folder, suffix: ".presets").filter {
      access($0.dropLast(".presets".count) + ".so", F_OK) == 0
    }
  }

  private static func entries(of folder: Folder, suffix: String) -> [String] {
    guard let stream = opendir(folder.path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      guard name.hasSuffix(suffix), !name.hasPrefix(".") else { continue }
      if folder.isShared && !name.hasPrefix("librespool-") { continue }
      names.append(name)
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
      folder.path.hasSuffix("/") ? folder.path + $0 : folder.path + "/" + $0
    }
  }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns a base folder of the XDG specification; `nil` if neither the variable nor HOME is set.
  package static func baseFolder(_ variable: String, inHome folder: String) -> String? {
    // The XDG Base Directory Specification says to ignore relative paths.
    if let path = environment(variable), path.hasPrefix("/") { return path }
    return environment("HOME").map { $0 + "/" + folder }
  }
}

/// Returns an environment variable; `nil` if it is not set or empty.
package func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}
