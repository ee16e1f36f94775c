import Foundation
import Testing

/// A C plugin from `Tests/Fixtures`, built into its own folder, which the command searches.
struct CPlugin {
  let folder = TemporaryFolder()

  init(_ source: String, defining macros: [String] = [], linking: [String] = []) throws {
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments =
      ["cc", "-g", "-shared", "-fPIC", "-I", Respool.package + "/Sources/CRespool/include"]
      + macros.map { "-D\($0)" }
      + ["-o", path, Respool.package + "/Tests/Fixtures/" + source] + linking
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
  }

  var path: String { folder("unruly.so") }

  var environment: [String] { ["RESPOOL_PLUGIN_PATH=\(folder.path)"] }
}
