import Foundation
import Glibc
import Testing

/// Sources that cannot be read, or that change while a worker reads them.
@Suite struct ReadFaultTests {
  private let folder = TemporaryFolder()

  private func isMade(_ run: BatchRun, _ name: String) -> Bool {
    run.outcome(name) == "converted" || run.outcome(name) == "copied"
  }

  private func run(
    _ name: String, at byte: Int, _ command: String? = nil, preset: String = "opus-128k",
    _ words: [String] = []
  ) throws -> BatchRun {
    let library = try CPlugin("read_faults.c")
    var environment = [
      "LD_PRELOAD=\(library.path)", "FAULT_FILE=\(folder("in/" + name))", "FAULT_AT=\(byte)",
    ]
    // In the sandbox, a worker starts no command.
    if let command { environment += ["FAULT_COMMAND=\(command)", "RESPOOL_SANDBOX=off"] }
    let run = try BatchRun(
      folder("in"), to: folder("out"), preset: preset, words, environment: environment)
    #expect(isMade(run, "good.wav"), "\(run.events)")
    #expect(!TemporaryFolder.contents(of: folder("out")).contains { $0.hasSuffix(".part") })
    return run
  }

  @Test(arguments: [
    ("speech.wav", 0, "opus-128k"), ("speech.wav", 100, "opus-128k"),
    ("speech.wav", 90_000, "opus-128k"), ("speech.wav", 90_000, "wav"),
    ("speech-flac.flac", 40_000, "opus-128k"), ("speech-mp3.mp3", 5000, "opus-128k"),
    ("speech-mp3.mp3", 20_000, "opus-128k"), ("pattern-h264.mp4", 8000, "remux-mkv"),
  ])
  func `a source with a read error fails and is tried again`(
    _ name: String, byte: Int, preset: String
  ) throws {
    for (clip, target) in [(name, name), ("speech.wav", "good.wav")] {
      try folder.add(clip, as: "in/" + target)
    }
    let failed = try run(name, at: byte, preset: preset)
    #expect(failed.status == 1 && failed.outcome(name) == "failed", "\(failed.events)")
    #expect(
      failed.reason(name) == "cannot be read: input/output error (byte \(byte))",
      "\(failed.reason(name))")
    let again = try BatchRun(folder("in"), to: folder("out"), preset: preset)
    #expect(again.status == 0, "\(again.events)")
    #expect(isMade(again, name), "\(again.events)")
  }

  /// As on a network file system that does not answer any more.
  @Test func `a read that hangs while a file is planned costs that file`() throws {
    for name in ["a.wav", "good.wav"] { try folder.add("speech.wav", as: "in/" + name) }
    let failed = try run("a.wav", at: 0, "exec sleep 60 > /dev/null 2>&1 < /dev/null")
    #expect(failed.status == 1 && failed.outcome("a.wav") == "failed", "\(failed.events)")
    #expect(
      failed.reason("a.wav").contains("did not respond for 10 seconds"),
      "\(failed.reason("a.wav"))")
  }

  /// The command runs when 100 KB of the 110 KB have been read.
  @Test(arguments: [
    ("truncate -s 90000 %F", "became shorter while it was read: it had 110362 bytes (byte 90000)"),
    ("cp %G %F.new && mv %F.new %F", nil), ("cat %G >> %F", nil),
  ])
  func `a source that changes while it is read is never finished`(
    _ command: String, _ reason: String?
  ) throws {
    for name in ["a.wav", "good.wav"] { try folder.add("speech.wav", as: "in/" + name) }
    let command = command.replacing("%F", with: folder("in/a.wav"))
      .replacing("%G", with: folder("in/good.wav"))
    let run = try run("a.wav", at: 100_000, command)
    #expect(run.status == (reason == nil ? 0 : 1))
    #expect(run.outcome("a.wav") == (reason == nil ? "converted" : "failed"))
    if let reason {
      #expect(run.reason("a.wav").contains(reason), "\(run.reason("a.wav"))")
    } else {
      let event = try #require(run.events("finished")["a.wav"])
      #expect(event["incomplete"] as? String == "the source has changed since it was found")
    }
    let again = try BatchRun(folder("in"), to: folder("out"))
    #expect(again.status == 0)
    #expect(again.outcome("a.wav") == "converted")
    #expect(again.outcome("good.wav") == "skipped")
  }

  @Test(arguments: [
    ("rm %F", "the source was removed while it was converted"),
    (
      "mv %F %F.wav",
      "the source was moved while it was converted; its output moves when it is found again"
    ),
  ])
  func `a source that loses its name while it is read is converted once`(
    _ command: String, _ note: String
  ) throws {
    for name in ["a.wav", "good.wav"] { try folder.add("speech.wav", as: "in/" + name) }
    let run = try run("a.wav", at: 100_000, command.replacing("%F", with: folder("in/a.wav")))
    #expect(run.status == 0)
    let event = try #require(run.events("finished")["a.wav"])
    #expect(event["incomplete"] == nil)
    #expect((event["notes"] as? [String])?.contains(note) == true, "\(event)")
    let again = try BatchRun(folder("in"), to: folder("out"))
    #expect(again.status == 0)
    #expect(again.events.allSatisfy { $0["status"] as? String != "converted" })
    let outputs = try FileManager.default.contentsOfDirectory(atPath: folder("out"))
    let isMoved = command.hasPrefix("mv")
    #expect(
      outputs.filter { !$0.hasPrefix(".") }.sorted()
        == [isMoved ? "a.wav.opus" : "a.opus", "good.opus"])
  }

  @Test(arguments: ["opus-128k", "small"])
  func `a source with a read error is not replaced`(_ preset: String) throws {
    let replaced = try ReplacedFolder(.init(preset: preset, originals: nil))
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    let library = try CPlugin("read_faults.c")
    for byte in [0, 60_000, 110_000] {
      let run = try replaced.run(environment: [
        "LD_PRELOAD=\(library.path)", "FAULT_FILE=\(replaced.folder("in/a.wav"))",
        "FAULT_AT=\(byte)",
      ])
      #expect(run.status == 1 && run.reason("a.wav").contains("input/output error"))
      #expect(replaced.visibleFiles == ["a.wav"])
      #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
    }
    #expect(try replaced.run().outcome("a.wav") == "converted")
  }
}

/// A file system or a clock that changes under a batch.
@Suite struct EnvironmentFaultTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [1, 3, 20, 60, 75, 90])
  func `a file system that becomes read-only costs no finished file`(_ call: Int) throws {
    for name in ["a.wav", "b.wav"] { try folder.add("speech.wav", as: "in/" + name) }
    let library = try CPlugin("kill_at.c")
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]
    let run = try Respool.start(
      words + ["--jobs", "1"], environment: ["LD_PRELOAD=\(library.path)", "PROTECT_AT=\(call)"]
    ).wait()
    #expect(run.status == 1, "\(run)")
    #expect((run.output + run.errors).lowercased().contains("read-only file system"), "\(run)")
    func names() -> [String] {
      TemporaryFolder.outputs(in: folder("out")).filter { $0.hasSuffix(".opus") }
    }
    let inodes = try names().map { try folder.status("out/" + $0).st_ino }
    let finished = names()
    let again = try BatchRun(try Respool.start(words).wait())
    #expect(again.status == 0, "\(again.events)")
    #expect(again.summary["alreadyDone"] as? Int == finished.count)
    #expect(try finished.map { try folder.status("out/" + $0).st_ino } == inodes)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["a.opus", "b.opus"])
  }

  @Test func `a clock that is set back all the time makes nothing twice`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    // The camera's clock may also be wrong.
    try folder.add("speech.wav", as: "in/future.wav")
    try folder.setTime(4_000_000_000, of: "in/future.wav")
    let library = try CPlugin("clock_back.c")
    let environment = ["LD_PRELOAD=\(library.path)"]
    for (attempt, words) in [[], [], ["--no-preserve"]].enumerated() {
      let run = try BatchRun(
        folder("in"), to: folder("out"), words, environment: attempt < 2 ? environment : [])
      #expect(run.status == 0 && run.warnings.isEmpty, "\(run.events)")
      #expect(run.summary["converted"] as? Int == (attempt == 0 ? 2 : 0), "\(run.events)")
    }
    let status = try Respool.start(["status", folder("out")]).wait()
    #expect(status.status == 0 && status.output.hasPrefix("2 converted"), "\(status.output)")
  }
}
