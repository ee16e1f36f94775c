import Foundation
import Testing

/// The built command and some of its plugins, copied as by `make install`.
struct Installation {
  private let folder = TemporaryFolder()

  /// Copies the command and `plugins`, which are names such as `Wave`.
  init(_ plugins: [String]) throws {
    let libraries = plugins.map { "\(Respool.folder)/librespool-\($0).so" }
    for (files, name) in [
      ([Respool.executable], "bin"), (libraries, "lib/respool"),
      ([Respool.package + "/presets"], "share/respool"),
    ] {
      try FileManager.default.createDirectory(
        atPath: path(name), withIntermediateDirectories: true)
      // Another process copies the files. Otherwise children of other tests would inherit the program while it is
      // open for writing, and a program open for writing cannot be started.
      let copy = try Running(
        ["/bin/cp", "-R"] + files + [path(name)], environment: [], folder: nil
      ).wait()
      try #require(copy.status == 0, "\(copy.errors)")
    }
  }

  /// Returns the path of an installed file.
  func path(_ name: String) -> String { folder("usr/" + name) }

  /// Writes the list of all installed files.
  func writeList() throws {
    let names = TemporaryFolder.contents(of: folder("usr"))
    try names.map { "./\($0)\n" }.joined().write(
      toFile: path("share/respool/installed-files"), atomically: true, encoding: .utf8)
  }

  func run(_ arguments: [String], _ environment: [String] = []) throws -> Respool.Result {
    let own =
      environment + ["HOME=\(folder.path)"] + Respool.environment.filter { !$0.hasPrefix("HOME=") }
    return try Running([path("bin/respool")] + arguments, environment: own, folder: nil).wait()
  }

  /// Runs `batch IN --to OUT --json`.
  func batch(_ input: String, to output: String) throws -> BatchRun {
    try BatchRun(run(["batch", input, "--to", output, "--preset", "opus-128k", "--json"]))
  }
}
