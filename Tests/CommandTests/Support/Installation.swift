import Foundation
import Testing

/// The built command and some of its plugins, copied as `make install` does it.
struct Installation {
  private let folder = TemporaryFolder()

  /// `plugins` are names such as `Wave`.
  init(_ plugins: [String]) throws {
    let files = FileManager.default
    for name in ["bin", "lib/respool", "share/respool"] {
      try files.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    }
    try files.copyItem(atPath: Respool.executable, toPath: path("bin/respool"))
    for name in plugins.map({ "librespool-\($0).so" }) {
      try files.copyItem(
        atPath: Respool.folder + "/" + name, toPath: path("lib/respool/" + name))
    }
    try files.copyItem(
      atPath: Respool.package + "/presets", toPath: path("share/respool/presets"))
  }

  /// Path of an installed file.
  func path(_ name: String) -> String { folder("usr/" + name) }

  /// Writes the list of all files that are there.
  func writeList() throws {
    let names = TemporaryFolder.contents(of: folder("usr"))
    try names.map { "./\($0)\n" }.joined().write(
      toFile: path("share/respool/installed-files"), atomically: true, encoding: .utf8)
  }

  func run(_ arguments: [String]) throws -> Respool.Result {
    let own = ["HOME=\(folder.path)"] + Respool.environment.filter { !$0.hasPrefix("HOME=") }
    return try Running([path("bin/respool")] + arguments, environment: own, folder: nil).wait()
  }

  /// Runs `batch IN --to OUT --json`.
  func batch(_ input: String, to output: String) throws -> BatchRun {
    try BatchRun(run(["batch", input, "--to", output, "--preset", "opus-128k", "--json"]))
  }
}
