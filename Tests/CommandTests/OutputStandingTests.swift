import Foundation
import Glibc
import Testing

/// Batches whose outputs exist already.
@Suite struct OutputStandingTests {
  /// Returns a folder whose only source, `in/speech.wav`, has been converted to `out/speech.opus`.
  private func converted() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.setTime(1_000_000_000, of: "in/speech.wav")
    let run = try BatchRun(folder("in"), to: folder("out"))
    #expect(run.outcome("speech.wav") == "converted")
    return folder
  }

  private func again(
    _ folder: TemporaryFolder, preset: String = "opus-128k", _ words: [String] = []
  ) throws -> BatchRun {
    try BatchRun(folder("in"), to: folder("out"), preset: preset, words)
  }

  private func content(_ folder: TemporaryFolder) -> Data? {
    FileManager.default.contents(atPath: folder("out/speech.opus"))
  }

  @Test func `outputs that are up to date are skipped and counted`() throws {
    let folder = try converted()
    let run = try again(folder)
    #expect(run.status == 0)
    #expect(run.outcome("speech.wav") == "skipped")
    #expect(run.summary["alreadyDone"] as? Int == 1)
    let text = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k")
    #expect(text.errors.contains("1 already done"))
    #expect(!text.errors.contains("speech.wav"))
    let quiet = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--quiet")
    #expect(quiet.errors == "")
    let verbose = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "-v")
    #expect(verbose.errors.contains("speech.wav"))
  }

  @Test func `a file that gets the name of an output while that is made is never replaced`() throws
  {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    try folder.addLongSound(as: "in/long.wav", seconds: 600)
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]
    let running = try Respool.start(words)
    try running.wait(until: "it converts") { running.output.contains("\"progress\"") }
    try folder.write("mine", as: "out/long.opus")
    let first = try BatchRun(running.wait())
    #expect(first.outcome("long.wav") == "failed", "\(first.events)")
    for _ in 0..<3 {
      let run = try BatchRun(Respool.start(words).wait())
      #expect(run.outcome("long.wav") == "failed")
      #expect(
        run.reason("long.wav").hasPrefix("the output already exists, but cannot be read"),
        "\(run.reason("long.wav"))")
      #expect(try String(contentsOfFile: folder("out/long.opus"), encoding: .utf8) == "mine")
    }
  }

  /// The time is set after the content was written, so that a power cut may lose it although the name is on the disk.
  @Test func `an output that got its name but not its time before a power cut is made again`()
    throws
  {
    let library = try CPlugin("kill_at.c")
    for call in 1...60 {
      let folder = TemporaryFolder()
      try folder.add("speech.wav", as: "in/speech.wav")
      try folder.setTime(1_000_000_000, of: "in/speech.wav")
      let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]
      let killed = try Respool.start(
        words,
        environment: ["LD_PRELOAD=\(library.path)", "LEDGER_SYNCS=1", "KILL_AT=\(call)"]
      ).wait()
      guard killed.status == 128 + SIGKILL else { break }
      guard let before = content(folder) else { continue }
      try folder.setTime(1_700_000_000, of: "out/speech.opus")
      let run = try again(folder)
      #expect(run.status == 0, "\(run.reason("speech.wav"))")
      #expect(content(folder) == before)
      return
    }
    Issue.record("no batch was killed when the output had its name")
  }

  @Test func `an overwritten output is not up to date`() throws {
    let folder = try converted()
    let size = try #require(content(folder)).count
    let noise = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
    try noise.write(to: URL(fileURLWithPath: folder("out/speech.opus")))
    let run = try again(folder)
    #expect(run.status == 1 && run.outcome("speech.wav") == "failed")
    #expect(run.reason("speech.wav").contains("cannot be read"), "\(run.reason("speech.wav"))")
    #expect(content(folder) == noise)
  }

  /// A copy of the folder has other modification times.
  @Test func `an output with another modification time is up to date`() throws {
    let folder = try converted()
    try folder.setTime(1_200_000_000, of: "out/speech.opus")
    #expect(try again(folder).summary["alreadyDone"] as? Int == 1)
  }

  @Test func `a changed source is converted again`() throws {
    let folder = try converted()
    try FileManager.default.removeItem(atPath: folder("in/speech.wav"))
    try folder.add("tones-5.1.wav", as: "in/speech.wav")
    let before = content(folder)
    let run = try again(folder)
    #expect(run.status == 0)
    #expect(run.outcome("speech.wav") == "converted")
    #expect(
      (run.events("planned")["speech.wav"]?["reason"] as? String)?.contains("source has changed")
        == true)
    #expect(content(folder) != before)
    #expect(try again(folder).outcome("speech.wav") == "skipped")
  }

  @Test func `a source with another modification time is converted again`() throws {
    let folder = try converted()
    try folder.setTime(1_100_000_000, of: "in/speech.wav")
    #expect(try again(folder).outcome("speech.wav") == "converted")
  }

  @Test func `another preset converts again`() throws {
    let folder = try converted()
    try folder.write(
      "extends: opus-128k\nname: small\naudio: {bitrate: 32k}\n", as: "small.yaml")
    let size = content(folder)?.count ?? 0
    let run = try again(folder, preset: folder("small.yaml"))
    #expect(run.outcome("speech.wav") == "converted", "\(run.events)")
    #expect((content(folder)?.count ?? size) < size)
    #expect(try again(folder, preset: folder("small.yaml")).outcome("speech.wav") == "skipped")
  }

  @Test func `an empty output is made again`() throws {
    let folder = try converted()
    try Data().write(to: URL(fileURLWithPath: folder("out/speech.opus")))
    #expect(try again(folder).outcome("speech.wav") == "converted")
    #expect((content(folder)?.count ?? 0) > 1000)
  }

  @Test func `a dangling link in the place of an output stays`() throws {
    let folder = try converted()
    try FileManager.default.removeItem(atPath: folder("out/speech.opus"))
    try FileManager.default.createSymbolicLink(
      atPath: folder("out/speech.opus"), withDestinationPath: "nowhere")
    #expect(try again(folder).reason("speech.wav").contains("but it is a broken link"))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder("out/speech.opus"))
        == "nowhere")
  }

  @Test func `a file that Respool has not made is neither up to date nor replaced`() throws {
    let folder = try converted()
    try folder.write("my own notes", as: "out/speech.opus")
    let run = try again(folder)
    #expect(run.status == 1)
    #expect(run.outcome("speech.wav") == "failed")
    #expect(run.reason("speech.wav").contains("cannot be read"), "\(run.reason("speech.wav"))")
    #expect(run.reason("speech.wav").contains("--on-exists replace"))
    #expect(content(folder) == Data("my own notes".utf8))
    #expect(try again(folder, ["--on-exists", "replace"]).outcome("speech.wav") == "converted")
  }

  @Test func `a truncated output is made again`() throws {
    let folder = try converted()
    let whole = content(folder)
    try #require(truncate(folder("out/speech.opus"), off_t((whole?.count ?? 0) / 2)) == 0)
    let run = try again(folder)
    #expect(run.outcome("speech.wav") == "converted", "\(run.events)")
    #expect(content(folder) == whole)
    // Without a ledger, the source of the output is unknown.
    try #require(truncate(folder("out/speech.opus"), off_t((whole?.count ?? 0) / 2)) == 0)
    try FileManager.default.removeItem(atPath: folder("out/.respool/ledger"))
    let unknown = try again(folder)
    #expect(unknown.outcome("speech.wav") == "failed")
    #expect(unknown.reason("speech.wav").contains("is cut off"))
  }

  /// Copies and backups change the modification times of files.
  @Test func `an output with another modification time is compared by its size`() throws {
    let folder = try converted()
    try folder.setTime(1_900_000_000, of: "out/speech.opus")
    #expect(try again(folder).outcome("speech.wav") == "skipped")
    try folder.write("extends: opus-128k\nname: s\naudio: {bitrate: 32k}\n", as: "small.yaml")
    let run = try again(folder, preset: folder("small.yaml"))
    #expect(run.outcome("speech.wav") == "failed")
    #expect(run.reason("speech.wav").contains("made with another preset"))
    #expect(run.reason("speech.wav").contains("the output has been changed since"))
  }

  @Test func `a damaged ledger is replaced and reported`() throws {
    let folder = try converted()
    try folder.write("junk", as: "out/.respool/ledger")
    let run = try again(folder)
    #expect(
      run.warnings.contains {
        $0.contains("is damaged (file is not a database)") && $0.contains("it is rebuilt")
      }, "\(run.warnings)")
    let status = try Respool.run("status", folder("out"))
    #expect(status.output.hasPrefix("1 converted, "), "\(status)")
    // The batch wrote a new ledger.
    #expect(try again(folder).warnings.isEmpty)
  }

  /// Messages must not go to a file that got the descriptor of the closed standard output.
  @Test func `messages are not written to the ledger`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.write("", as: "in/empty.wav")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "exec \"$0\" batch \"$1\" --to \"$2\" --preset opus-128k >&- 2>&-",
      Respool.executable, folder("in"), folder("out"),
    ]
    try process.run()
    process.waitUntilExit()
    let ledger = FileManager.default.contents(atPath: folder("out/.respool/ledger"))
    #expect(ledger?.starts(with: Data("SQLite format 3".utf8)) == true)
    #expect(ledger?.range(of: Data("skipped  ".utf8)) == nil)
    #expect(try again(folder).summary["alreadyDone"] as? Int == 1)
  }

  @Test func `folders keep the permissions of their sources`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/private/speech.wav")
    try #require(chmod(folder("in/private"), 0o700) == 0)
    _ = try BatchRun(folder("in"), to: folder("out"))
    #expect(try folder.status("out/private").st_mode & 0o777 == 0o700)
    _ = try BatchRun(folder("in"), to: folder("open"), ["--no-preserve"])
    #expect(try folder.status("open/private").st_mode & 0o777 != 0o700)
  }

  @Test func `a file that is named twice is one file`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    let run = try BatchRun(folder("in/speech.wav"), to: folder("out"), [folder("in")])
    #expect(run.status == 0)
    #expect(run.summary["converted"] as? Int == 1)
  }

  @Test func `the plan escapes reasons`() throws {
    let folder = TemporaryFolder()
    try folder.write("hello", as: "in/read\u{1B}me.txt")
    let run = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "wav", "--dry-run")
    let text = run.output + run.errors
    #expect(text.contains(": not a media file"))
    #expect(!text.contains("printable") && !text.contains("\u{1B}"), "\(text)")
  }

  @Test func `without a ledger a readable output that is not older is up to date`() throws {
    let folder = try converted()
    try FileManager.default.removeItem(atPath: folder("out/.respool/ledger"))
    #expect(try again(folder).outcome("speech.wav") == "skipped")
    try folder.setTime(1_200_000_000, of: "in/speech.wav")
    let run = try again(folder)
    #expect(run.outcome("speech.wav") == "failed")
    #expect(run.reason("speech.wav").contains("the source has changed"))
    try FileManager.default.removeItem(atPath: folder("out/.respool/ledger"))
    #expect(try again(folder).reason("speech.wav").contains("older than its source"))
  }

  @Test func `an output that was there before stays in every later run`() throws {
    let folder = try converted()
    let before = content(folder)
    // What an unknown program has made.
    try FileManager.default.removeItem(atPath: folder("out/.respool"))
    #expect(try again(folder).outcome("speech.wav") == "skipped")
    // Newer and older than the output.
    for time in [2_000_000_000, 1_100_000_000] {
      try folder.setTime(time, of: "in/speech.wav")
      for _ in 0..<3 {
        let run = try again(folder)
        #expect(run.outcome("speech.wav") == "failed" && run.status == 1)
        #expect(run.reason("speech.wav").contains("--on-exists replace overwrites it"))
      }
      let plan = folder("\(time).respool")
      _ = try Respool.run(
        "plan", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "-o", plan)
      _ = try Respool.run("work", plan, "--shard", "1/1")
      _ = try Respool.run("collect", plan)
      #expect(try again(folder).outcome("speech.wav") == "failed")
    }
    #expect(content(folder) == before)
    #expect(try again(folder, ["--on-exists", "replace"]).outcome("speech.wav") == "converted")
    // Now Respool has made it.
    try folder.setTime(1_500_000_000, of: "in/speech.wav")
    #expect(try again(folder).outcome("speech.wav") == "converted")
  }

  @Test func `the output of another folder is not replaced`() throws {
    let folder = try converted()
    try folder.add("tones-5.1.wav", as: "other/speech.wav")
    let run = try BatchRun(folder("other"), to: folder("out"))
    #expect(run.outcome("speech.wav") == "failed")
    #expect(run.reason("speech.wav").contains("it was made from /"))
    #expect(run.reason("speech.wav").contains("/in/speech.wav"))
  }

  /// The output may be the only copy left of the source's content.
  @Test func `the output of a deleted source is not replaced by that of another file`() throws {
    let folder = try converted()
    let before = content(folder)
    try FileManager.default.removeItem(atPath: folder("in/speech.wav"))
    try folder.add("speech-flac.flac", as: "in/speech.flac")
    let run = try again(folder)
    #expect(run.status == 1)
    #expect(run.outcome("speech.flac") == "failed")
    #expect(run.reason("speech.flac").contains("/in/speech.wav, which no longer exists"))
    #expect(content(folder) == before)
    #expect(try again(folder, ["--on-exists", "replace"]).outcome("speech.flac") == "converted")
  }

  @Test func `a renamed source is the same source`() throws {
    let folder = try converted()
    try FileManager.default.moveItem(
      atPath: folder("in/speech.wav"), toPath: folder("in/speech.WAVE"))
    #expect(try again(folder).outcome("speech.WAVE") == "skipped")
  }

  @Test(arguments: [0, 100, 3000])
  func `a truncated ledger is replaced, and outputs that are there count`(cut: Int) throws {
    let folder = try converted()
    let size = Int(try folder.status("out/.respool/ledger").st_size)
    try #require(truncate(folder("out/.respool/ledger"), off_t(cut == 0 ? 0 : size - cut)) == 0)
    try folder.add("speech-flac.flac", as: "in/second.flac")
    let run = try again(folder)
    #expect(run.outcome("second.flac") == "converted")
    #expect(run.outcome("speech.wav") == "skipped")
    try folder.setTime(1_300_000_000, of: "in/second.flac")
    #expect(try again(folder).outcome("second.flac") == "converted")
  }

  @Test func `the same input gives the same bytes`() throws {
    let folder = try converted()
    let first = content(folder)
    #expect(
      try BatchRun(folder("in"), to: folder("out2")).outcome("speech.wav") == "converted")
    #expect(FileManager.default.contents(atPath: folder("out2/speech.opus")) == first)
  }

  // MARK: Times and permissions

  @Test func `permissions and times are kept`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    chmod(folder("in/speech.wav"), 0o600)
    try folder.setTime(1_000_000_000, of: "in/speech.wav")
    _ = try BatchRun(folder("in"), to: folder("out"))
    _ = try Respool.run("convert", folder("in/speech.wav"), folder("one.opus"))
    for name in ["out/speech.opus", "one.opus"] {
      let status = try folder.status(name)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
      #expect(status.st_mtim.tv_sec == 1_000_000_000, "\(name)")
    }
    _ = try BatchRun(folder("in"), to: folder("new"), ["--no-preserve"])
    _ = try Respool.run("convert", "--no-preserve", folder("in/speech.wav"), folder("two.opus"))
    for name in ["new/speech.opus", "two.opus"] {
      let status = try folder.status(name)
      #expect(status.st_mode & 0o777 != 0o600, "\(name)")
      #expect(status.st_mtim.tv_sec > 1_500_000_000, "\(name)")
    }
  }

  @Test func `an unfinished output is readable by its owner only`() throws {
    let folder = TemporaryFolder()
    mkdir(folder("in"), 0o777)
    try folder.addLongSound(as: "in/long.wav")
    chmod(folder("in/long.wav"), 0o600)
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
    ])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    let part = try #require(
      TemporaryFolder.contents(of: folder("out")).first { $0.hasSuffix(".part") })
    #expect(try folder.status("out/" + part).st_mode & 0o777 == 0o600)
    batch.interrupt()
    _ = try batch.wait()
  }
}
