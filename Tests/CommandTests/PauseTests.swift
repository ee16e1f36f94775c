import Foundation
import Glibc
import Testing

/// Pauses and limits of a batch.
@Suite struct PauseTests {
  private let folder = TemporaryFolder()

  /// Seconds of processor time of a process.
  private func used(by process: pid_t) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return 0
    }
    return (user + system) / 100
  }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
  }

  @Test func `a paused batch stands still and continues`() throws {
    try folder.addLongSound(as: "in/long.wav")
    let batch = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    let pause = try Respool.run("pause", folder("out"))
    #expect(pause.status == 0)
    #expect(pause.errors == "the work is paused; respool resume continues it\n")
    #expect(try Respool.run("pause", folder("out")).errors.contains("was paused before"))
    try batch.wait(until: "it pauses") { batch.output.contains("\"paused\"") }
    let worker = try #require(batch.children.first)
    usleep(300_000)
    let before = used(by: worker)
    usleep(1_000_000)
    #expect(used(by: worker) - before < 0.1)
    _ = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--dry-run")
    #expect(try Respool.run("status", folder("out")).output.contains("is paused"))
    let resume = try Respool.run("resume", folder("out"))
    #expect(resume.status == 0)
    #expect(resume.errors == "the work continues\n")
    let result = try BatchRun(batch.wait())
    #expect(result.status == 0)
    #expect(result.outcome("long.wav") == "converted")
    #expect(result.events.contains { $0["event"] as? String == "resumed" })
    let none = try Respool.run("pause", folder("out"))
    #expect(none.status == 1)
    #expect(none.errors.contains("no batch is working on this folder"))
  }

  @Test func `the state of a batch has the time until which it waits`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    // One minute of the day, ten hours ago.
    var (past, fields) = (time(nil) - 36_000, tm())
    localtime_r(&past, &fields)
    let begin = String(format: "%02d:%02d", fields.tm_hour, fields.tm_min)
    let end = String(
      format: "%02d:%02d", (Int(fields.tm_hour) + (fields.tm_min == 59 ? 1 : 0)) % 24,
      (fields.tm_min + 1) % 60)
    let batch = try Respool.start(
      [
        "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
        "--between", "\(begin)-\(end)",
      ])
    try batch.wait(until: "it waits") { batch.output.contains("\"paused\"") }
    let state = try Respool.run("status", folder("out"))
    #expect(state.output.contains("waits until \(begin)"), "\(state)")
    #expect(
      try Respool.run("status", folder("out"), "--json").output
        .contains("\"waitsUntil\": \"\(begin)\""))
    batch.interrupt()
    #expect(try batch.wait().status == 130)
    #expect(try !Respool.run("status", folder("out")).output.contains("waits"))
  }

  @Test func `a paused batch can be interrupted, and the next one is not paused`() throws {
    try folder.addLongSound(as: "in/long.wav")
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]
    let batch = try Respool.start(words)
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    _ = try Respool.run("pause", folder("out"))
    try batch.wait(until: "it pauses") { batch.output.contains("\"paused\"") }
    batch.interrupt()
    #expect(try batch.wait().status == 130)
    let next = try BatchRun(Respool.start(words).wait())
    #expect(next.status == 0)
    #expect(!next.events.contains { $0["event"] as? String == "paused" })
  }

  @Test func `workers of a killed batch end, paused or not`() throws {
    try folder.addLongSound(as: "in/long.wav")
    let batch = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    _ = try Respool.run("pause", folder("out"))
    try batch.wait(until: "it pauses") { batch.output.contains("\"paused\"") }
    let worker = try #require(batch.children.first)
    kill(batch.identifier, SIGKILL)
    _ = try batch.wait()
    let deadline = Date().addingTimeInterval(20)
    while kill(worker, 0) == 0, !isZombie(worker), Date() < deadline { usleep(10_000) }
    #expect(kill(worker, 0) != 0 || isZombie(worker))
  }

  private func isZombie(_ process: pid_t) -> Bool {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return text.contains(") Z ")
  }

  @Test func `outside of its hours a batch waits`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    var (now, fields) = (time(nil), tm())
    localtime_r(&now, &fields)
    // Two hours that begin in 3 hours.
    let (begin, end) = ((fields.tm_hour + 3) % 24, (fields.tm_hour + 5) % 24)
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
      "--between", "\(begin):00-\(end):00",
    ])
    try batch.wait(until: "it pauses") { batch.output.contains("\"paused\"") }
    #expect(batch.output.contains("until \(begin < 10 ? "0" : "")\(begin):00"))
    #expect(!batch.output.contains("\"finished\""))
    batch.interrupt()
    #expect(try batch.wait().status == 130)
  }

  @Test(arguments: [
    (["--limit-memory", "10M"], "of memory, more than 10 MB, and was killed"),
    (["--limit-output", "100k"], "wrote more than 100 kB"),
    (["--limit-cpu", "0m"], "used the processor for more than"),
  ])
  func `a file that exceeds a limit fails with the limit`(_ words: [String], _ reason: String)
    throws
  {
    try folder.addLongSound(as: "in/long.wav")
    try folder.write("no media", as: "in/a.txt")
    let run = try BatchRun(folder("in"), to: folder("out"), words)
    #expect(run.status == 1)
    #expect(run.outcome("long.wav") == "failed")
    #expect(run.reason("long.wav").contains(reason), "\(run.reason("long.wav"))")
    #expect(TemporaryFolder.contents(of: folder("out")).allSatisfy { !$0.hasSuffix(".part") })
  }

  @Test func `planning a file takes at most ten seconds of processor time`() throws {
    let plugin = try CPlugin("unruly.c", linking: ["-lpthread"])
    try folder.write("PLANLONG", as: "in/bad.x")
    try folder.write("GOODFILE", as: "in/good.x")
    let run = try BatchRun(folder("in"), to: folder("out"), environment: plugin.environment)
    #expect(run.outcome("good.x") == "converted")
    #expect(
      run.reason("bad.x").contains("used the processor for more than 0:10"),
      "\(run.reason("bad.x"))")
  }

  @Test func `cores and priority are those of the workers`() throws {
    try folder.addLongSound(as: "in/long.wav")
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
      "--cores", "1", "--nice", "7",
    ])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    let worker = try #require(batch.children.first)
    #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(worker)) == 7)
    let status = try String(contentsOfFile: "/proc/\(worker)/status", encoding: .utf8)
    let cores = try #require(status.firstMatch(of: /Cpus_allowed_list:\s*(\S+)/))
    #expect(Int(cores.1) != nil, "\(cores.1)")
    batch.interrupt()
    _ = try batch.wait()
  }
}
