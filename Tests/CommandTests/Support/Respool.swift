import Foundation
import Glibc
import Testing

/// The built command, run as a user would run it: its own process, its own home.
enum Respool {
  /// How a run ended and what it said.
  struct Result {
    /// As a shell would show it: 128 and the signal for one that was killed.
    var status: Int32
    var output: String
    var errors: String

    /// Standard output as one JSON object.
    func object() throws -> [String: Any] {
      try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }

    /// Standard output as a JSON object to each line.
    func events() throws -> [[String: Any]] {
      try output.split(separator: "\n").map { line in
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }
  }

  /// The build folder, which the test bundle lies in too.
  static let folder: String = {
    let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: link).deletingLastPathComponent().path
  }()

  static let executable = folder + "/respool"

  /// The package's own folder.
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static let media = package + "/Tests/Media"

  /// Shared by all runs of one test process, so that plugins are described once.
  private static let home = TemporaryFolder()

  static let environment: [String] = {
    let environment = [
      "HOME=\(home.path)", "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
      "RESPOOL_PLUGIN_TIMEOUT=60",
    ]
    // Plugins are described before tests start dozens of commands at a time, each of which would do so itself. If this
    // fails, so do the commands, and say why.
    _ = try? Running([executable, "plugins", "list"], environment: environment, folder: nil).wait()
    return environment
  }()

  /// Runs the command to its end.
  static func run(
    _ arguments: String..., folder: String? = nil, environment: [String] = []
  ) throws -> Result {
    try start(arguments, folder: folder, environment: environment).wait()
  }

  /// Starts the command in a process group of its own.
  static func start(
    _ arguments: [String], folder: String? = nil, environment: [String] = []
  ) throws -> Running {
    try Running(
      [executable] + arguments, environment: Self.environment + environment, folder: folder)
  }
}
