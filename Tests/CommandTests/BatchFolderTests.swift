import Foundation
import Glibc
import Testing

/// The files that a batch converts, and its reports.
@Suite struct BatchFolderTests {
  private func run(_ folder: TemporaryFolder, _ words: [String] = []) throws -> BatchRun {
    try BatchRun(folder("in"), to: folder("out"), words)
  }

  @Test func `files without media are skipped with a reason`() throws {
    let folder = TemporaryFolder()
    let zip: [UInt8] =
      [0x50, 0x4B, 3, 4] + (0..<60_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }
    let gzip: [UInt8] =
      [0x1F, 0x8B, 8] + (0..<60_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 5) }
    try folder.write("", as: "in/empty.mp4")
    try folder.write("", as: "in/lock")
    try folder.write("1234\n", as: "in/process.lock")
    try Data(zip).write(to: URL(fileURLWithPath: folder("in/stray.zip")))
    try Data(gzip).write(to: URL(fileURLWithPath: folder("in/speech.wav.gz")))
    mkfifo(folder("in/pipe"), 0o600)
    try folder.add("speech.wav", as: "in/speech.wav")
    let run = try run(folder)
    #expect(run.status == 0, "\(run.events)")
    #expect(run.outcome("speech.wav") == "converted")
    for (name, words) in [
      ("empty.mp4", "empty"), ("lock", "empty"), ("process.lock", "text"), ("stray.zip", "ZIP"),
      ("speech.wav.gz", "gzip"), ("pipe", "not a regular file"),
    ] {
      #expect(run.outcome(name) == "skipped", "\(name)")
      #expect(run.reason(name).contains(words), "\(name): \(run.reason(name))")
    }
  }

  @Test func `files that the user excludes are counted and not named`() throws {
    let folder = TemporaryFolder()
    for name in ["a.wav", "b.wav", "Old/c.wav", "new/d.wav", "new/e.mp3"] {
      try folder.add(name.hasSuffix("wav") ? "speech.wav" : "speech-mp3.mp3", as: "in/\(name)")
    }
    let words = ["--include", "*.WAV", "--exclude", "old", "--exclude", "b.*"]
    let run = try run(folder, words)
    #expect(run.status == 0)
    #expect(run.outcome("a.wav") == "converted")
    #expect(run.outcome("d.wav") == "converted")
    #expect(run.reason("b.wav") == "excluded by --exclude b.*")
    #expect(run.reason("Old") == "excluded by --exclude old")
    #expect(run.reason("e.mp3") == "excluded: no pattern of --include matches")
    #expect(run.outcome("c.wav") == nil)
    #expect(run.summary["excluded"] as? Int == 3)
    let again = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k"] + words
    ).wait()
    #expect(
      again.errors.hasPrefix(
        "0 converted, 0 copied, 5 skipped (2 already done, 3 excluded), 0 failed in "),
      "\(again.errors)")
    // An input that the user names is converted in any case.
    let named = try BatchRun(folder("in/b.wav"), to: folder("out"), ["--exclude", "b.*"])
    #expect(named.outcome("b.wav") == "converted")
  }

  @Test func `a wrong size or time of a filter is wrong usage`() throws {
    for words in [["--min-size", "big"], ["--newer-than", "31.1.2026"]] {
      let result = try Respool.start(
        ["batch", "in", "--to", "out", "--preset", "opus-128k"] + words
      ).wait()
      #expect(result.status == 2, "\(result.errors)")
      #expect(result.errors.contains(words[1]), "\(result.errors)")
    }
  }

  /// An é as one scalar and as two scalars is the same text in Swift, but two file names in Linux.
  @Test func `names that only look alike are two files`() throws {
    let folder = TemporaryFolder()
    let names = ["caf\u{E9}.wav", "cafe\u{301}.wav"]
    for name in names { try folder.add("speech.wav", as: "in/\(name)") }
    let run = try run(folder)
    #expect(run.summary["converted"] as? Int == 2, "\(run.events)")
    let made = try FileManager.default.contentsOfDirectory(atPath: folder("out"))
      .filter { $0.hasSuffix(".opus") }
    #expect(Set(made.map { Array($0.utf8).count }) == [10, 11])
    #expect(try self.run(folder).summary["alreadyDone"] as? Int == 2)
  }

  @Test func `a strict plan fails files that would lose a track`() throws {
    let folder = TemporaryFolder()
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    for words in [["--dry-run"], []] {
      let run = try Respool.start(
        ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--strict"] + words
      ).wait()
      #expect(
        run.status == 1 && (run.output + run.errors).contains("something would be lost: track 1"),
        "\(run)")
    }
  }

  @Test func `a downmix that the preset asks for is a note, also in a strict batch`() throws {
    let folder = TemporaryFolder()
    try folder.add("tones-5.1.wav", as: "in/tones.wav")
    let run = try BatchRun(folder("in"), to: folder("out"), preset: "web-480p", ["--strict"])
    #expect(run.status == 0 && run.outcome("tones.wav") == "converted", "\(run.events)")
    let event = run.events("finished")["tones.wav"]
    #expect(event?["losses"] == nil)
    #expect((event?["notes"] as? [String])?.first?.contains("mixed down") == true, "\(run.events)")
    let single = try Respool.run(
      "convert", folder("in/tones.wav"), folder("a.mp4"), "--preset", "web-480p", "--json")
    #expect(try single.object()["notes"] as? [String] == event?["notes"] as? [String])
    #expect(single.errors.contains("note: audio: the channels become stereo"))
  }

  @Test func `a plan reports that nothing can be written`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.write("a file", as: "file")
    let plan = try Respool.run(
      "batch", folder("in"), "--to", folder("file/out"), "--preset", "opus-128k", "--dry-run")
    #expect(plan.status == 1 && plan.output.contains("cannot be written to"), "\(plan)")
  }

  @Test func `a text file with a media extension fails`() throws {
    let folder = TemporaryFolder()
    try folder.write("not a film at all\n", as: "in/film.mkv")
    let run = try run(folder)
    #expect(run.outcome("film.mkv") == "failed")
    #expect(run.status == 1)
  }

  @Test func `links to folders are not followed unless requested`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/below/inside.wav")
    try folder.add("speech.wav", as: "elsewhere/outside.wav")
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/loop"), withDestinationPath: "..")
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/away"), withDestinationPath: "../elsewhere")
    let plain = try run(folder)
    #expect(plain.status == 0)
    #expect(plain.summary["converted"] as? Int == 1)
    #expect(plain.outcome("loop") == "skipped")
    #expect(plain.reason("away").contains("--follow-links"))
    // The link `loop` leads to the folder of this output, which is not an output of the next batch.
    try FileManager.default.removeItem(atPath: folder("out"))
    let followed = try BatchRun(folder("in"), to: folder("followed"), ["--follow-links"])
    #expect(followed.outcome("outside.wav") == "converted")
    // Each folder is searched once, even if several links lead to it.
    #expect(followed.summary["converted"] as? Int == 2, "\(followed.events)")
  }

  @Test func `a followed link does not replace the folder itself`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/real/deep/speech.wav")
    mkdir(folder("in/first"), 0o777)
    for link in ["in/a-link", "in/first/link"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder(link), withDestinationPath: folder("in/real"))
    }
    let run = try run(folder, ["--follow-links"])
    #expect(run.status == 0)
    #expect(
      TemporaryFolder.outputs(in: folder("out")) == ["real", "real/deep", "real/deep/speech.opus"])
    #expect(run.reason("a-link").contains("already read"))
    #expect(run.reason("real").isEmpty)
  }

  @Test func `files are found through links`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "store/one.wav")
    mkdir(folder("in"), 0o777)
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/one.wav"), withDestinationPath: "../store/one.wav")
    #expect(try run(folder).outcome("one.wav") == "converted")
  }

  @Test func `files generated by the kernel are not entered`() throws {
    let folder = TemporaryFolder()
    let run = try BatchRun("/proc/self", to: folder("out"), ["--dry-run"])
    #expect(run.status == 1)
    #expect(run.events("planned").count == 1)
    let plan = try #require(run.events("planned")["self"])
    #expect((plan["reason"] as? String)?.contains("generated by the kernel") == true)
  }

  @Test func `the output folder cannot be an input`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    try FileManager.default.createSymbolicLink(
      atPath: folder("other-name"), withDestinationPath: "in")
    for name in ["in", "in/", "other-name"] {
      let result = try Respool.run(
        "batch", folder("in"), "--to", folder(name), "--preset", "opus-128k")
      #expect(result.status == 2)
      #expect(result.errors.contains("the output folder is an input"), "\(result.errors)")
    }
    #expect(TemporaryFolder.contents(of: folder("in")) == ["speech.wav"])
  }

  @Test func `an output folder inside an input is skipped by name`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    for _ in 0..<2 {
      let run = try BatchRun(folder("in"), to: folder("in/converted"))
      #expect(run.status == 0)
      #expect(run.outcome("converted") == "skipped")
      #expect(run.reason("converted") == "the output folder")
      #expect(run.events("finished").count == 2)
    }
    let run = try BatchRun(folder("in"), to: folder("in/converted"))
    #expect(run.summary["skipped"] as? Int == 2)
    #expect(TemporaryFolder.outputs(in: folder("in/converted")) == ["speech.opus"])
  }

  @Test func `a second batch on the same output reports it and stops`() throws {
    let folder = TemporaryFolder()
    mkdir(folder("in"), 0o777)
    try folder.addLongSound(as: "in/long.wav")
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k"]
    let first = try Respool.start(words + ["--json"])
    try first.wait(until: "it converts") { first.output.contains("\"progress\"") }
    let second = try Respool.start(words).wait()
    #expect(second.status == 1)
    #expect(
      second.errors.contains("another batch or watch is using this output folder"),
      "\(second.errors)")
    // A dry run works while the first batch runs.
    #expect(try Respool.start(words + ["--dry-run"]).wait().status == 0)
    // The lock ends with its process.
    kill(first.identifier, SIGKILL)
    _ = try first.wait()
    try FileManager.default.removeItem(atPath: folder("in/long.wav"))
    try folder.add("speech.wav", as: "in/long.wav")
    let third = try Respool.start(words).wait()
    #expect(third.status == 0, "\(third.errors)")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["long.opus"])
  }

  @Test func `a plan ends with totals`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.add("speech-opus.opus", as: "in/copy.opus")
    try folder.add("notes.txt", as: "in/notes.txt")
    let run = try run(folder, ["--dry-run"])
    #expect(run.status == 0)
    let plan = try #require(run.summary["plan"] as? [String: Any])
    #expect(plan["convert"] as? Int == 1)
    #expect(plan["copy"] as? Int == 1)
    #expect(plan["skip"] as? Int == 1)
    #expect(plan["fail"] as? Int == 0)
    #expect((plan["media"] as? Double ?? 0) > 1)
    let text = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--dry-run")
    #expect(text.errors.contains("plan: 1 to convert, 1 to copy"), "\(text.errors)")
    #expect(text.errors.contains(" are free\n"), "\(text.errors)")
    #expect(try #require(plan["free"] as? Int) > 1_000_000)
    #expect(!FileManager.default.fileExists(atPath: folder("out")))
  }

  @Test func `an interrupted batch reports what is left`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/short.wav")
    try folder.addLongSound(as: "in/long.wav")
    let words = [
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--jobs", "1",
    ]
    let batch = try Respool.start(words + ["--json"])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    batch.interrupt()
    let run = try BatchRun(try batch.wait())
    #expect(run.status == 130)
    #expect(run.summary["left"] as? Int == 2)
  }

  @Test func `only files that fulfil a condition are converted`() throws {
    let folder = TemporaryFolder()
    for name in ["pattern-h264.mp4", "speech.wav", "notes.txt", "variable.mp4"] {
      try folder.add(name, as: "in/" + name)
    }
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]
    let run = try BatchRun(
      Respool.start(words + ["--if", "video.height > 100 and video.codec == H264"]).wait())
    #expect(run.outcome("pattern-h264.mp4") == "converted")
    // A file that the preset cannot convert is left out all the same.
    #expect(run.reason("speech.wav").contains("--if is false"))
    #expect(run.reason("notes.txt").contains("text"))
    #expect(run.summary["excluded"] as? Int == 2)
    let none = try BatchRun(
      Respool.start(words + ["--if", "not video", "--strict", "--retry-failed"]).wait())
    #expect(none.outcome("speech.wav") == "converted")
    #expect(none.reason("variable.mp4").contains("--if is false"))
    let wrong = try Respool.start(words + ["--if", "video.codek == h264"]).wait()
    #expect(wrong.status == 2 && wrong.errors.contains("did you mean video.codec?"))
  }

  @Test func `a plan in a file is done from another folder`() throws {
    let folder = TemporaryFolder()
    for name in ["speech.wav", "notes.txt", "speech-flac.flac"] {
      try folder.add(name, as: "in/" + name)
    }
    let plan = folder("p.plan")
    let made = try Respool.start(
      ["batch", "in", "--to", "out", "--preset", "opus-128k", "--plan", plan, "--json"],
      folder: folder("")
    ).wait()
    #expect(made.status == 0, "\(made)")
    #expect(TemporaryFolder.outputs(in: folder("out")).isEmpty)
    try folder.add("speech.wav", as: "in/late.wav")
    let shown = try BatchRun(
      Respool.start(["batch", "--from-plan", plan, "--dry-run", "--json"]).wait())
    #expect(shown.events("planned").count == 3)
    try folder.setTime(1_500_000_000, of: "in/speech-flac.flac")
    let run = try BatchRun(Respool.start(["batch", "--from-plan", plan, "--json"]).wait())
    #expect(run.outcome("speech.wav") == "converted")
    #expect(run.outcome("notes.txt") == "skipped")
    #expect(run.reason("speech-flac.flac").contains("has changed since the plan was made"))
    #expect(run.outcome("late.wav") == nil && run.status == 1)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["speech.opus"])
    let again = try BatchRun(Respool.start(["batch", "--from-plan", plan, "--json"]).wait())
    #expect(again.summary["alreadyDone"] as? Int == 1 && again.summary["converted"] as? Int == 0)
    try FileManager.default.removeItem(atPath: folder("in/speech-flac.flac"))
    let gone = try BatchRun(Respool.start(["batch", "--from-plan", plan, "--json"]).wait())
    #expect(gone.reason("speech-flac.flac").contains("the source is gone"))
    try FileManager.default.removeItem(atPath: folder("out"))
    try folder.add("speech.wav", as: "out/speech.opus")
    let taken = try BatchRun(Respool.start(["batch", "--from-plan", plan, "--json"]).wait())
    #expect(taken.reason("speech.wav").contains("the output exists now"))
    let wrong = try Respool.start(["batch", "--from-plan", plan, "--strict"]).wait()
    #expect(wrong.status == 2 && wrong.errors.contains("--strict has no effect with --from-plan"))
    let rule = try Respool.start(["batch", "--from-plan", plan, "--links", "break"]).wait()
    #expect(rule.status == 2 && rule.errors.contains("--links has no effect with --from-plan"))
  }

  @Test func `a plan is rejected if it is damaged or its preset has changed`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.write("extends: opus-128k\nname: mine\n", as: "mine.yaml")
    let plan = folder("p.plan")
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", folder("mine.yaml")]
    #expect(try Respool.start(words + ["--plan", plan]).wait().status == 0)
    // The same plan again replaces the first one; another file is kept.
    #expect(try Respool.start(words + ["--plan", plan]).wait().status == 0)
    let other = try Respool.start(words + ["--plan", folder("mine.yaml")]).wait()
    #expect(other.status == 2 && other.errors.contains("is no plan"))
    try folder.write("extends: opus-128k\nname: mine\naudio: {bitrate: 64k}\n", as: "mine.yaml")
    let changed = try Respool.start(["batch", "--from-plan", plan]).wait()
    #expect(changed.status == 2 && changed.errors.contains("has changed since the plan was made"))
    let missing = try Respool.run("batch", "--from-plan", folder("other"))
    #expect(missing.status == 1 && missing.errors.contains("there is no such plan"), "\(missing)")
    let whole = try Data(contentsOf: URL(fileURLWithPath: plan))
    for length in [0, 100, whole.count / 2] {
      try whole.prefix(length).write(to: URL(fileURLWithPath: plan))
      let damaged = try Respool.start(["batch", "--from-plan", plan]).wait()
      #expect(damaged.status == 1 && damaged.errors.contains("plan cannot be read"), "\(damaged)")
    }
  }

  /// Finding 30,000 empty files takes long enough to be interrupted.
  @Test func `a walk can be interrupted`() throws {
    let folder = TemporaryFolder()
    mkdir(folder("in"), 0o777)
    for outer in 0..<60 {
      mkdir(folder("in/\(outer)"), 0o777)
      for inner in 0..<500 {
        close(open(folder("in/\(outer)/\(inner).wav"), O_CREAT | O_WRONLY, 0o600))
      }
    }
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k",
    ])
    // The batch creates the lock first, then searches the folders.
    try batch.wait(until: "it walks") {
      FileManager.default.fileExists(atPath: folder("out/.respool/lock"))
    }
    batch.interrupt()
    let result = try batch.wait()
    #expect(result.status == 130)
    #expect(result.errors.contains("while looking for files"), "\(result.errors)")
  }

  @Test func `outputs are not written through links to folders`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/deep/speech.wav")
    for name in ["elsewhere", "out"] { mkdir(folder(name), 0o777) }
    try #require(symlink("../elsewhere", folder("out/deep")) == 0)
    let run = try BatchRun(folder("in"), to: folder("out"))
    #expect(run.outcome("speech.wav") == "failed")
    #expect(run.reason("speech.wav").contains("out/deep: is a link"), "\(run.errors)")
    #expect(TemporaryFolder.outputs(in: folder("elsewhere")) == [])
    let following = try BatchRun(folder("in"), to: folder("out"), ["--follow-links"])
    #expect(following.outcome("speech.wav") == "converted")
    #expect(TemporaryFolder.outputs(in: folder("elsewhere")) == ["speech.opus"])
  }

  @Test func `a folder that is replaced during the work gets no output elsewhere`() throws {
    let folder = TemporaryFolder()
    for name in ["in", "in/deep", "elsewhere"] { mkdir(folder(name), 0o777) }
    try folder.addLongSound(as: "in/deep/long.wav", seconds: 60)
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]
    let batch = try Respool.start(words)
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    try #require(rename(folder("out/deep"), folder("out/other")) == 0)
    try #require(symlink("../elsewhere", folder("out/deep")) == 0)
    let run = try BatchRun(batch.wait())
    #expect(run.outcome("long.wav") == "failed")
    #expect(run.reason("long.wav").contains("was moved or replaced"), "\(run.errors)")
    #expect(TemporaryFolder.outputs(in: folder("elsewhere")) == [])
    #expect(TemporaryFolder.outputs(in: folder("out/other")) == [])
  }

  @Test func `a batch ends at once if its output folder is renamed, and continues there`() throws {
    let folder = TemporaryFolder()
    for name in ["in", "in/a"] { mkdir(folder(name), 0o777) }
    for name in ["1", "2", "3"] { try folder.addLongSound(as: "in/a/\(name).wav", seconds: 60) }
    func words(_ output: String) -> [String] {
      [
        "batch", folder("in"), "--to", folder(output), "--preset", "opus-128k", "--json", "--jobs",
        "1",
      ]
    }
    let batch = try Respool.start(words("out"))
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    try #require(rename(folder("out"), folder("other")) == 0)
    let result = try batch.wait()
    #expect(result.status == 1)
    #expect(result.errors.contains("was moved, removed or replaced"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("out")))
    #expect(!TemporaryFolder.outputs(in: folder("other")).contains { $0.contains("respool") })
    let next = try BatchRun(Respool.start(words("other")).wait())
    #expect(next.status == 0, "\(next.errors)")
    #expect(
      TemporaryFolder.outputs(in: folder("other")) == ["a", "a/1.opus", "a/2.opus", "a/3.opus"])
  }
}
