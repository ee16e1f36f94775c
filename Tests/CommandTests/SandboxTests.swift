import Foundation
import Glibc
import Testing

/// Builds a program of the fixtures at `path`.
private func compile(_ source: String, to path: String) throws {
  let compiler = Process()
  compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  compiler.arguments = ["cc", "-o", path, Respool.package + "/Tests/Fixtures/" + source]
  try compiler.run()
  compiler.waitUntilExit()
  try #require(compiler.terminationStatus == 0)
}

/// `true` if the kernel has Landlock, which containers may forbid.
private let hasLandlock: Bool = {
  let folder = TemporaryFolder()
  do {
    try compile("landlock.c", to: folder("landlock"))
    return try Running([folder("landlock")], environment: [], folder: nil).wait().status == 0
  } catch { return true }
}()

/// Plugins that try to get out of the process that reads a file.
@Suite(.enabled(if: hasLandlock, "needs Landlock")) struct SandboxTests {
  private let folder = TemporaryFolder()
  private let plugin: CPlugin
  private var environment: [String] {
    plugin.environment + ["ESCAPE_FOLDER=\(folder("other"))", "ESCAPE_PLUGIN=\(plugin.path)"]
  }

  init() throws {
    plugin = try CPlugin("escape.c")
    try folder.write("ESCAPING", as: "in/bad.x")
    try folder.write("keep", as: "other/victim")
  }

  private func expectNothingChanged() throws {
    #expect(TemporaryFolder.contents(of: folder("other")) == ["victim"])
    #expect(try String(contentsOfFile: folder("other/victim"), encoding: .utf8) == "keep")
  }

  @Test func `a batch prevents all that a plugin tries, and converts the other files`() throws {
    try folder.add("speech.wav", as: "in/good.wav")
    let run = try BatchRun(folder("in"), to: folder("out"), environment: environment)
    #expect(run.reason("bad.x").contains("58 probes, succeeded:."), "\(run.reason("bad.x"))")
    #expect(run.outcome("good.wav") == "converted", "\(run.reason("good.wav"))")
    #expect(run.warnings.isEmpty, "\(run.warnings)")
    try expectNothingChanged()
  }

  /// Writes a preset whose encoder passes statistics in a file.
  private func twoPasses() throws -> String {
    try folder.write(
      "container: mp4\naudio: none\nvideo: {codec: h264, encoder: x264, bitrate: 200k, passes: 2}\n",
      as: "two.yaml")
    return folder("two.yaml")
  }

  @Test func `an encoder makes files in its folder, and a plugin elsewhere none`() throws {
    try folder.add("pattern-h264.mp4", as: "in/good.mp4")
    let scratch = folder("scratch")
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    let variables = environment + ["TMPDIR=\(scratch)"]
    let words = [
      "batch", folder("in"), "--to", folder("out"), "--preset", try twoPasses(), "--json",
    ]
    let run = try BatchRun(Respool.start(words, environment: variables).wait())
    #expect(run.reason("bad.x").contains("58 probes, succeeded:."), "\(run.reason("bad.x"))")
    #expect(run.outcome("good.mp4") == "converted", "\(run.reason("good.mp4"))")
    let single = try Respool.start(
      ["convert", folder("in/good.mp4"), folder("good.mp4"), "--preset", twoPasses()],
      environment: variables
    ).wait()
    #expect(single.status == 0, "\(single.errors)")
    let bad = try Respool.start(
      ["convert", folder("in/bad.x"), folder("bad.mp4"), "--preset", twoPasses()],
      environment: variables
    ).wait()
    #expect(bad.errors.contains("58 probes, succeeded:."), "\(bad.errors)")
    try expectNothingChanged()
    // The process that removes the folder of a command ends a little after it.
    for _ in 0..<100 where !TemporaryFolder.contents(of: scratch).isEmpty { usleep(20_000) }
    #expect(TemporaryFolder.contents(of: scratch) == [])
  }

  @Test(arguments: [
    ["convert", "IN", "OUT.opus"], ["convert", "IN", "OUT.mp4", "--text", "x"],
    ["concat", "IN", "IN", "OUT.mp4"], ["inspect", "IN"], ["hash", "IN"],
    ["thumbnails", "IN", "-o", "OUT.png"], ["thumbnails", "IN", "-o", "OUT-%03d.png"],
    ["waveform", "IN", "-o", "OUT.png"], ["waveform", "IN", "-o", "-", "--format", "json"],
    ["presets", "explain", "opus-128k", "IN"],
  ])
  func `a command prevents all that a plugin tries`(_ words: [String]) throws {
    let words = words.map {
      $0.replacing("IN", with: folder("in/bad.x")).replacing("OUT", with: folder("other/made"))
    }
    let result = try Respool.start(words, environment: environment).wait()
    #expect(result.status == 1)
    let text = result.errors + result.output
    #expect(text.contains("58 probes, succeeded:."), "\(text)")
    #expect(!text.contains("incomplete"))
    try expectNothingChanged()
  }

  @Test func `outputs may have odd paths`() throws {
    let media = Respool.media
    for words in [
      ["convert", media + "/speech.wav", folder("other//a.opus")],
      ["thumbnails", media + "/portrait.mov", "-o", folder("other/s-%d/x.png"), "--count", "3"],
    ] {
      let result = try Respool.start(words).wait()
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(TemporaryFolder.contents(of: folder("other/s-3")) == ["x.png"])
  }

  @Test func `what is prevented would work without the sandbox`() throws {
    let run = try BatchRun(
      folder("in"), to: folder("out"),
      environment: environment + ["RESPOOL_SANDBOX=off", "ESCAPE_HARMLESS=1"])
    let reason = run.reason("bad.x")
    for name in ["reads_passwords", "makes_tcp", "forks", "spawns", "makes_a_file", "renames"] {
      #expect(reason.contains(name), "\(reason)")
    }
    #expect(run.warnings.isEmpty)
  }

  @Test func `a kernel without Landlock is named, and system calls are limited all the same`()
    throws
  {
    let program = folder("without")
    try compile("without_landlock.c", to: program)
    try folder.add("speech.wav", as: "in/good.wav")
    func run(_ words: [String]) throws -> Respool.Result {
      try Running(
        [program, Respool.executable] + words, environment: Respool.environment + environment,
        folder: nil
      ).wait()
    }
    let batch = try BatchRun(
      run(["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]))
    #expect(batch.outcome("good.wav") == "converted", "\(batch.reason("good.wav"))")
    #expect(batch.warnings.count == 1)
    #expect(batch.warnings.first?.contains("files are not restricted: Landlock cannot") == true)
    let reason = batch.reason("bad.x")
    #expect(reason.contains("reads_passwords"), "\(reason)")
    #expect(!reason.contains("makes_tcp") && !reason.contains("removes"), "\(reason)")
    try folder.add("pattern-h264.mp4", as: "film.mp4")
    let two = try run(["convert", folder("film.mp4"), folder("two.mp4"), "--preset", twoPasses()])
    #expect(two.status == 1 && two.errors.contains("this process can make none"), "\(two.errors)")
    let single = try run(["convert", folder("in/good.wav"), folder("other/made.opus")])
    #expect(single.status == 0, "\(single.errors)")
    #expect(single.errors.contains("the sandbox is incomplete: Landlock cannot be used"))
  }

  @Test func `doctor tries the sandbox`() throws {
    let result = try Respool.start(["plugins", "doctor"]).wait()
    #expect(result.output.contains("only plugins and libraries can be opened (Landlock, version"))
    let calls = try #require(result.output.firstMatch(of: /system calls: (\d+) are allowed/))
    #expect(try #require(Int(calls.1)) <= 45)
    let off = try Respool.start(["plugins", "doctor"], environment: ["RESPOOL_SANDBOX=off"]).wait()
    #expect(off.output.contains("files: NOT restricted"))
    #expect(off.output.contains("system calls: NOT restricted"))
  }

  @Test func `a killed conversion leaves no temporary file`() throws {
    let plugin = try CPlugin("unruly.c")
    try folder.write("HANGREAD", as: "in/slow.x")
    let running = try Respool.start(
      ["convert", folder("in/slow.x"), folder("other/made.opus")], environment: plugin.environment)
    func temporaries() -> [String] {
      TemporaryFolder.contents(of: folder("other")).filter { $0.hasSuffix(".part") }
    }
    let deadline = Date().addingTimeInterval(60)
    while temporaries().isEmpty, Date() < deadline { usleep(10_000) }
    #expect(temporaries().count == 1)
    kill(running.identifier, SIGKILL)
    _ = try running.wait()
    while !temporaries().isEmpty, Date() < deadline { usleep(10_000) }
    #expect(temporaries().isEmpty)
  }
}
