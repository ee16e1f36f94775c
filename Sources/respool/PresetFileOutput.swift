import Glibc
import Respool
import RespoolMedia

/// Writes preset files into a folder, by default the user's.
struct PresetFileOutput {
  let folder: String
  private let replaces: Bool

  /// `folder` is `nil` for the user's own.
  init(folder: String?, replaces: Bool) throws(MediaError) {
    self.replaces = replaces
    if let folder {
      self.folder = folder
      return
    }
    guard let own = PresetLibrary.standard.folders.first(where: { $0.origin == .user }) else {
      throw MediaError(
        .invalidArgument, "neither XDG_CONFIG_HOME nor HOME is set; name a folder with --to")
    }
    self.folder = own.path
  }

  func path(of name: String) -> String { "\(folder)/\(name).yaml" }

  /// Throws `invalidArgument` if the file exists and may not be replaced.
  func check(_ name: String) throws(MediaError) {
    let path = path(of: name)
    guard replaces || access(path, F_OK) != 0 else {
      throw MediaError(.invalidArgument, "already exists; --force replaces it", file: path)
    }
  }

  /// Returns a sentence about the preset of the same name that the file hides; `nil` if there is none.
  func warning(_ name: String) -> String? {
    let library = PresetLibrary.standard
    guard library.folders.contains(where: { PathKey($0.path) == PathKey(folder) }) else {
      return nil
    }
    let others = library.entries().filter {
      $0.name == name && PathKey($0.path) != PathKey(path(of: name))
    }
    return others.first.map { "it hides the preset of the same name, \($0.path)" }
  }

  /// Writes the file, with a comment by which editors find the schema.
  func write(_ text: String, _ name: String) throws(MediaError) {
    try check(name)
    guard makeFolder(folder) else {
      throw MediaError(
        .io, "the folder cannot be created: \(String(cString: strerror(errno)))", file: folder)
    }
    try OutputFile(path: path(of: name), replaces: replaces).write(
      Array((Self.schemaLine + text).utf8))
  }

  /// The comment for editors with a YAML language server; empty if there is no schema.
  static var schemaLine: String {
    for folder in PresetLibrary.standard.folders where folder.origin != .user {
      let path = folder.path + "/schema.json"
      if access(path, R_OK) == 0 { return "# yaml-language-server: $schema=\(path)\n" }
    }
    return ""
  }
}
