import Foundation
import Testing

/// Outputs whose names other files get, before or while they are made.
@Suite struct TakenNameTests {
  private let folder = TemporaryFolder()

  private func start(_ more: [String] = []) throws -> Running {
    try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"] + more)
  }

  /// Adds a file that takes some tenths of a second, and returns a batch that is converting it.
  private func converting() throws -> Running {
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    try folder.addLongSound(as: "in/long.wav", seconds: 60)
    let batch = try start()
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    return batch
  }

  @Test func `a file that gets the name of an output stays, and the ledger has no conversion`()
    throws
  {
    let batch = try converting()
    try folder.write("mine", as: "out/long.opus")
    let run = try BatchRun(batch.wait())
    #expect(run.reason("long.wav") == "another file got the name while the file was made")
    #expect(try String(contentsOfFile: folder("out/long.opus"), encoding: .utf8) == "mine")
    let status = try Respool.run("status", folder("out"))
    #expect(
      status.output.hasPrefix("0 converted, 0 copied, 0 skipped, 1 failed"), "\(status.output)")
    let next = try BatchRun(start().wait())
    #expect(next.reason("long.wav").contains("the output already exists"))
    #expect(try String(contentsOfFile: folder("out/long.opus"), encoding: .utf8) == "mine")
  }

  @Test func `a folder that gets the name of an output is named in the reason`() throws {
    let batch = try converting()
    try FileManager.default.createDirectory(
      atPath: folder("out/long.opus"), withIntermediateDirectories: true)
    let run = try BatchRun(batch.wait())
    #expect(run.reason("long.wav") == "a folder got the name while the file was made")
    let status = try Respool.run("status", folder("out"))
    #expect(
      status.output.hasPrefix("0 converted, 0 copied, 0 skipped, 1 failed"), "\(status.output)")
  }

  @Test func `an output does not get the name of a folder of outputs`() throws {
    try FileManager.default.createDirectory(
      atPath: folder("in/disc.opus"), withIntermediateDirectories: true)
    try folder.addLongSound(as: "in/disc.wav", seconds: 1)
    try folder.addLongSound(as: "in/disc.opus/song.wav", seconds: 1)
    let run = try BatchRun(start().wait())
    #expect(run.outcome("song.wav") == "converted")
    #expect(
      run.reason("disc.wav")
        == "the output disc.opus would have the name of the folder for the outputs of another "
        + "folder; use --on-collision rename to keep both")
    let renamed = try BatchRun(start(["--on-collision", "rename"]).wait())
    #expect(renamed.outcome("disc.wav") == "converted")
    #expect(
      TemporaryFolder.outputs(in: folder("out"))
        == ["disc wav.opus", "disc.opus", "disc.opus/song.opus"])
  }
}
