import Foundation
import Glibc
import Testing

/// Reports of a batch whose worker processes die.
@Suite struct WorkerDeathTests {
  private func run(
    _ words: [String: String], _ arguments: [String] = [], patience: Int = 120
  ) throws -> BatchRun {
    let folder = TemporaryFolder()
    let plugin = try CPlugin(
      "unruly.c", defining: ["THROWS"],
      linking: ["-lpthread", Respool.package + "/Tests/Fixtures/thrower.cpp", "-lstdc++"])
    for (name, word) in words { try folder.write(word, as: "in/\(name)") }
    let run = try BatchRun(
      folder("in"), to: folder("out"), arguments,
      environment: plugin.environment + ["RESPOOL_PATIENCE=\(patience)"])
    #expect(TemporaryFolder.contents(of: folder("out")).allSatisfy { !$0.hasSuffix(".part") })
    #expect(!run.summary.isEmpty)
    return run
  }

  @Test(arguments: [
    (
      "CRASHNOW",
      "signal 11 (SIGSEGV, invalid memory access) in unruly_explode (unruly.c:LINE) of the plugin "
        + "unruly"
    ),
    (
      "CRASHRD_",
      "signal 11 (SIGSEGV, invalid memory access) in unruly_explode (unruly.c:LINE) of the plugin "
        + "unruly"
    ),
    ("ABORTNOW", "signal 6 (SIGABRT, abort) in demux (unruly.c:LINE) of the plugin unruly"),
    (
      "THROWNOW",
      "in tables::Reader::load(char const*) (thrower.cpp:LINE) of the plugin unruly: uncaught C++ "
        + "exception std::runtime_error: the table is missing"
    ),
    ("SANITIZE", "status 1: AddressSanitizer: heap-buffer-overflow tables.c:12 in load"),
    ("EXITNOW_", "was ended by a plugin or a library"),
  ])
  func `a crash is reported for its file with its place`(_ word: String, _ reason: String) throws {
    let run = try run(["bad.x": word, "good.x": "GOODFILE"])
    #expect(run.status == 1)
    #expect(run.outcome("good.x") == "converted")
    #expect(run.outcome("bad.x") == "failed")
    let found = run.reason("bad.x").replacing(/(unruly\.c|thrower\.cpp):\d+/) { "\($0.1):LINE" }
    #expect(found.contains(reason), "\(found)")
    #expect(run.reason("bad.x").contains("alone"))
    #expect(!run.reason("bad.x").contains("Backtrace"))
  }

  @Test(arguments: [
    ("FORGECNV", "sent the answer \"converted\", which was not asked for"),
    ("FORGEPLN", "sent \"planned\t0\t0\tconvert"),
    ("FLOODING", "sent an answer of more than 1048576 bytes"),
  ])
  func `answers that a plugin forges are not believed`(_ word: String, _ reason: String) throws {
    let run = try run([
      "a.x": "GOODFILE", "bad.x": word, "c.x": "GOODFILE", "d.x": "GOODFILE",
    ])
    #expect(run.status == 1)
    #expect(
      ["a.x", "c.x", "d.x"].map { run.outcome($0) } == ["converted", "converted", "converted"])
    #expect(run.outcome("bad.x") == "failed")
    #expect(run.reason("bad.x").contains(reason), "\(run.reason("bad.x"))")
  }

  @Test func `a worker that computes is slow and does not hang`() throws {
    let run = try run(["slow.x": "SLOWOPEN"], patience: 2)
    #expect(run.status == 0)
    #expect(run.outcome("slow.x") == "converted")
    #expect(run.warnings == [])
  }

  @Test(arguments: ["HANGNOW_", "HANGREAD"])
  func `a hang is reported for its file with the plugin that hangs`(_ word: String) throws {
    let run = try run(
      ["bad.x": word, "good.x": "GOODFILE"], patience: 2)
    #expect(run.status == 1)
    #expect(run.outcome("good.x") == "converted")
    #expect(
      run.reason("bad.x").contains("did not respond for 2 seconds and was killed in ")
        && run.reason("bad.x").contains("the plugin unruly"), "\(run.reason("bad.x"))")
  }

  @Test func `doctor remembers a crash until the plugin is replaced`() throws {
    let folder = TemporaryFolder()
    let plugin = try CPlugin("unruly.c", linking: ["-lpthread"])
    try folder.write("CRASHNOW", as: "in/bad.x")
    let environment = plugin.environment + ["XDG_CACHE_HOME=\(folder("cache"))"]
    func doctor() throws -> String {
      try Respool.run("plugins", "doctor", environment: environment).output
    }
    #expect(!(try doctor().contains("ended")))
    let run = try BatchRun(folder("in"), to: folder("out"), environment: environment)
    #expect(run.status == 1)
    let report = try doctor()
    // The file is tried twice.
    #expect(report.contains("unruly ended 2 jobs; the last process was killed by signal 11"))
    #expect(report.contains("in unruly_explode (unruly.c:"), "\(report)")
    #expect(report.contains("when it worked on \(folder("in/bad.x")), 20"), "\(report)")
    #expect(report.contains("Problems found: 1."))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: plugin.path)
    #expect(try doctor().contains("No problems found."))
  }

  @Test func `a thread that crashes late fails no file`() throws {
    var words: [String: String] = [:]
    for index in 0..<9 { words["late-\(index).x"] = "CRASHLAT" }
    let run = try run(words, ["--jobs", "1"])
    #expect(run.status == 0, "\(run.events)")
    #expect(run.summary["converted"] as? Int == 9)
  }

  @Test func `files before the end of a worker are named as suspects`() throws {
    let folder = TemporaryFolder()
    let plugin = try CPlugin("unruly.c", linking: ["-lpthread"])
    try folder.write("CRASHLAT", as: "in/a-late.x")
    // Enough files to keep the process working until it dies.
    for index in 0..<40 { try folder.add("speech.wav", as: "in/good-\(index).wav") }
    let run = try BatchRun(
      folder("in"), to: folder("out"), ["--jobs", "1"], environment: plugin.environment)
    #expect(run.status == 0)
    #expect(run.summary["converted"] as? Int == 41)
    #expect(run.warnings.contains { $0.contains("had worked on") && $0.contains("before") })
  }

  /// Starts a batch with one worker, which converts the longest file first, and waits for its progress.
  private func startLong(
    _ folder: TemporaryFolder, preset: String = "opus-128k"
  ) throws -> Running {
    for index in 0..<3 { try folder.add("speech.wav", as: "in/short-\(index).wav") }
    try folder.addLongSound(as: "in/long.wav")
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", preset, "--json", "--jobs", "1",
    ])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    return batch
  }

  @Test func `a file whose worker is killed twice fails`() throws {
    let folder = TemporaryFolder()
    let batch = try startLong(folder)
    let first = try #require(batch.children.first)
    kill(first, SIGKILL)
    func progress() -> Int { batch.output.components(separatedBy: "\"progress\"").count }
    try batch.wait(until: "the others are done") {
      batch.output.components(separatedBy: "\"finished\"").count == 4
    }
    let before = progress()
    try batch.wait(until: "it is tried again") { progress() > before + 2 }
    kill(try #require(batch.children.first), SIGKILL)
    let run = try BatchRun(try batch.wait())
    #expect(run.status == 1)
    #expect(run.outcome("long.wav") == "failed")
    #expect(run.reason("long.wav").contains("signal 9"))
    for index in 0..<3 { #expect(run.outcome("short-\(index).wav") == "converted") }
    #expect(run.warnings.contains { $0.contains("long.wav") && $0.contains("tried again") })
    #expect(
      TemporaryFolder.outputs(in: folder("out")) == [
        "short-0.opus", "short-1.opus", "short-2.opus",
      ])
  }

  @Test func `workers that never start end the batch with a summary`() throws {
    let folder = TemporaryFolder()
    let doom = try CPlugin("doomed.c")
    for index in 0..<3 { try folder.add("speech.wav", as: "in/\(index).wav") }
    let run = try BatchRun(
      folder("in"), to: folder("out"), environment: ["LD_PRELOAD=\(doom.path)"])
    #expect(run.status == 1)
    #expect(run.summary["left"] as? Int == 3)
    #expect(run.errors.contains("in a row ended before they could begin"), "\(run.errors)")
    #expect(run.errors.contains("status 3"), "\(run.errors)")
    #expect(TemporaryFolder.contents(of: folder("out")).isEmpty)
  }

  /// Without this error, the record would name the wrong preset for later outputs.
  @Test func `a preset that changes ends the batch with a summary`() throws {
    let folder = TemporaryFolder()
    func writePreset(_ bitRate: String) throws {
      try folder.write(
        "extends: opus-128k\nname: mine\naudio: {bitrate: \(bitRate)}\n", as: "mine.yaml")
    }
    try writePreset("32k")
    let batch = try startLong(folder, preset: folder("mine.yaml"))
    try writePreset("64k")
    kill(try #require(batch.children.first), SIGKILL)
    let run = try BatchRun(try batch.wait())
    #expect(run.status == 1)
    #expect(
      run.errors.contains("the preset \(folder("mine.yaml")) has changed since the batch began"),
      "\(run.errors)")
    #expect(run.summary["left"] as? Int == 4)
    #expect(TemporaryFolder.outputs(in: folder("out")).isEmpty)
  }

  @Test func `a batch outlives the reader of its output`() throws {
    let folder = TemporaryFolder()
    for index in 0..<6 { try folder.add("speech.wav", as: "in/\(index).wav") }
    let batch = try Running(
      [
        "/bin/bash", "-c", "\"$0\" \"$@\" | head -1; exit ${PIPESTATUS[0]}", Respool.executable,
        "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
      ], environment: Respool.environment, folder: nil)
    #expect(try batch.wait().status == 0)
    #expect(TemporaryFolder.outputs(in: folder("out")).count == 6)
  }

  @Test func `a worker that is killed at any time ends no batch`() throws {
    let folder = TemporaryFolder()
    for index in 0..<4 { try folder.add("speech.wav", as: "in/\(index).wav") }
    for delay in stride(from: 0, to: 60_000, by: 10_000) {
      let output = folder("out-\(delay)")
      let batch = try Respool.start([
        "batch", folder("in"), "--to", output, "--preset", "opus-128k", "--json", "--jobs", "1",
      ])
      try batch.wait(until: "there is a worker") { !batch.children.isEmpty }
      usleep(UInt32(delay))
      for worker in batch.children { kill(worker, SIGKILL) }
      let run = try BatchRun(try batch.wait())
      #expect(run.status == 0, "\(delay): \(run.errors) \(run.events)")
      #expect(run.summary["converted"] as? Int == 4)
    }
  }
}
