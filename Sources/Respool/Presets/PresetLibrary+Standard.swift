import Glibc

extension PresetLibrary {
  /// The user's presets and the installed ones.
  ///
  /// User: `$XDG_CONFIG_HOME/respool/presets`, by default `~/.config/respool/presets`. Installed: the
  /// folder that `RESPOOL_PRESETS` names; else `../share/respool/presets` beside the executable's folder;
  /// else, for one that was built and not installed, `presets` of the package that it lies in.
  public static var standard: PresetLibrary {
    var folders: [Folder] = []
    if let configuration = variable("XDG_CONFIG_HOME") ?? variable("HOME").map({ "\($0)/.config" })
    {
      folders.append(Folder(path: "\(configuration)/respool/presets", origin: .user))
    }
    if let folder = variable("RESPOOL_PRESETS") ?? installed() {
      folders.append(Folder(path: folder, origin: .installed))
    }
    return PresetLibrary(folders: folders)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  private static func installed() -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { return nil }
    var parts = String(
      decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self
    )
    .split(separator: "/")
    _ = parts.popLast()
    let prefix = "/" + parts.dropLast().joined(separator: "/")
    let shared = "\(prefix == "/" ? "" : prefix)/share/respool/presets"
    if PresetFile.exists(shared) { return shared }
    while !parts.isEmpty {
      let folder = "/" + parts.joined(separator: "/")
      if PresetFile.exists("\(folder)/Package.swift"), PresetFile.exists("\(folder)/presets") {
        return "\(folder)/presets"
      }
      parts.removeLast()
    }
    return nil
  }
}
