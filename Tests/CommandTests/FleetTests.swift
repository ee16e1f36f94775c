import Foundation
import Glibc
import Testing

/// Processes that do shares of a plan, as on several machines.
@Suite struct FleetTests {
  private let folder = TemporaryFolder()
  private static let names = (0..<8).map { "sound \($0).wav" }
  private var plan: String { folder("sounds.respool") }

  /// Adds sounds that take some tenths of a second each, and plans them.
  private func makePlan(preset: String = "opus-128k") throws {
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    for (number, name) in Self.names.enumerated() {
      try folder.addLongSound(as: "in/\(name)", seconds: 15 + number)
    }
    let result = try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", preset, "-o", plan)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("out")))
  }

  private func startShare(_ share: String, _ more: [String] = []) throws -> Running {
    try Respool.start(["work", plan, "--shard", share, "--jobs", "1", "--json"] + more)
  }

  /// Starts a share and waits until it converts.
  private func startBusyShare(_ share: String, _ more: [String] = []) throws -> Running {
    let running = try startShare(share, more)
    try running.wait(until: "it converts") { running.output.contains("\"progress\"") }
    return running
  }

  /// Names of the files that processes have converted, one for each time.
  private func converted(_ runs: [BatchRun]) -> [String] {
    runs.flatMap { run in Self.names.filter { run.outcome($0) == "converted" } }.sorted()
  }

  private func contents(of output: String) -> [String: Data] {
    Dictionary(
      uniqueKeysWithValues: TemporaryFolder.outputs(in: output).map {
        ($0, FileManager.default.contents(atPath: output + "/" + $0) ?? Data())
      })
  }

  /// The ledger without times.
  private func ledger() throws -> [String] {
    let status = try Respool.run("status", folder("out"), "--json").object()
    let names = [
      "converted", "copied", "skipped", "failed", "sourceBytes", "outputBytes",
      "incompleteSources", "outputsWithLosses", "failures",
    ]
    return names.map { "\($0): \(status[$0] ?? "")" }
  }

  private func collect(_ expected: String, status: Int32 = 0) throws {
    let result = try Respool.run("collect", plan)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.hasPrefix(expected), "\(result.output)\(result.errors)")
  }

  /// Temporary files in the folder of the outputs.
  private func remains() -> [String] {
    TemporaryFolder.contents(of: folder("out")).filter { $0.contains(".part") }
  }

  @Test func `one, two and three processes make the same files and the same ledger`() throws {
    try makePlan()
    var (outputs, ledgers): ([[String: Data]], [[String]]) = ([], [])
    for count in 1...3 {
      let shares = try (1...count).map { try startShare("\($0)/\(count)") }
      let runs = try shares.map { try BatchRun($0.wait()) }
      for run in runs { #expect(run.status == 0, "\(run.errors)") }
      #expect(converted(runs) == Self.names)
      try collect("8 converted, 0 copied, 0 skipped, 0 failed, 0 missing")
      outputs.append(contents(of: folder("out")))
      ledgers.append(try ledger())
      #expect(remains() == [])
      // The next batch knows them all.
      let next = try BatchRun(folder("in"), to: folder("out"))
      #expect(next.summary["alreadyDone"] as? Int == Self.names.count)
      try FileManager.default.removeItem(atPath: folder("out"))
    }
    #expect(outputs[0].count == Self.names.count)
    #expect(outputs[0] == outputs[1] && outputs[0] == outputs[2])
    #expect(ledgers[0] == ledgers[1] && ledgers[0] == ledgers[2])
  }

  @Test func `a share that is started twice does nothing twice`() throws {
    try makePlan()
    let first = try startBusyShare("1/1")
    let second = try startShare("1/1")
    let runs = try [BatchRun(first.wait()), BatchRun(second.wait())]
    for run in runs { #expect(run.status == 0, "\(run.errors)") }
    #expect(converted(runs) == Self.names)
    let third = try BatchRun(startShare("1/1").wait())
    #expect(third.status == 0 && converted([third]) == [])
    try collect("8 converted")
  }

  @Test func `a plan that is collected again changes nothing that a later batch has done`() throws {
    try makePlan()
    let changed = folder("in/\(Self.names[1])")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 100)], ofItemAtPath: changed)
    #expect(try startShare("1/1").wait().status == 1)
    // The first collection may come after a batch, too.
    for isFirst in [true, false] {
      if isFirst {
        #expect(try BatchRun(folder("in"), to: folder("out")).outcome(Self.names[1]) == "converted")
      } else {
        try folder.addLongSound(as: "in/other.wav", seconds: 40)
        let replaced = folder("in/\(Self.names[0])")
        try FileManager.default.removeItem(atPath: replaced)
        try FileManager.default.moveItem(atPath: folder("in/other.wav"), toPath: replaced)
        #expect(try BatchRun(folder("in"), to: folder("out")).outcome(Self.names[0]) == "converted")
      }
      let before = try ledger()
      try collect("7 converted, 0 copied, 0 skipped, 1 failed, 0 missing", status: 1)
      #expect(try ledger() == before)
      let next = try BatchRun(folder("in"), to: folder("out"))
      #expect(next.status == 0, "\(next.errors)")
      #expect(next.summary["alreadyDone"] as? Int == Self.names.count)
    }
  }

  @Test func `the work of a killed process is taken over`() throws {
    try makePlan()
    let first = try startBusyShare("1/1")
    kill(-first.identifier, SIGKILL)
    _ = try first.wait()
    let lost = try Respool.run("status", plan)
    #expect(lost.output.contains("gone since"), "\(lost.output)")
    let partial = try Respool.run("collect", plan)
    #expect(partial.status == 1 && partial.errors.contains("missing: "), "\(partial.errors)")
    #expect(remains() == [], "of a process that is gone")
    let second = try BatchRun(startShare("1/1").wait())
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.warnings.contains { $0.contains("has ended before its work was complete") })
    try collect("8 converted, 0 copied, 0 skipped, 0 failed, 0 missing")
    #expect(TemporaryFolder.outputs(in: folder("out")).count == Self.names.count)
    #expect(remains() == [])
  }

  @Test func `temporary files of other machines stay, whose locks may be unknown`() throws {
    try makePlan()
    let other = "out/.respool-0123456789abcdef01234567.part"
    try FileManager.default.createDirectory(
      atPath: folder("out"), withIntermediateDirectories: true)
    try folder.write("half", as: other)
    let first = try startBusyShare("1/1")
    kill(-first.identifier, SIGKILL)
    _ = try first.wait()
    let second = try BatchRun(startShare("1/1").wait())
    #expect(second.status == 0, "\(second.errors)")
    try collect("8 converted, 0 copied, 0 skipped, 0 failed, 0 missing")
    #expect(remains() == [String(other.dropFirst(4))])
  }

  @Test func `a process gives back its work on SIGTERM`() throws {
    try makePlan()
    let first = try startBusyShare("1/1", ["--grace", "0"])
    kill(-first.identifier, SIGTERM)
    let stopped = try BatchRun(first.wait())
    #expect(stopped.status == 75, "\(stopped.errors)")
    #expect(!Self.names.contains { stopped.outcome($0) == "failed" })
    let second = try BatchRun(startShare("1/1").wait())
    #expect(second.status == 0, "\(second.errors)")
    try collect("8 converted")
    #expect(remains() == [])
  }

  @Test func `a task that finishes nothing in the third time is not queued again`() throws {
    try makePlan()
    for (restarts, status) in [("1", 75), ("2", 1)] {
      let share = try Respool.start(
        ["work", plan, "--shard", "1/1", "--jobs", "1", "--json", "--grace", "0"],
        environment: ["SLURM_RESTART_COUNT=\(restarts)"])
      try share.wait(until: "it converts") { share.output.contains("\"progress\"") }
      kill(-share.identifier, SIGTERM)
      let ended = try share.wait()
      #expect(ended.status == status, "\(ended.errors)")
      #expect(ended.errors.contains("which has begun 3 times") == (status == 1))
      let left = try BatchRun(ended).summary["left"] as? Int
      #expect(left == Self.names.count)
    }
  }

  @Test func `a plan waits for a batch that uses its folder`() throws {
    try makePlan()
    let watch = try Respool.start([
      "watch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
    ])
    try watch.wait(until: "it converts") { watch.output.contains("\"progress\"") }
    let share = try startShare("1/1").wait()
    #expect(share.status == 1 && share.errors.contains("the plan can go on when that has ended"))
    watch.interrupt()
    _ = try watch.wait()
  }

  @Test func `a file that is being converted may end after SIGTERM`() throws {
    try makePlan()
    let first = try startBusyShare("1/1", ["--grace", "60"])
    // Schedulers signal all processes of a job.
    kill(-first.identifier, SIGTERM)
    let stopped = try BatchRun(first.wait())
    #expect(stopped.status == 75, "\(stopped.errors)")
    #expect(converted([stopped]).count >= 1)
    #expect(converted([stopped]).count < Self.names.count)
    let second = try BatchRun(startShare("1/1").wait())
    #expect(converted([stopped, second]) == Self.names)
  }

  @Test func `a machine with another preset converts nothing`() throws {
    try folder.write("video: none\naudio: {codec: flac}\ncontainer: flac\n", as: "own.yaml")
    let preset = folder("own.yaml")
    try makePlan(preset: preset)
    try folder.write(
      "video: none\naudio: {codec: flac, sampleRate: 22050}\ncontainer: flac\n", as: "own.yaml")
    let result = try startShare("1/1").wait()
    #expect(result.status == 2)
    #expect(
      result.errors.contains("own.yaml has another content on ")
        && result.errors.contains("than the one with which the plan was made"),
      "\(result.errors)")
    #expect(TemporaryFolder.outputs(in: folder("out")).isEmpty)
  }

  @Test func `a failed file is named by collect and not tried again`() throws {
    try makePlan()
    let early = try Respool.run("collect", plan)
    #expect(early.status == 1 && early.errors.contains("all 8 files are missing"), "\(early)")
    let limit = ["--limit-output", "1k"]
    let run = try BatchRun(startShare("1/1", limit).wait())
    #expect(run.status == 1)
    #expect(run.outcome("sound 3.wav") == "failed")
    try collect("0 converted, 0 copied, 0 skipped, 8 failed, 0 missing", status: 1)
    let again = try BatchRun(startShare("1/1", limit).wait())
    #expect(again.status == 1 && again.outcome("sound 3.wav") == nil, "\(again.errors)")
    #expect(
      again.errors.contains("8 files of the plan failed before; respool status -v names them"))
    let status = try Respool.run("status", folder("out"))
    #expect(status.output.contains("/in/sound 3.wav: "), "\(status.output)")
    #expect(try Respool.run("status", plan).output.contains("-v names failed files"))
    let named = try Respool.run("status", "-v", plan)
    #expect(named.output.contains("failed  ") && named.output.contains("/in/sound 3.wav: "))
  }

  @Test func `the status of a plan names losses, and exchanged outputs are noticed`() throws {
    for name in ["film", "other"] { try folder.add("pattern-flac.mkv", as: "in/\(name).mkv") }
    try makePlan()
    #expect(try BatchRun(startShare("1/1").wait()).status == 0)
    let status = try Respool.run("status", "--losses", plan)
    #expect(status.output.contains("/in/film.mkv in film.opus:\n  track 1 (h264"), "\(status)")
    let document = try Respool.run("status", "--losses", "--json", plan).object()
    let losses = (document["losses"] as? [[String: Any]] ?? []).map { $0["input"] as? String ?? "" }
    #expect(losses.map { ($0 as NSString).lastPathComponent } == ["film.mkv", "other.mkv"])
    try collect("10 converted, 0 copied, 0 skipped, 0 failed, 0 missing\n0 from incomplete")
    let output = folder("out/film.opus")
    let content = try #require(FileManager.default.contents(atPath: output))
    try Data(repeating: 1, count: content.count).write(to: URL(fileURLWithPath: output))
    let result = try Respool.run("collect", plan)
    #expect(
      result.status == 1 && result.errors.contains("/in/film.mkv: its output was"), "\(result)")
    #expect(
      result.output.hasPrefix("9 converted, 0 copied, 0 skipped, 0 failed, 0 missing, 1 lost\n"))
  }

  @Test func `a batch and a plan know outputs of work that was not collected`() throws {
    try makePlan()
    #expect(try BatchRun(startShare("1/1").wait()).status == 0)
    let output = ["--to", folder("out"), "--preset", "opus-128k"]
    // The output of this one is replaced by another process, whose results are not collected either.
    try folder.addLongSound(as: "in/sound 1.wav", seconds: 20)
    let second = folder("second.respool")
    let plan = try Respool.start(["plan", folder("in")] + output + ["-o", second])
    #expect(try plan.wait().status == 0)
    let work = try Respool.start(["work", second, "--shard", "1/1", "--json"])
    let made = try BatchRun(work.wait())
    #expect(made.status == 0 && converted([made]) == ["sound 1.wav"], "\(made.errors)")
    let shown = try Respool.start(["batch", folder("in")] + output + ["--dry-run"]).wait()
    #expect(shown.status == 0 && !shown.output.contains("fail  "), "\(shown)")
    let batch = try BatchRun(
      Respool.start(["batch", folder("in")] + output + ["--json"]).wait())
    #expect(batch.status == 0 && converted([batch]) == [], "\(batch.errors)")
    let status = try Respool.run("status", "--json", folder("out")).object()
    #expect(status["converted"] as? Int == 8 && status["foundOutputs"] as? Int == 0, "\(status)")
  }

  @Test func `a source that has changed since the plan was made is named by collect`() throws {
    try makePlan()
    try folder.addLongSound(as: "in/\(Self.names[3])", seconds: 3)
    try FileManager.default.removeItem(atPath: folder("in/\(Self.names[5])"))
    let run = try BatchRun(startShare("1/1").wait())
    #expect(run.status == 1)
    #expect(run.outcome(Self.names[3]) == "failed" && run.outcome(Self.names[5]) == "failed")
    try collect("6 converted, 0 copied, 0 skipped, 2 failed, 0 missing", status: 1)
    let result = try Respool.run("collect", plan)
    #expect(result.errors.contains("the source has changed since the plan was made"))
    #expect(result.errors.contains("the source is gone since the plan was made"))
  }

  @Test func `a second plan of the same folder fails without hiding the outputs of the first`()
    throws
  {
    try makePlan()
    let second = folder("second.respool")
    let planned = try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "-o", second)
    #expect(planned.status == 0, "\(planned.errors)")
    #expect(try BatchRun(startShare("1/1").wait()).status == 0)
    try collect("8 converted, 0 copied, 0 skipped, 0 failed, 0 missing")
    let run = try Respool.run("work", second, "--shard", "1/1", "--json")
    #expect(run.status == 1)
    let collected = try Respool.run("collect", second)
    #expect(collected.status == 1)
    #expect(collected.output.hasPrefix("0 converted, 0 copied, 0 skipped, 8 failed, 0 missing"))
    #expect(collected.errors.contains("the output exists now"))
    let status = try Respool.run("status", folder("out"))
    #expect(status.output.hasPrefix("8 converted, 0 copied, 0 skipped, 0 failed"))
  }

  @Test func `an output folder that is removed is not made again`() throws {
    try makePlan()
    let first = try startBusyShare("1/1")
    try FileManager.default.removeItem(atPath: folder("out"))
    let ended = try BatchRun(first.wait())
    #expect(ended.status == 1, "\(ended.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("out")))
  }

  /// The totals of a served page.
  private func summary(_ port: Int) throws -> [String: Any] {
    let request =
      "exec 3<>/dev/tcp/127.0.0.1/\(port); printf 'GET /data.json?after=0 HTTP/1.1\\r\\n"
      + "Host: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3"
    let answer = try Running(
      ["/bin/bash", "-c", request], environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    let body = try #require(answer.output.range(of: "\r\n\r\n")).upperBound
    let object = try JSONSerialization.jsonObject(with: Data(answer.output[body...].utf8))
    return try #require((object as? [String: Any])?["summary"] as? [String: Any])
  }

  @Test func `a page shows what is left of a plan, and its preset, before it is collected`() throws
  {
    try makePlan()
    let began = Date().timeIntervalSince1970
    let running = try startBusyShare("1/1")
    let server = try Respool.start(["serve", folder("out"), "--port", "0", "--looks", "0"])
    try server.wait(until: "an address") { server.output.hasSuffix("\n") }
    let port = try #require(
      URLComponents(string: server.output.trimmingCharacters(in: .newlines))?.port)
    let first = try summary(port)
    #expect(first["preset"] as? String == "opus-128k")
    #expect((first["counts"] as? [String: Int])?["remaining"] ?? 0 > 0, "\(first)")
    #expect(try BatchRun(running.wait()).status == 0)
    let ended = Date().timeIntervalSince1970
    try server.wait(until: "no file is left") {
      (try? summary(port)["counts"] as? [String: Int])?["remaining"] == 0
    }
    sleep(2)
    try collect("8 converted")
    // The times are those of the work.
    try server.wait(until: "the times of the work") {
      guard let last = try? summary(port), let start = last["started"] as? Double,
        let end = last["ended"] as? Double
      else { return false }
      return [start, end].allSatisfy((began - 1...ended + 1).contains)
    }
  }

  @Test func `files that a killed process has made are left to no one`() throws {
    try makePlan()
    let first = try startBusyShare("1/1")
    try first.wait(until: "a result") { first.output.contains("\"finished\"") }
    kill(-first.identifier, SIGKILL)
    _ = try first.wait()
    #expect(try BatchRun(startShare("1/1").wait()).status == 0)
    let status = try Respool.run("status", "--json", plan).object()
    #expect(status["left"] as? Int == 0, "\(status)")
    let counts = ["made", "failed", "skipped"].map { status[$0] as? Int ?? 0 }
    #expect(counts.reduce(0, +) == Self.names.count, "\(status)")
    let server = try Respool.start(["serve", folder("out"), "--port", "0", "--looks", "0"])
    try server.wait(until: "an address") { server.output.hasSuffix("\n") }
    let port = try #require(
      URLComponents(string: server.output.trimmingCharacters(in: .newlines))?.port)
    try server.wait(until: "all results") {
      guard let summary = try? summary(port), let counts = summary["counts"] as? [String: Int]
      else { return false }
      return counts["converted"] == Self.names.count && counts["remaining"] == 0
    }
    try collect("8 converted, 0 copied, 0 skipped, 0 failed, 0 missing")
  }

  @Test func `a changed byte leaves a plan as it was, or makes it none`() throws {
    for name in ["a", "b", "c"] { try folder.add("speech.wav", as: "in/\(name).wav") }
    try folder.write("text", as: "in/d.txt")
    try folder.write("no output of this", as: "out/c.opus")
    _ = try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "-o", plan)
    let bytes = try #require(FileManager.default.contents(atPath: plan))
    func planned(_ bytes: Data) throws -> Respool.Result {
      try bytes.write(to: URL(fileURLWithPath: folder("changed.respool")))
      return try Respool.run("batch", "--from-plan", folder("changed.respool"), "--dry-run")
    }
    let whole = try planned(bytes)
    #expect(whole.output.contains("fail  ") && whole.output.contains("skip  "))
    // Zeros are mostly unused.
    let places = bytes.indices.filter { bytes[$0] != 0 }
    var harmless = 0
    for place in places where place % 41 == 0 {
      var changed = bytes
      changed[place] ^= 1 << (place % 8)
      let found = try planned(changed)
      if found.output == whole.output, found.status == whole.status {
        harmless += 1
        continue
      }
      #expect(found.status != 0 && found.errors.contains("the plan"), "\(place): \(found.output)")
    }
    #expect(harmless < places.count / 41 / 2)
    #expect(try planned(bytes.prefix(bytes.count - 4096)).status != 0)
  }

  @Test func `what is no plan gets a sentence at once`() throws {
    mkfifo(folder("pipe"), 0o600)
    for (name, reason) in [
      ("pipe", "a plan is a file, and this is none"), (".", "a plan is a file, and this is none"),
      ("nothing", "there is no such plan"),
    ] {
      for command in [["work", folder(name), "--shard", "1/1"], ["status", folder("pipe")]] {
        let result = try Respool.start(command).wait()
        #expect(result.status != 0)
        guard command[0] == "work" else { continue }
        #expect(result.errors.contains(reason), "\(result.errors)")
      }
    }
  }

  @Test func `a plan of another version is named as one, and can be replaced`() throws {
    try makePlan()
    // SQLite, "Database File Format", 1.3: the user version is at offset 60.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: plan))
    bytes[63] = 3
    try bytes.write(to: URL(fileURLWithPath: plan))
    let result = try Respool.run("work", plan, "--shard", "1/1")
    #expect(result.status != 0)
    #expect(
      result.errors.contains("the plan was made by another version of respool; plan again"),
      "\(result.errors)")
    try makePlan()
    #expect(try Respool.run("work", plan, "--shard", "1/1").status == 0)
  }

  @Test func `what the plan leaves out is counted`() throws {
    try folder.write("text\n", as: "in/notes.txt")
    try folder.write("RIFF....WAVEfmt ", as: "in/broken.wav")
    try folder.add("speech.wav", as: "in/pair.wav")
    try folder.add("speech-flac.flac", as: "in/pair.flac")
    try makePlanWithFailure()
    let run = try BatchRun(startShare("1/1").wait())
    #expect(run.status == 0, "\(run.errors)")
    try collect("8 converted, 0 copied, 1 skipped, 3 failed, 0 missing", status: 1)
    let status = try Respool.run("status", plan)
    #expect(status.output.hasPrefix("8 of 8 converted or copied, 0 failed, 0 left (100 %"))
    #expect(status.output.contains("the plan skips 1, and 3 failed when it was made"))
    let all = try Respool.run("status", folder("out")).output
    #expect(all.hasPrefix("8 converted, 0 copied, 1 skipped, 3 failed\n"), "\(all)")
    for name in ["broken.wav", "pair.wav", "pair.flac"] {
      #expect(all.contains("/in/\(name): "), "\(all)")
    }
  }

  /// As ``makePlan(preset:)``, with a file that cannot be read.
  private func makePlanWithFailure() throws {
    for (number, name) in Self.names.enumerated() {
      try folder.addLongSound(as: "in/\(name)", seconds: 2 + number)
    }
    let result = try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "-o", plan)
    #expect(result.status == 1, "\(result.errors)")
  }

  @Test func `shares are read from the variables of schedulers`() throws {
    try makePlan()
    let cases: [([String], [String], String?)] = [
      (["SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT=1"], [], nil),
      (["SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_TASK_COUNT=2"], [], "number the tasks from 1 to 2"),
      (["JOB_COMPLETION_INDEX=0"], ["--shards", "1"], nil),
      (["JOB_COMPLETION_INDEX=0"], [], "name it with --shards"),
      (["AWS_BATCH_JOB_ARRAY_INDEX=0", "AWS_BATCH_JOB_ARRAY_SIZE=1"], [], nil),
      ([], [], "name the share with --shard"),
    ]
    for (variables, words, problem) in cases {
      let result = try Respool.start(["work", plan] + words, environment: variables).wait()
      #expect(result.status == (problem == nil ? 0 : 2), "\(variables): \(result.errors)")
      if let problem { #expect(result.errors.contains(problem), "\(result.errors)") }
    }
  }
}
