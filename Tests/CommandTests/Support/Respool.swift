import Foundation
import Glibc
import Testing

/// The built command, run as by a user, in its own process and with its own home folder.
enum Respool {
  /// The exit status and output of a run.
  struct Result {
    /// The exit status as in a shell: 128 plus the signal if the process was killed.
    var status: Int32
    var output: String
    var errors: String

    /// Returns standard output as one JSON object.
    func object() throws -> [String: Any] {
      try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }

    /// Returns standard output as one JSON object for each line.
    func events() throws -> [[String: Any]] {
      try output.split(separator: "\n").map { line in
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }
  }

  /// The build folder, which also contains the test bundle.
  static let folder: String = {
    let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: link).deletingLastPathComponent().path
  }()

  static let executable = folder + "/respool"

  /// The package's own folder.
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static let media = package + "/Tests/Media"

  /// The home folder for all runs of one test process, shared so that plugins are described once.
  private static let home = TemporaryFolder()

  static let environment: [String] = {
    let environment = [
      "HOME=\(home.path)", "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
      "RESPOOL_PLUGIN_TIMEOUT=60",
    ]
    // Describes the plugins once, because dozens of commands started at a time would each do so themselves. If this
    // fails, the commands fail too and report the reason.
    _ = try? Running([executable, "plugins", "list"], environment: environment, folder: nil).wait()
    return environment
  }()

  /// Runs the command to its end.
  static func run(
    _ arguments: String..., folder: String? = nil, environment: [String] = []
  ) throws -> Result {
    try start(arguments, folder: folder, environment: environment).wait()
  }

  /// Starts the command in its own process group.
  static func start(
    _ arguments: [String], folder: String? = nil, environment: [String] = []
  ) throws -> Running {
    try Running(
      [executable] + arguments, environment: Self.environment + environment, folder: folder)
  }
}
