import Foundation
import Glibc
import Testing

/// Outputs that are to be made again, whose names other files get before that, or meanwhile.
@Suite struct ReplacedOutputTests {
  private let folder = TemporaryFolder()
  private var output: String { folder("out/speech.opus") }

  private func batch(_ more: [String] = [], environment: [String] = []) throws -> BatchRun {
    try BatchRun(
      Respool.start(
        ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"] + more,
        environment: environment
      ).wait())
  }

  /// Converts a file, and changes its source afterwards.
  private func change() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    #expect(try batch().outcome("speech.wav") == "converted")
    try folder.setTime(1_700_000_000, of: "in/speech.wav")
  }

  private func content() -> String? { try? String(contentsOfFile: output, encoding: .utf8) }

  /// Makes a plan in which the output is made again.
  private func plan(_ more: [String] = []) throws -> String {
    let plan = folder("plan")
    let run = try Respool.start(
      ["plan", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "-o", plan] + more
    ).wait()
    #expect(run.status == 0, "\(run.errors)")
    return plan
  }

  private func follow(_ plan: String, _ way: String) throws -> BatchRun {
    try BatchRun(
      Respool.start(
        way == "work"
          ? ["work", plan, "--shard", "1/1", "--json"]
          : ["batch", "--from-plan", plan, "--json"]
      ).wait())
  }

  @Test(arguments: ["work", "batch"])
  func `a plan replaces no file that got the name of an output after it`(way: String) throws {
    try change()
    let plan = try plan()
    try folder.write("mine", as: "out/speech.opus")
    let run = try follow(plan, way)
    #expect(run.reason("speech.wav") == "the output has been changed since the plan was made")
    #expect(content() == "mine")
  }

  @Test(arguments: ["work", "batch"])
  func `a plan makes an output again that is as it was`(way: String) throws {
    try change()
    let plan = try plan()
    let before = try Data(contentsOf: URL(fileURLWithPath: output))
    // The time of its last change is another one.
    chmod(output, 0o600)
    let run = try follow(plan, way)
    #expect(run.outcome("speech.wav") == "converted", "\(run.events)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)).count == before.count)
    #expect(try folder.status("out/speech.opus").st_mode & 0o777 != 0o600)
  }

  @Test(arguments: ["work", "batch"])
  func `a plan makes an output as a new one if it was removed`(way: String) throws {
    try change()
    let plan = try plan()
    unlink(output)
    #expect(try follow(plan, way).outcome("speech.wav") == "converted")
    #expect(content() == nil && access(output, F_OK) == 0)
  }

  @Test(arguments: ["work", "batch"])
  func `a plan replaces no pipe`(way: String) throws {
    try change()
    let plan = try plan()
    unlink(output)
    mkfifo(output, 0o666)
    #expect(try follow(plan, way).outcome("speech.wav") == "failed")
    #expect(try folder.status("out/speech.opus").st_mode & S_IFMT == S_IFIFO)
  }

  @Test(arguments: ["work", "batch"])
  func `a plan replaces no link`(way: String) throws {
    try change()
    let plan = try plan()
    unlink(output)
    symlink("/nowhere", output)
    #expect(try follow(plan, way).outcome("speech.wav") == "failed")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: output) == "/nowhere")
  }

  @Test(arguments: [[], ["NO_EXCHANGE=1"]])
  func `an output takes the place of the one before`(environment: [String]) throws {
    try change()
    let library = try CPlugin("kill_at.c")
    let before = try folder.status("out/speech.opus").st_ino
    let run = try batch(environment: ["LD_PRELOAD=\(library.path)"] + environment)
    #expect(run.outcome("speech.wav") == "converted")
    #expect(try folder.status("out/speech.opus").st_ino != before)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["speech.opus"])
    #expect(try batch().summary["alreadyDone"] as? Int == 1)
  }

  @Test(arguments: ["mv", "write", "remove"])
  func `a file that gets the name in the last moment stays`(event: String) throws {
    try change()
    let library = try CPlugin("kill_at.c")
    try folder.write("mine", as: "other")
    let command =
      switch event {
      case "mv": "mv \(folder("other")) \(output)"
      case "write": "printf mine > \(output)"
      default: "rm \(output)"
      }
    let run = try batch(environment: [
      "LD_PRELOAD=\(library.path)", "BEFORE_EXCHANGE=\(command)",
    ])
    if event == "remove" {
      #expect(run.outcome("speech.wav") == "converted", "\(run.events)")
    } else {
      #expect(
        run.reason("speech.wav") == "the output has been changed since the file was planned",
        "\(run.events)")
      #expect(content() == "mine")
      #expect(try batch().outcome("speech.wav") == "failed")
      #expect(content() == "mine")
    }
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["speech.opus"])
  }

  @Test func `a file that gets the name of an output that is made again stays`() throws {
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    try folder.addLongSound(as: "in/speech.wav", seconds: 60)
    #expect(try batch().outcome("speech.wav") == "converted")
    try folder.setTime(1_700_000_000, of: "in/speech.wav")
    let running = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"])
    try running.wait(until: "it converts") { running.output.contains("\"progress\"") }
    try folder.write("mine", as: "other")
    rename(folder("other"), output)
    let run = try BatchRun(running.wait())
    #expect(run.reason("speech.wav") == "the output has been changed since the file was planned")
    #expect(content() == "mine")
    let next = try batch()
    #expect(next.reason("speech.wav").contains("the output has been changed since"))
    let forced = try batch(["--on-exists", "replace"])
    #expect(forced.outcome("speech.wav") == "converted")
  }

  @Test func `a link and an empty file that no batch has made stay`() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    try FileManager.default.createDirectory(
      atPath: folder("out"), withIntermediateDirectories: true)
    symlink("/nowhere", output)
    #expect(
      try batch().reason("speech.wav")
        == "the output already exists, but it is a broken link; --on-exists replace overwrites it")
    unlink(output)
    try folder.write("", as: "out/speech.opus")
    #expect(
      try batch().reason("speech.wav")
        == "the output already exists, but it is empty and not in the ledger; "
        + "--on-exists replace overwrites it")
    #expect(content() == "")
    #expect(try batch(["--on-exists", "replace"]).outcome("speech.wav") == "converted")
  }

  @Test func `a link to the output of another source is no output`() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    #expect(try batch().outcome("speech.wav") == "converted")
    // The time of the output is later than that of its source.
    try folder.add("speech.wav", as: "in/copy.wav")
    try folder.setTime(1_000_000_000, of: "in/copy.wav")
    symlink("speech.opus", folder("out/copy.opus"))
    let run = try batch()
    let reason = run.reason("copy.wav")
    #expect(reason.hasPrefix("the output already exists, but it leads to the output of /"))
    #expect(reason.contains("/in/speech.wav; --on-exists replace overwrites it"), "\(reason)")
  }

  @Test func `a plan that replaces existing files replaces only those that it has found`() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.write("old", as: "out/speech.opus")
    let plan = try plan(["--on-exists", "replace"])
    try folder.write("mine", as: "out/speech.opus")
    let run = try follow(plan, "batch")
    #expect(run.reason("speech.wav") == "the output has been changed since the plan was made")
    #expect(content() == "mine")
    #expect(
      try follow(self.plan(["--on-exists", "replace"]), "batch").outcome("speech.wav")
        == "converted")
  }

  @Test func `a link to an output that was moved elsewhere stays if the source changes`() throws {
    try change()
    rename(output, folder("elsewhere.opus"))
    symlink(folder("elsewhere.opus"), output)
    #expect(
      try batch().reason("speech.wav")
        == "the output already exists, but the source has changed, and the output is a link now; "
        + "--on-exists replace overwrites it")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: output) == folder("elsewhere.opus"))
  }
}
