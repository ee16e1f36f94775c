import Glibc

@testable import RespoolPresets
@testable import RespoolHost

/// A temporary folder of preset files that is removed with this object.
final class PresetFolder {
  let path: String

  init(_ files: KeyValuePairs<String, String> = [:]) throws {
    var template = Array("/tmp/respool-presets-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(what: "mkdtemp") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for (name, text) in files { try write(text, to: name) }
  }

  struct Failure: Error { var what: String }

  func write(_ text: String, to name: String) throws {
    guard let file = fopen("\(path)/\(name)", "w") else { throw Failure(what: name) }
    defer { fclose(file) }
    guard fputs(text, file) >= 0 else { throw Failure(what: name) }
  }

  /// Makes another folder a group of this one.
  func link(_ other: PresetFolder, as name: String) throws {
    guard symlink(other.path, "\(path)/\(name)") == 0 else { throw Failure(what: name) }
  }

  var library: PresetLibrary { PresetLibrary(folders: [.init(path: path, origin: .installed)]) }

  /// Returns every problem of a file as `line:column: message; advice`.
  ///
  /// If the problem is in another file, the name of that file comes first.
  func problems(of name: String, available: AvailablePlugins? = PluginFixtures.all) throws
    -> [String]
  {
    try library.check("\(path)/\(name)", available: available).problems.map { problem in
      let text = problem.description.replacing("\(path)/", with: "")
      return text.hasPrefix("\(name):") ? String(text.dropFirst(name.count + 1)) : text
    }
  }

  deinit {
    for name in PresetFile.listing(path).folders { unlink("\(path)/\(name)") }
    for name in PresetFile.names(in: path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

/// The presets that come with the package.
enum PackagePresets {
  static var folder: String {
    let file = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return file.dropLast(3).joined(separator: "/") + "/presets"
  }

  static var library: PresetLibrary {
    PresetLibrary(folders: [.init(path: folder, origin: .installed)])
  }
}
