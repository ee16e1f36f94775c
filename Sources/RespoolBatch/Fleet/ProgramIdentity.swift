import CLinux
import Glibc
import Respool
import RespoolHost
import RespoolMedia

/// The content of the program or of a plugin, by which machines find out if they have the same.
struct ProgramIdentity: Hashable {
  /// Name of a plugin; `respool` for the program.
  let name: String
  let version: String
  /// Hash of the file's content, and of the names and sizes of the libraries that were loaded with it.
  ///
  /// The content is known by the build ID and the size: reading the whole program and all plugins takes longer than
  /// many files. A file without a build ID is read.
  let hash: String

  /// Name of the identity of the program.
  private static let program = "respool"

  /// Returns the identities of the program and of the plugins that work.
  static func all(of registry: PluginRegistry?) -> [ProgramIdentity] {
    let plugins = (registry?.plugins ?? []).filter { $0.status == .ok }
    return [ProgramIdentity(name: program, version: "", path: "/proc/self/exe", libraries: [])]
      + plugins.map {
        ProgramIdentity(
          name: $0.name, version: $0.version, path: $0.path, libraries: $0.libraries)
      }.sorted { $0.name < $1.name }
  }

  private init(name: String, version: String, path: String, libraries: [String]) {
    (self.name, self.version) = (name, version)
    var content = MD5()
    if let build = BuildID(path) {
      (build.bytes + Array(Self.size(path).utf8)).withUnsafeBytes { content.update($0) }
    } else {
      Self.hash(path, into: &content)
    }
    for library in libraries.map({ PathName.last($0) + Self.size($0) }).sorted() {
      Array(library.utf8).withUnsafeBytes { content.update($0) }
    }
    hash = content.finalizeHex()
  }

  /// Reads what ``text`` has written; `nil` if it is something else.
  init?(_ text: String) {
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    (name, version, hash) = (parts[0], parts[1], parts[2])
  }

  var text: String { "\(name)\n\(version)\n\(hash)" }

  private static func hash(_ path: String, into content: inout MD5) {
    let file = PathName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { return }
    defer { close(file) }
    withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
      while case let count = read(file, buffer.baseAddress, buffer.count), count > 0 {
        content.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  /// Returns a file's size as text.
  ///
  /// Versions of a library that have one name differ in size; its hash would cost more than it tells.
  private static func size(_ path: String) -> String {
    var status = stat()
    return PathName.withSystemPath(path, { stat($0, &status) }) == 0 ? " \(status.st_size)\n" : "\n"
  }

  /// Returns how what is here differs from what a plan needs, as a sentence; `nil` if it does not.
  ///
  /// A plugin that the plan has not known may take files from those that it has. `machine` is the name of this one.
  static func difference(
    of here: [ProgramIdentity], from planned: [ProgramIdentity], on machine: String
  ) -> String? {
    let known = Set(planned.map(\.name))
    if let added = here.first(where: { !known.contains($0.name) }) {
      return
        "the plugin \(added.name) \(added.version) is on \(machine) only, and was not there when "
        + "the plan was made"
    }
    for needed in planned {
      let what = needed.name == program ? "the program" : "the plugin \(needed.name)"
      guard let found = here.first(where: { $0.name == needed.name }) else {
        return "\(what) \(needed.version), with which the plan was made, is missing on \(machine)"
      }
      if found.version != needed.version {
        return "\(what) has the version \(found.version) on \(machine), and the plan was made with "
          + needed.version
      }
      if found.hash != needed.hash {
        return "\(what) is another build on \(machine) (\(found.hash.prefix(8))) than the one with "
          + "which the plan was made (\(needed.hash.prefix(8)))"
      }
    }
    return nil
  }
}
