package import Foundation
package import RespoolHost

/// A temporary folder for a test, in which plugins are built.
///
/// It is removed with this object.
package final class PluginWorkshop {
  package let folder: URL
  package let cache: URL

  package static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  package static let sources = package.appending(path: "Tests/Fixtures")
  /// Folder of today's headers of the ABI.
  package static let headers = package.appending(path: "Sources/CRespool/include").path

  package init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "respool-\(UUID())")
    cache = folder.appending(path: "cache")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Returns the path of a subfolder, which is created if it does not exist.
  package func subfolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: path(name), withIntermediateDirectories: true)
    return path(name)
  }

  /// Builds a C plugin from `Tests/Fixtures` and returns its path.
  ///
  /// `headers` is the folder of the ABI's headers; today's by default.
  @discardableResult
  package func build(
    _ source: String, defining macros: [String] = [], headers: String? = nil, as file: String,
    linking: [String] = []
  ) throws -> String {
    let output = path(file)
    try Self.run(
      "cc",
      ["-shared", "-fPIC", "-I", headers ?? Self.headers]
        + macros.map { "-D\($0)" }
        + ["-o", output, Self.sources.appending(path: source).path] + linking)
    return output
  }

  package func write(_ text: String, as file: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: file))
  }

  /// Returns a registry that searches only this folder, or only the named subfolders.
  package func registry(_ subfolders: [String] = [""]) -> PluginRegistry {
    PluginRegistry(
      searchPath: PluginSearchPath(folders: subfolders.map { .init(path($0)) }),
      cacheFolder: cache.path)
  }

  @discardableResult
  package static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw FixtureError("\(program) failed: \(output)") }
    return output
  }
}
