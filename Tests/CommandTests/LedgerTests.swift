import Foundation
import Glibc
import Testing

/// The ledger of an output folder, and what a later batch does with it.
@Suite struct LedgerTests {
  private let folder = TemporaryFolder()

  private func run(_ words: [String] = [], preset: String = "opus-128k") throws -> BatchRun {
    try BatchRun(folder("in"), to: folder("out"), preset: preset, words)
  }

  @Test(.enabled(if: getuid() == 0, "needs another user"))
  func `a folder that the user may not read is not called one without batches`() throws {
    chmod(folder.path, 0o755)
    try FileManager.default.createDirectory(
      atPath: folder("out/.respool"), withIntermediateDirectories: true)
    chmod(folder("out/.respool"), 0o700)
    for command in ["status", "pause"] {
      let result = try Running(
        [
          "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
          Respool.executable, command, folder("out"),
        ], environment: Respool.environment, folder: nil
      ).wait()
      #expect(result.status == 1)
      #expect(result.errors.contains("cannot be read: permission denied"), "\(result.errors)")
    }
  }

  private func status(_ words: [String] = []) throws -> Respool.Result {
    try Respool.start(["status", folder("out")] + words).wait()
  }

  private func json() throws -> [String: Any] {
    let text = try status(["--json"]).output
    return try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `the output of a moved source is moved and not made again`() throws {
    try folder.add("speech.wav", as: "in/old/talk.wav")
    #expect(try run().outcome("talk.wav") == "converted")
    let inode = try folder.status("out/old/talk.opus").st_ino
    try FileManager.default.moveItem(atPath: folder("in/old"), toPath: folder("in/new"))
    try FileManager.default.moveItem(
      atPath: folder("in/new/talk.wav"), toPath: folder("in/new/speech.wav"))
    let plan = try run(["--dry-run"])
    #expect(plan.summary["alreadyDone"] as? Int == 1)
    #expect(plan.events("planned")["speech.wav"]?["movedFrom"] as? String == "old/talk.opus")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["old", "old/talk.opus"])
    let lines = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--dry-run")
    #expect(lines.output.contains("its output moves too, from old/talk.opus"), "\(lines.output)")
    let moved = try run()
    #expect(moved.outcome("speech.wav") == "skipped")
    #expect(
      moved.reason("speech.wav")
        == "the source was moved, and its output moves too, from old/talk.opus")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["new", "new/speech.opus"])
    #expect(try folder.status("out/new/speech.opus").st_ino == inode)
    #expect(try json()["converted"] as? Int == 1)
    #expect(try run().reason("speech.wav") == "the output already exists")
  }

  @Test func `a source that was copied to its new place is moved, as from another file system`()
    throws
  {
    try folder.add("speech.wav", as: "in/old/talk.wav")
    #expect(try run().outcome("talk.wav") == "converted")
    let made = try folder.status("out/old/talk.opus").st_ino
    try FileManager.default.createDirectory(
      atPath: folder("in/new"), withIntermediateDirectories: true)
    func copy(_ from: String, _ to: String) throws {
      let result = try Running(
        ["/bin/cp", "-p", folder(from), folder(to)], environment: [], folder: nil
      ).wait()
      #expect(result.status == 0)
    }
    // As long as the first one is there, it is a copy with an output of its own.
    try copy("in/old/talk.wav", "in/new/talk.wav")
    #expect(try run(["--dry-run"]).events("planned")["talk.wav"]?["movedFrom"] == nil)
    try FileManager.default.removeItem(atPath: folder("in/old"))
    #expect(try run().outcome("talk.wav") == "skipped")
    #expect(try folder.status("out/new/talk.opus").st_ino == made)
    // A copy that takes the place of its source is that source from then on.
    try copy("in/new/talk.wav", "in/new/copy")
    try FileManager.default.removeItem(atPath: folder("in/new/talk.wav"))
    try FileManager.default.moveItem(
      atPath: folder("in/new/copy"), toPath: folder("in/new/talk.wav"))
    #expect(try run().outcome("talk.wav") == "skipped")
    try FileManager.default.moveItem(
      atPath: folder("in/new/talk.wav"), toPath: folder("in/new/other.wav"))
    #expect(try run().outcome("other.wav") == "skipped")
    #expect(try folder.status("out/new/other.opus").st_ino == made)
  }

  @Test func `what a killed batch left of its page is removed`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    #expect(try run().status == 0)
    let part = "out/.respool/.respool-0123456789abcdef.part"
    try folder.write("half", as: part)
    #expect(try run().status == 0)
    #expect(!FileManager.default.fileExists(atPath: folder(part)))
  }

  @Test func `outputs with the same name move with the folder of their sources`() throws {
    try folder.add("speech.wav", as: "in/old/a.wav")
    try folder.add("speech-flac.flac", as: "in/old/a.flac")
    let rename = ["--on-collision", "rename"]
    #expect(try run(rename).status == 0)
    let names = TemporaryFolder.outputs(in: folder("out/old"))
    #expect(names.count == 2)
    let inodes = try names.map { try folder.status("out/old/\($0)").st_ino }
    try FileManager.default.moveItem(atPath: folder("in/old"), toPath: folder("in/new"))
    let moved = try run(rename)
    #expect(moved.outcome("a.wav") == "skipped" && moved.outcome("a.flac") == "skipped")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["new"] + names.map { "new/\($0)" })
    #expect(try names.map { try folder.status("out/new/\($0)").st_ino } == inodes)
    // Without its twin, a source has an output with the plain name.
    try FileManager.default.moveItem(atPath: folder("in/new/a.wav"), toPath: folder("in/a.wav"))
    let alone = try run(rename)
    #expect(alone.outcome("a.wav") == "skipped")
    #expect(TemporaryFolder.outputs(in: folder("out")).contains("a.opus"))
    #expect(try run(rename).summary["alreadyDone"] as? Int == 2)
  }

  @Test func `an output folder whose path has a link has a ledger`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    mkdir(folder("real"), 0o777)
    try #require(symlink("real", folder("out")) == 0)
    let first = try run()
    #expect(first.outcome("a.wav") == "converted" && first.warnings.isEmpty, "\(first.warnings)")
    #expect(try run().summary["alreadyDone"] as? Int == 1)
    #expect(try json()["converted"] as? Int == 1)
  }

  @Test func `the output of a copied source stays`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    try #require(link(folder("in/a.wav"), folder("in/b.wav")) == 0)
    let again = try run()
    #expect(again.outcome("a.wav") == "skipped")
    #expect(again.outcome("b.wav") == "converted")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["a.opus", "b.opus"])
  }

  /// The place of a moved source may be taken by a file of the user.
  @Test func `no file is replaced by a moved output`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    try FileManager.default.moveItem(atPath: folder("in/a.wav"), toPath: folder("in/b.wav"))
    try folder.write("my own notes", as: "out/b.opus")
    let again = try run()
    #expect(again.outcome("b.wav") == "failed")
    #expect(
      FileManager.default.contents(atPath: folder("out/b.opus")) == Data("my own notes".utf8))
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["a.opus", "b.opus"])
  }

  @Test func `failed and skipped files are remembered until something changes`() throws {
    try folder.write("RIFF....WAVEfmt ", as: "in/bad.wav")
    try folder.write("hello", as: "in/read.txt")
    func isRemembered(_ run: BatchRun, _ name: String) -> Bool {
      run.events("finished")[name]?["remembered"] as? Bool ?? false
    }
    let first = try run()
    #expect(first.status == 1 && !isRemembered(first, "bad.wav"))
    let second = try run()
    #expect(second.status == 1)
    #expect(isRemembered(second, "bad.wav") && isRemembered(second, "read.txt"))
    #expect(second.outcome("bad.wav") == "failed" && second.outcome("read.txt") == "skipped")
    #expect(second.reason("bad.wav") == first.reason("bad.wav"))
    let retried = try run(["--retry-failed"])
    #expect(!isRemembered(retried, "bad.wav") && isRemembered(retried, "read.txt"))
    #expect(!isRemembered(try run(preset: "wav"), "bad.wav"))
    try FileManager.default.removeItem(atPath: folder("in/bad.wav"))
    try folder.add("speech.wav", as: "in/bad.wav")
    #expect(try run().outcome("bad.wav") == "converted")
  }

  @Test func `changed link counts, owners and permissions are no change`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try folder.write("RIFF....WAVEfmt ", as: "in/bad.wav")
    _ = try run()
    for name in ["in/a.wav", "in/bad.wav", "out/a.opus"] {
      try #require(link(folder(name), folder("link")) == 0)
      try #require(chmod(folder(name), 0o640) == 0)
      unlink(folder("link"))
    }
    let again = try run()
    #expect(again.summary["alreadyDone"] as? Int == 1)
    #expect(again.events("finished")["bad.wav"]?["remembered"] as? Bool == true)
  }

  /// A batch that only counts finished files has no list of them.
  @Test func `a new file does not take the output of a file that is only counted`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try folder.add("speech.wav", as: "in/deep/b.wav")
    #expect(try run().summary["converted"] as? Int == 2)
    try folder.add("speech-flac.flac", as: "in/a.flac")
    let before = try folder.status("out/a.opus").st_ino
    func text(_ words: [String]) throws -> String {
      try Respool.start(
        ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k"] + words
      ).wait().errors
    }
    let plan = try text(["--dry-run", "--on-collision", "rename"])
    #expect(plan.contains("plan: 1 to convert"), "\(plan)")
    #expect(plan.contains("2 skipped (2 already done)"), "\(plan)")
    let failed = try text([])
    #expect(failed.contains("a.opus is also that of /"), "\(failed)")
    #expect(failed.contains("2 skipped (2 already done), 1 failed"), "\(failed)")
    let renamed = try text(["--on-collision", "rename"])
    #expect(renamed.contains("1 converted"), "\(renamed)")
    #expect(
      TemporaryFolder.outputs(in: folder("out")) == [
        "a flac.opus", "a.opus", "deep", "deep/b.opus",
      ])
    #expect(try folder.status("out/a.opus").st_ino == before)
  }

  @Test func `a finished file that is an input of the batch is not replaced`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    #expect(try run(preset: "wav").outcome("a.wav") == "copied")
    // The output of b.flac has the place of a file that is already done.
    try #require(link(folder("in/a.wav"), folder("out/b.wav")) == 0)
    try folder.add("speech-flac.flac", as: "in/b.flac")
    let again = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "wav",
    ]).wait()
    #expect(again.status == 1 && again.errors.contains("the output is also the input"), "\(again)")
  }

  @Test func `finished files are neither counted nor named if the user excludes them`() throws {
    for name in ["a.wav", "Old/b.wav"] { try folder.add("speech.wav", as: "in/" + name) }
    #expect(try run().summary["converted"] as? Int == 2)
    for words in [["--quiet"], ["--json"], ["--verbose"]] {
      _ = try Respool.start(
        ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k"] + words
      ).wait()
    }
    let again = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--exclude", "b.*",
    ]).wait()
    #expect(
      again.errors.contains("2 skipped (1 already done, 1 excluded), 0 failed"), "\(again.errors)")
    let named = try run()
    #expect(named.outcome("b.wav") == "skipped" && named.summary["alreadyDone"] as? Int == 2)
  }

  @Test func `status shows what batches have done`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try folder.write("RIFF....WAVEfmt ", as: "in/bad.wav")
    _ = try run()
    let result = try status()
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("1 converted, 0 copied, 0 skipped, 1 failed\nsources "))
    #expect(result.output.contains("the last batch, with opus-128k, began 20"))
    #expect(result.output.contains("/in/bad.wav: no fmt chunk"))
    let document = try json()
    #expect(document["converted"] as? Int == 1)
    #expect(document["sourceBytes"] as? Int == Int(try folder.status("in/a.wav").st_size))
    #expect(document["outputBytes"] as? Int == Int(try folder.status("out/a.opus").st_size))
    #expect(document["running"] as? Bool == false)
    #expect((document["lastBatch"] as? [String: Any])?["failed"] as? Int == 1)
    let failure = (document["failures"] as? [[String: Any]])?.first
    #expect((failure?["input"] as? String)?.hasSuffix("/in/bad.wav") == true)
  }

  @Test func `status says that files count once for each preset`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    _ = try run()
    #expect(try status().output.hasPrefix("1 converted, 0 copied, 0 skipped, 0 failed\n"))
    _ = try run(preset: "flac")
    #expect(
      try status().output.hasPrefix(
        "2 converted, 0 copied, 0 skipped, 0 failed by 2 presets: a file counts for each that took it\n"
      ))
    #expect(try json()["presets"] as? Int == 2)
  }

  @Test func `status reports a running batch and one that was killed`() throws {
    mkdir(folder("in"), 0o777)
    try folder.addLongSound(as: "in/long.wav")
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
    ])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    #expect(try status().output.contains(" and is running"))
    kill(batch.identifier, SIGKILL)
    _ = try batch.wait()
    #expect(try status().output.contains(" and was stopped before its end"))
    #expect(try json()["running"] as? Bool == false)
  }

  @Test func `a folder without a ledger is an error`() throws {
    mkdir(folder("out"), 0o777)
    let result = try status()
    #expect(result.status == 1)
    #expect(result.errors.contains("the folder has no ledger of a batch"))
  }

  /// One bit of a page is enough to change the name of a column.
  @Test func `a ledger whose tables are not ours is replaced`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    _ = try run()
    let path = folder("out/.respool/ledger")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.range(of: Data("published INTEGER".utf8)))
    bytes[place.lowerBound] = UInt8(ascii: "q")
    try bytes.write(to: URL(fileURLWithPath: path))
    let again = try run()
    #expect(again.summary["alreadyDone"] as? Int == 1)
    #expect(again.warnings.contains { $0.contains("is damaged") }, "\(again.warnings)")
    #expect(try run().warnings.isEmpty)
  }

  /// An output without an entry may have been made with losses.
  @Test func `an output without an entry is examined once`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    _ = try run()
    try FileManager.default.removeItem(atPath: folder("out/.respool/ledger"))
    /// Seconds that a worker had the file; 0 if it was not examined.
    func work(_ run: BatchRun) -> Double {
      run.events("finished")["a.wav"]?["seconds"] as? Double ?? -1
    }
    let plan = try run(["--dry-run"])
    #expect(plan.summary["alreadyDone"] as? Int == 1 && plan.warnings.isEmpty)
    let first = try run()
    #expect(first.outcome("a.wav") == "skipped" && work(first) > 0)
    #expect(try json()["converted"] as? Int == 1)
    let second = try run()
    #expect(second.outcome("a.wav") == "skipped" && work(second) == 0)
    let strict = try run(["--strict"])
    #expect(strict.outcome("a.wav") == "failed")
    #expect(strict.reason("a.wav").contains("the ledger does not state what it has lost"))
    // Another preset may make the same.
    try folder.write("extends: opus-128k\nname: other\n", as: "other.yaml")
    #expect(try run(preset: folder("other.yaml")).outcome("a.wav") == "skipped")
    try folder.setTime(1_500_000_000, of: "in/a.wav")
    let changed = try run()
    #expect(changed.outcome("a.wav") == "failed")
    #expect(changed.reason("a.wav").contains("the source has changed"))
    #expect(try run(["--on-exists", "replace", "--strict"]).outcome("a.wav") == "converted")
    #expect(try run(["--strict"]).outcome("a.wav") == "skipped")
  }

  /// Kills a batch that moves an output before each of its system calls that change files.
  @Test func `a moved output keeps its entry wherever a batch is killed`() throws {
    let library = try CPlugin("kill_at.c")
    func begin() throws -> ino_t {
      for name in ["in", "out"] { try? FileManager.default.removeItem(atPath: folder(name)) }
      try folder.add("speech.wav", as: "in/old/deep/a.wav")
      _ = try run()
      let inode = try folder.status("out/old/deep/a.opus").st_ino
      try FileManager.default.moveItem(atPath: folder("in/old"), toPath: folder("in/new"))
      return inode
    }
    var call = 1
    while true {
      let inode = try begin()
      let killed = try Respool.start(
        ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"],
        environment: ["LD_PRELOAD=\(library.path)", "KILL_AT=\(call)"]
      ).wait()
      if killed.status == 0 { break }
      try #require(killed.status == 128 + SIGKILL, "call \(call): \(killed.errors)")
      let again = try run(["--strict"])
      #expect(again.outcome("a.wav") == "skipped", "call \(call): \(again.events)")
      #expect(
        TemporaryFolder.outputs(in: folder("out")) == ["new", "new/deep", "new/deep/a.opus"],
        "call \(call)")
      #expect(try folder.status("out/new/deep/a.opus").st_ino == inode, "call \(call)")
      #expect(try json()["converted"] as? Int == 1, "call \(call)")
      call += 1
    }
    #expect(call > 5)
  }

  /// Kills the batch before each of its system calls that change files, and starts it again.
  @Test(arguments: [0, 1, 2, 3])
  func `nothing is lost or made twice wherever a batch is killed`(residue: Int) throws {
    for name in ["a", "b"] { try folder.add("speech.wav", as: "in/\(name).wav") }
    try folder.write("RIFF....WAVEfmt ", as: "in/bad.wav")
    let library = try CPlugin("kill_at.c")
    func start(_ environment: [String]) throws -> Respool.Result {
      try Respool.start(
        ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"],
        environment: environment
      ).wait()
    }
    let undisturbed = try BatchRun(folder("in"), to: folder("whole"))
    #expect(undisturbed.summary["converted"] as? Int == 2)
    var call = residue + 1
    while true {
      let killed = try start(["LD_PRELOAD=\(library.path)", "KILL_AT=\(call)"])
      if killed.status == 1 { break }
      try #require(killed.status == 128 + SIGKILL, "call \(call): \(killed.errors)")
      let finished = TemporaryFolder.outputs(in: folder("out")).filter { !$0.hasPrefix(".") }
      let inodes = try finished.map { try folder.status("out/" + $0).st_ino }
      let again = try run()
      #expect(again.status == 1 && again.reason("bad.wav").hasPrefix("no fmt"), "call \(call)")
      #expect(TemporaryFolder.outputs(in: folder("out")) == ["a.opus", "b.opus"], "call \(call)")
      #expect(
        try finished.map { try folder.status("out/" + $0).st_ino } == inodes,
        "call \(call): a finished output was made again")
      for name in ["a.opus", "b.opus"] {
        #expect(
          FileManager.default.contents(atPath: folder("out/" + name))
            == FileManager.default.contents(atPath: folder("whole/" + name)), "call \(call)")
      }
      #expect(try json()["converted"] as? Int == 2, "call \(call)")
      try FileManager.default.removeItem(atPath: folder("out"))
      call += 4
    }
    #expect(call > 40)
  }
}
