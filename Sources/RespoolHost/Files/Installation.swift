import Glibc
import RespoolMedia

/// Location of Respool on this machine: the program `respool` and the files installed or built with it.
///
/// A program that only uses the library finds plugins and presets there, too.
package enum Installation {
  /// Path of the program `respool`, links resolved.
  ///
  /// It is the running program, or one beside it, in `../bin`, or on the `PATH`.
  package static let program: String? = {
    if let executable, PathName.last(executable) == "respool" { return executable }
    let near = folder.map { [$0, PluginSearchPath.parent(of: $0) + "/bin"] } ?? []
    // A relative folder on the PATH would change with the working folder.
    let searched = (environment("PATH") ?? "").split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") }
    let candidates = (near + searched).map { PathName.join($0, "respool") }
    guard let found = candidates.first(where: isProgram) else { return nil }
    return PathName.withSystemPath(found) { path in
      guard let real = realpath(path, nil) else { return found }
      defer { free(real) }
      return PathName.text(system: real)
    }
  }()

  /// Folders of programs, beside which plugins and shared files are searched.
  ///
  /// First the folder of the running program, then that of `respool`.
  package static let folders: [String] = {
    let all = [folder, program.map { PluginSearchPath.parent(of: $0) }].compactMap { $0 }
    return all.count == 2 && all[0] == all[1] ? [all[0]] : all
  }()

  /// Folder of the running program, links resolved.
  package static let folder: String? = executable.map { PluginSearchPath.parent(of: $0) }

  private static let executable = PathName.linkTarget("/proc/self/exe")

  private static func isProgram(_ path: String) -> Bool {
    PathName.withSystemPath(path) { path in
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        && access(path, X_OK) == 0
    }
  }

  /// Returns a folder of files that are not code: `../share/respool/<name>` beside a program's folder.
  ///
  /// For a program that was built and not installed, it is `source` of the package that contains the
  /// program. `nil` if neither exists.
  package static func sharedFolder(_ name: String, source: String) -> String? {
    for folder in folders {
      let shared = PluginSearchPath.parent(of: folder) + "/share/respool/" + name
      if fileExists(shared) { return shared }
    }
    var package = folders.last ?? "/"
    while package != "/", package != "." {
      let found = package + "/" + source
      if fileExists(package + "/Package.swift"), fileExists(found) { return found }
      package = PluginSearchPath.parent(of: package)
    }
    return nil
  }
}
