import Foundation
import Testing

/// A finished batch and its events.
struct BatchRun {
  let status: Int32
  let events: [[String: Any]]
  let errors: String

  /// Runs `batch IN --to OUT --json` with additional arguments.
  init(
    _ input: String, to output: String, preset: String = "opus-128k", _ words: [String] = [],
    environment: [String] = []
  ) throws {
    let result = try Respool.start(
      ["batch", input, "--to", output, "--preset", preset, "--json"] + words,
      environment: environment
    ).wait()
    try self.init(result)
  }

  init(_ result: Respool.Result) throws {
    (status, errors) = (result.status, result.errors)
    events = try result.events()
  }

  /// Returns the events of a kind by the name of their file.
  func events(_ kind: String) -> [String: [String: Any]] {
    var found: [String: [String: Any]] = [:]
    for one in events where one["event"] as? String == kind {
      found[((one["input"] as? String ?? "") as NSString).lastPathComponent] = one
    }
    return found
  }

  /// Returns the status of a file: `converted`, `copied`, `skipped` or `failed`.
  func outcome(_ name: String) -> String? { events("finished")[name]?["status"] as? String }

  /// Returns the reason why a file was skipped or failed.
  func reason(_ name: String) -> String { events("finished")[name]?["error"] as? String ?? "" }

  /// Warnings about the whole batch.
  var warnings: [String] {
    events.filter { $0["event"] as? String == "warning" }.compactMap { $0["message"] as? String }
  }

  var summary: [String: Any] {
    events.last { $0["event"] as? String == "summary" } ?? [:]
  }
}
