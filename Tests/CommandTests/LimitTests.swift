import Foundation
import Testing

/// Limits that the system sets for a process.
@Suite struct LimitTests {
  private let folder = TemporaryFolder()

  private func run(_ arguments: [String], limit: String) throws -> Respool.Result {
    try Running(
      ["/bin/sh", "-c", "\(limit); exec \"$0\" \"$@\"", Respool.executable] + arguments,
      environment: Respool.environment, folder: nil
    ).wait()
  }

  @Test func tooFewOpenFilesAreNamedWithTheirLimit() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    // Plugins are described without the limit.
    _ = try Respool.run("plugins", "list")
    let result = try run(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "wav"], limit: "ulimit -n 8")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "too few files may be open at a time: the limit is 8; raise it with ulimit -n"),
      "\(result.errors)")
    #expect(!result.errors.contains("in a row"), "\(result.errors)")
    #expect(TemporaryFolder.outputs(in: folder("out")).isEmpty)
  }
}
