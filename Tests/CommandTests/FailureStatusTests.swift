import Foundation
import Testing

/// Failures in the ledger: status names each one of the last batch, and none that is settled.
@Suite struct FailureStatusTests {
  private let folder = TemporaryFolder()

  private func run(_ words: [String] = []) throws -> BatchRun {
    try BatchRun(folder("in"), to: folder("out"), preset: "opus-128k", words)
  }

  private func status() throws -> [String: Any] {
    let text = try Respool.run("status", folder("out"), "--json").output
    return try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Names of the failed files and their reasons in the status.
  private func failures() throws -> [String: String] {
    let files = try #require(try status()["failures"] as? [[String: Any]])
    return Dictionary(
      files.compactMap { file in
        guard let path = file["input"] as? String, let reason = file["error"] as? String else {
          return nil
        }
        return ((path as NSString).lastPathComponent, reason)
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `files with the same output are failures in the status until one is removed`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try folder.add("speech-flac.flac", as: "in/a.flac")
    try Data().write(to: URL(fileURLWithPath: folder("in/empty.wav")))
    #expect(try run().status == 1)
    #expect(try Set(failures().keys) == ["a.wav", "a.flac"])
    #expect(try status()["skipped"] as? Int == 1)
    try FileManager.default.removeItem(atPath: folder("in/a.flac"))
    #expect(try run().outcome("a.wav") == "converted")
    #expect(try failures() == [:])
  }

  @Test func `a failed file that was removed is no failure after the next batch`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try Data("no audio".utf8).write(to: URL(fileURLWithPath: folder("in/b.wav")))
    #expect(try run().status == 1)
    #expect(try Set(failures().keys) == ["b.wav"])
    try FileManager.default.removeItem(atPath: folder("in/b.wav"))
    #expect(try run().status == 0)
    #expect(try failures() == [:])
  }

  @Test func `an output stays known while its source is damaged`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    let first = try Data(contentsOf: URL(fileURLWithPath: folder("out/a.opus")))
    try Data("no audio".utf8).write(to: URL(fileURLWithPath: folder("in/a.wav")))
    #expect(try run().outcome("a.wav") == "failed")
    // It is remembered, and the output of before is as it was.
    #expect(try run().outcome("a.wav") == "failed")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder("out/a.opus"))) == first)
    #expect(try Set(failures().keys) == ["a.wav"])
    #expect(try status()["converted"] as? Int == 0)
    try FileManager.default.removeItem(atPath: folder("in/a.wav"))
    try folder.add("tones-5.1.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder("out/a.opus"))) != first)
    #expect(try failures() == [:])
    #expect(try run().reason("a.wav") == "the output already exists")
  }

  @Test func `an output whose source is damaged is not replaced after it was changed`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    try Data("no audio".utf8).write(to: URL(fileURLWithPath: folder("in/a.wav")))
    #expect(try run().outcome("a.wav") == "failed")
    try Data("own work".utf8).write(to: URL(fileURLWithPath: folder("out/a.opus")))
    try FileManager.default.removeItem(atPath: folder("in/a.wav"))
    try folder.add("tones-5.1.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "failed")
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder("out/a.opus"))) == Data("own work".utf8))
  }

  @Test func `a damaged source that was removed is no failure, and its output stays known`() throws
  {
    try folder.add("speech.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    try Data("no audio".utf8).write(to: URL(fileURLWithPath: folder("in/a.wav")))
    #expect(try run().outcome("a.wav") == "failed")
    try FileManager.default.removeItem(atPath: folder("in/a.wav"))
    #expect(try run().status == 0)
    #expect(try failures() == [:])
    #expect(FileManager.default.fileExists(atPath: folder("out/a.opus")))
    // Another source with that name has its output in the place of the former one.
    try folder.add("tones-5.1.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    #expect(try run().reason("a.wav") == "the output already exists")
  }
}
