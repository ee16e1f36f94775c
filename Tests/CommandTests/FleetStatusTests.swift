import Foundation
import Glibc
import Testing

/// Numbers and failures of plans that `status`, `work` and `collect` state, compared with what is in the output folder.
@Suite struct FleetStatusTests {
  private let folder = TemporaryFolder()
  private static let names = (0..<6).map { "sound \($0).wav" }
  private var plan: String { folder("sounds.respool") }

  private func makePlan(sounds: Bool = true) throws -> Respool.Result {
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    for (number, name) in Self.names.enumerated() where sounds {
      try folder.addLongSound(as: "in/\(name)", seconds: 30 + number)
    }
    return try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "-o", plan)
  }

  private func startShare() throws -> Running {
    try Respool.start(["work", plan, "--shard", "1/1", "--jobs", "1", "--json"])
  }

  /// Plans and starts a share, and waits until it has made some files.
  private func startShare(results: Int) throws -> Running {
    #expect(try makePlan().status == 0)
    let share = try startShare()
    try share.wait(until: "results") {
      share.output.components(separatedBy: "\"finished\"").count > results
    }
    return share
  }

  private func numbers(_ path: String) throws -> [String: Int] {
    try Respool.run("status", "--json", path).object().compactMapValues { $0 as? Int }
  }

  @Test func `the status of a plan counts what was made, also by a killed process`() throws {
    let share = try startShare(results: 2)
    // Results are stored within a second.
    try share.wait(until: "numbers") { (try? numbers(plan)["made"]) ?? 0 >= 1 }
    kill(-share.identifier, SIGKILL)
    _ = try share.wait()
    let made = TemporaryFolder.outputs(in: folder("out")).count
    let cut = try numbers(plan)
    // The last of them may have its name and no entry that says so.
    #expect([made, made - 1].contains(cut["made"] ?? 0), "\(cut)")
    #expect(cut["left"] == Self.names.count - (cut["made"] ?? 0), "\(cut)")
    let document = try Respool.run("status", "--json", plan).object()
    #expect(document["fraction"] as? Double ?? 0 > 0.1)
    let collected = try Respool.run("collect", plan)
    #expect(collected.output.hasPrefix("\(cut["made"] ?? 0) converted, "), "\(collected)")

    #expect(try startShare().wait().status == 0)
    let whole = try Respool.run("status", "--json", plan).object()
    #expect(whole["made"] as? Int == Self.names.count && whole["left"] as? Int == 0, "\(whole)")
    #expect(whole["doneByOthers"] as? Int == 0 && whole["skipped"] as? Int == 0, "\(whole)")
    let machines = (whole["machines"] as? [[String: Any]] ?? []).map { $0["made"] as? Int ?? 0 }
    #expect(machines.count == 2 && machines.reduce(0, +) == Self.names.count, "\(machines)")
  }

  @Test func `a plan whose results are not collected is not replaced`() throws {
    let share = try startShare(results: 1)
    let early = try makePlan(sounds: false)
    #expect(
      early.status == 2 && early.errors.contains("a plan on which processes are working"),
      "\(early)")
    #expect(try share.wait().status == 0)
    let late = try makePlan(sounds: false)
    #expect(
      late.status == 2 && late.errors.contains("not in the ledger of its output folder yet"),
      "\(late)")
    let collected = try Respool.run("collect", plan)
    #expect(collected.output.hasPrefix("6 converted, "), "\(collected)")
    #expect(try makePlan(sounds: false).status == 0)
  }

  @Test func `the status of a plan names a pause`() throws {
    let share = try startShare(results: 1)
    let pause = try Respool.run("pause", folder("out"))
    #expect(pause.status == 0, "\(pause.errors)")
    try share.wait(until: "the pause") {
      (try? Respool.run("status", plan).output.contains("paused by respool pause")) ?? false
    }
    #expect(try Respool.run("resume", folder("out")).status == 0)
    #expect(try share.wait().status == 0)
  }

  @Test func `an output that is lost is not counted until it is there again`() throws {
    _ = try startShare(results: 1).wait()
    #expect(try Respool.run("collect", plan).status == 0)
    let output = folder("out/sound 1.opus")
    try FileManager.default.moveItem(atPath: output, toPath: folder("kept"))
    for _ in 1...2 {
      let lost = try Respool.run("collect", plan)
      #expect(lost.status == 1 && lost.output.contains("5 converted"), "\(lost)")
      #expect(lost.errors.contains("sound 1.wav: its output was removed or changed"))
      let status = try numbers(folder("out"))
      #expect(status["converted"] == 5, "\(status)")
    }
    try FileManager.default.moveItem(atPath: folder("kept"), toPath: output)
    #expect(try Respool.run("collect", plan).status == 0)
    #expect(try numbers(folder("out"))["converted"] == 6)
  }

  @Test func `work fails if an output cannot get its new name, and the status names it`() throws {
    for name in ["one", "two"] { try folder.add("speech.wav", as: "in/\(name).wav") }
    #expect(try BatchRun(folder("in"), to: folder("out")).status == 0)
    for name in ["one", "two"] {
      try FileManager.default.moveItem(
        atPath: folder("in/\(name).wav"), toPath: folder("in/new \(name).wav"))
    }
    #expect(try makePlan(sounds: false).status == 0)
    try folder.write("a file of the user", as: "out/new one.opus")
    let work = try BatchRun(startShare().wait())
    let reason = "the output of the moved source cannot be moved; plan again"
    #expect(work.status == 1 && work.outcome("new one.wav") == "failed", "\(work.errors)")
    #expect(work.reason("new one.wav") == reason)
    let status = try numbers(plan)
    #expect(status["failed"] == 1 && status["left"] == 0 && status["doneByOthers"] == 0)
    let again = try BatchRun(startShare().wait())
    #expect(again.status == 1 && again.errors.contains("1 file of the plan failed before"))
    for _ in 1...2 {
      let collected = try Respool.run("collect", plan)
      #expect(collected.status == 1, "\(collected.errors)")
      #expect(
        collected.output.hasPrefix("0 converted, 0 copied, 1 skipped, 1 failed, 0 missing"),
        "\(collected.output)")
    }
    let text = try Respool.run("status", folder("out")).output
    #expect(text.contains("new one.wav: \(reason)"), "\(text)")
    #expect(try String(contentsOfFile: folder("out/new one.opus"), encoding: .utf8).count == 18)
    // The next batch converts it under another name only if it is asked to.
    try FileManager.default.removeItem(atPath: folder("out/new one.opus"))
    let batch = try BatchRun(folder("in"), to: folder("out"))
    #expect(batch.status == 0, "\(batch.errors)")
    #expect(
      TemporaryFolder.outputs(in: folder("out")).sorted() == ["new one.opus", "new two.opus"])
  }

  @Test func `outputs of renamed sources move before and after results are collected`() throws {
    _ = try startShare(results: 1).wait()
    let before = TemporaryFolder.outputs(in: folder("out")).sorted()
    /// Renames a source, and has its output follow.
    func rename(_ name: String, by run: () throws -> BatchRun) throws {
      try FileManager.default.moveItem(
        atPath: folder("in/\(name).wav"), toPath: folder("in/new \(name).wav"))
      let result = try run()
      #expect(result.status == 0 && result.summary["converted"] as? Int == 0, "\(result.errors)")
      let outputs = TemporaryFolder.outputs(in: folder("out"))
      #expect(outputs.contains("new \(name).opus") && outputs.count == before.count, "\(outputs)")
    }
    try rename("sound 1") { try BatchRun(folder("in"), to: folder("out")) }
    // By a plan, too.
    let second = folder("second.respool")
    try rename("sound 2") {
      let planned = try Respool.run(
        "plan", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "-o", second)
      #expect(planned.status == 0, "\(planned)")
      return try BatchRun(
        Respool.start(["work", second, "--shard", "1/1", "--json"]).wait())
    }
    for _ in 1...2 {
      let collected = try Respool.run("collect", plan)
      #expect(collected.status == 0 && collected.output.hasPrefix("6 converted, "), "\(collected)")
      let status = try numbers(folder("out"))
      #expect(status["converted"] == 6 && status["foundOutputs"] == 0, "\(status)")
    }
    try rename("sound 3") { try BatchRun(folder("in"), to: folder("out")) }
    #expect(try numbers(folder("out"))["converted"] == 6)
  }
}
