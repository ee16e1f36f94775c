import Foundation
import Testing

/// The order in which files, their names and their folders are written to the disk.
@Suite struct PowerCutTests {
  private let folder = TemporaryFolder()
  private let environment: [String]

  init() throws {
    let library = try CPlugin("sync_log.c")
    try FileManager.default.moveItem(atPath: library.path, toPath: folder("sync_log.so"))
    // A worker in the sandbox could not open the log.
    environment = [
      "LD_PRELOAD=\(folder("sync_log.so"))", "SYNC_LOG=\(folder("log"))", "RESPOOL_SANDBOX=off",
    ]
  }

  /// The calls on all files, in their order, with paths below the folder.
  private func allCalls() throws -> [String] {
    // The system's temporary folder ends with a slash, and paths of descriptors have no double one.
    try String(contentsOfFile: folder("log"), encoding: .utf8).replacing("//", with: "/")
      .replacing(folder("out").replacing("//", with: "/"), with: "OUT")
      .replacing(folder.path.replacing("//", with: "/"), with: "FOLDER")
      .replacing(/\.respool-[0-9a-f]{16}\.part/, with: "PART")
      .split(separator: "\n").map(String.init)
  }

  /// The calls on the outputs and on their folder, in their order.
  private func calls() throws -> [String] {
    try allCalls().filter {
      $0.contains(" OUT") && !$0.contains(".respool/") && !$0.hasSuffix(".respool")
    }
  }

  @Test func `a converted file is on the disk before its name, and its name before the end`()
    throws
  {
    try folder.write("", as: "out/empty")
    let result = try Respool.run(
      "convert", Respool.package + "/Tests/Media/speech.wav", folder("out/speech.opus"),
      environment: environment)
    #expect(result.status == 0)
    #expect(try calls() == ["sync OUT/PART", "rename OUT/speech.opus", "sync OUT"])
  }

  @Test func `a batch ends after the names of all outputs are on the disk`() throws {
    for name in ["a", "b", "c"] { try folder.add("speech.wav", as: "in/\(name).wav") }
    let run = try BatchRun(folder("in"), to: folder("out"), environment: environment)
    #expect(run.status == 0)
    let calls = try calls()
    #expect(calls.count { $0.hasPrefix("rename") } == 3)
    #expect(calls.last == "sync OUT")
    for (number, call) in calls.enumerated() where call.hasPrefix("rename") {
      let synced = calls[..<number].count { $0 == "sync OUT/PART" }
      let named = calls[..<number].count { $0.hasPrefix("rename") }
      #expect(synced > named, "\(calls)")
    }
  }

  @Test func `new folders are on the disk before a batch ends`() throws {
    try folder.add("speech.wav", as: "in/one/two/a.wav")
    let run = try BatchRun(folder("in"), to: folder("out"), environment: environment)
    #expect(run.status == 0)
    let calls = try allCalls()
    for name in ["FOLDER", "OUT", "OUT/one", "OUT/one/two"] {
      #expect(calls.contains("sync " + name), "\(name): \(calls)")
    }
  }

  /// With the entry of the output before it, a new output would look as if the user had changed it.
  @Test(arguments: [false, true])
  func `the entry of an output is on the disk before the name if it replaces another or is strict`(
    isStrict: Bool
  ) throws {
    try folder.add("speech.wav", as: "in/a.wav")
    if !isStrict {
      #expect(try BatchRun(folder("in"), to: folder("out")).status == 0)
      try folder.setTime(1_000_000_000, of: "in/a.wav")
    }
    let run = try BatchRun(
      folder("in"), to: folder("out"), isStrict ? ["--strict"] : [], environment: environment)
    #expect(run.outcome("a.wav") == "converted")
    let calls = try allCalls()
    let written = try #require(calls.firstIndex(of: "sync OUT/PART"))
    let named = try #require(calls.firstIndex(of: "rename OUT/a.opus"))
    #expect(calls[written..<named].contains("sync OUT/.respool/ledger-wal"), "\(calls)")
  }

  @Test func `an original is moved into folders that are on the disk`() throws {
    try folder.add("speech.wav", as: "in/one/two/a.wav")
    let words = [
      "batch", folder("in"), "--replace", "--originals", folder("new/originals"), "--preset",
      "opus-128k",
    ]
    #expect(try Respool.start(words, environment: environment).wait().status == 0)
    let calls = try allCalls()
    let moved = try #require(calls.firstIndex(of: "rename FOLDER/new/originals/one/two/a.wav"))
    for name in ["", "/new", "/new/originals", "/new/originals/one", "/in"] {
      #expect(calls[..<moved].contains("sync FOLDER" + name), "\(name): \(calls)")
    }
  }
}
