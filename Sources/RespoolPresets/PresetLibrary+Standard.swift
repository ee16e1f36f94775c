import Glibc

extension PresetLibrary {
  /// The user's presets, then those of the folder that `RESPOOL_PRESETS` names or else the installed ones, then those
  /// of the plugins.
  ///
  /// User: `$XDG_CONFIG_HOME/respool/presets`, by default `~/.config/respool/presets`. Installed:
  /// `../share/respool/presets` beside the executable's folder. For an executable that was built and not
  /// installed, `presets` of the package that contains it. Plugins: `X.presets` beside `X.so`, in the order of
  /// ``PluginSearchPath/standard``.
  public static var standard: PresetLibrary {
    var folders: [Folder] = []
    if let configuration = variable("XDG_CONFIG_HOME") ?? variable("HOME").map({ "\($0)/.config" })
    {
      folders.append(Folder(path: "\(configuration)/respool/presets", origin: .user))
    }
    if let folder = variable("RESPOOL_PRESETS") {
      folders.append(Folder(path: folder, origin: .shared))
    } else if let folder = Installation.sharedFolder("presets", source: "presets") {
      folders.append(Folder(path: folder, origin: .installed))
    }
    for folder in PluginSearchPath.standard.folders {
      folders += PluginSearchPath.presetFolders(in: folder).map {
        Folder(path: $0, origin: .plugin)
      }
    }
    return PresetLibrary(folders: folders)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
