import Foundation
import Testing

@Suite struct BatchTests {
  /// Returns the events of type `event` by the name of their input.
  private func events(_ all: [[String: Any]], _ event: String) -> [String: [String: Any]] {
    var found: [String: [String: Any]] = [:]
    for one in all where one["event"] as? String == event {
      found[((one["input"] as? String ?? "") as NSString).lastPathComponent] = one
    }
    return found
  }

  @Test func `clips become audio and every other file has its reason`() throws {
    let folder = TemporaryFolder()
    let result = try Respool.run(
      "batch", Respool.media, "--to", folder("out"), "--preset", "opus-128k", "--on-collision",
      "rename", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let all = try result.events()
    let planned = events(all, "planned")
    let finished = events(all, "finished")
    #expect(Set(planned.keys) == Set(finished.keys))
    for name in [
      "clap-and-flash.mp4", "pattern-flac.mkv", "pattern-h264.mp4", "portrait.mov",
      "speech-flac.flac", "speech-mp3.mp3", "speech.wav", "tones-5.1.wav",
    ] {
      let event = try #require(finished[name], "\(name)")
      #expect(planned[name]?["action"] as? String == "convert", "\(name)")
      #expect(event["status"] as? String == "converted", "\(name)")
      #expect(event["seconds"] is Double)
      let output = try #require(event["output"] as? String)
      #expect(output == planned[name]?["output"] as? String)
      #expect(FileManager.default.fileExists(atPath: output), "\(output)")
    }
    #expect(finished["speech-opus.opus"]?["status"] as? String == "copied")
    for name in ["notes.txt", "still.png", "deep.mkv", "variable.mp4", "make.sh"] {
      let event = try #require(finished[name], "\(name)")
      #expect(planned[name]?["action"] as? String == "skip", "\(name)")
      #expect(event["status"] as? String == "skipped", "\(name)")
      #expect((event["error"] as? String)?.isEmpty == false, "\(name)")
      #expect(event["output"] == nil)
    }
    let summary = try #require(all.last)
    #expect(summary["event"] as? String == "summary")
    for status in ["converted", "copied", "skipped", "failed"] {
      #expect(
        summary[status] as? Int == finished.values.count { $0["status"] as? String == status })
    }
    #expect(summary["seconds"] is Double)
    for event in all where event["event"] as? String == "progress" {
      let fraction = try #require(event["fraction"] as? Double)
      #expect((0...1).contains(fraction))
      #expect(event["input"] is String)
    }
    #expect(folder.contents.allSatisfy { !$0.contains(".part") })
  }

  @Test func `the folder tree is kept`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/one/speech.wav")
    try folder.add("speech.wav", as: "in/two/deeper/speech.wav")
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "")
    #expect(
      TemporaryFolder.outputs(in: folder("out")) == [
        "one", "one/speech.opus", "two", "two/deeper", "two/deeper/speech.opus",
      ])
  }

  @Test func `a dry run changes nothing`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    let before = folder.contents
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--dry-run", "--json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.contents == before)
    let all = try result.events()
    #expect(events(all, "planned")["speech.wav"]?["action"] as? String == "convert")
    #expect(
      events(all, "planned")["speech.wav"]?["output"] as? String == folder("out/speech.opus"))
    #expect(events(all, "finished").isEmpty)
  }

  @Test func `outputs that would collide are found before work on them starts`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/same.wav")
    try folder.add("speech-flac.flac", as: "in/same.flac")
    try folder.add("speech.wav", as: "in/alone.wav")
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json")
    #expect(result.status != 0)
    let all = try result.events()
    for name in ["same.wav", "same.flac"] {
      let event = try #require(events(all, "planned")[name])
      #expect(event["action"] as? String == "fail")
      #expect((event["reason"] as? String)?.contains("same.opus") == true)
    }
    let worked = all.filter { $0["event"] as? String == "progress" }
      .compactMap { ($0["input"] as? String).map { URL(fileURLWithPath: $0).lastPathComponent } }
    #expect(!worked.contains("same.wav") && !worked.contains("same.flac"), "\(worked)")
    #expect(!FileManager.default.fileExists(atPath: folder("out/same.opus")))
  }

  @Test func `a plan is shown in the order of the names`() throws {
    let folder = TemporaryFolder()
    // The order in which workers answer differs: the first file is read slower than the others.
    for name in ["a.mkv", "b.wav", "c.txt", "d.wav", "e/f.wav"] {
      let source = ["mkv": "deep.mkv", "txt": "notes.txt"][String(name.suffix(3))] ?? "speech.wav"
      try folder.add(source, as: "in/" + name)
    }
    let run = try BatchRun(
      Respool.start([
        "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--dry-run",
        "--json", "--jobs", "4",
      ]).wait())
    let names = run.events.filter { $0["event"] as? String == "planned" }
      .compactMap { ($0["input"] as? String)?.split(separator: "/").last.map(String.init) }
    #expect(names == ["a.mkv", "b.wav", "c.txt", "d.wav", "f.wav"])
  }

  /// Files of a large folder are converted while others have no plan yet.
  @Test func `the first files are converted before the last ones are planned`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/0/0.wav")
    for outer in 0..<10 {
      mkdir(folder("in/\(outer)"), 0o777)
      for inner in 0..<1000 where (outer, inner) != (0, 0) {
        try #require(link(folder("in/0/0.wav"), folder("in/\(outer)/\(inner).wav")) == 0)
      }
    }
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "wav", "--jobs", "2", "--json",
    ])
    try batch.wait(until: "it copies") { batch.output.contains("\"copied\"") }
    let planned = batch.output.split(separator: "\n").count { $0.contains("\"planned\"") }
    #expect(planned < 10_000)
    batch.interrupt()
    let run = try BatchRun(try batch.wait())
    #expect(run.status == 130)
    let left = try #require(run.summary["left"] as? Int)
    let copied = try #require(run.summary["copied"] as? Int)
    #expect(left > 0 && copied > 0 && left + copied <= 10_000)
    // Names are given by folder, and nothing is left of unfinished files.
    for name in TemporaryFolder.outputs(in: folder("out")) {
      #expect(!name.contains(".part"), "\(name)")
    }
  }

  @Test func `inputs with the same name in several folders collide`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "x/deep/same.wav")
    try folder.add("speech-flac.flac", as: "y/deep/same.flac")
    try folder.add("speech-mp3.mp3", as: "z/same.mp3")
    let words = [
      "batch", folder("x"), folder("y"), folder("z"), "--to", folder("out"), "--preset",
      "opus-128k",
    ]
    let failed = try Respool.start(words).wait()
    #expect(failed.errors.contains("1 converted, 0 copied, 0 skipped, 2 failed"), "\(failed)")
    let renamed = try Respool.start(words + ["--on-collision", "rename"]).wait()
    #expect(renamed.errors.contains("2 converted"), "\(renamed)")
    #expect(
      TemporaryFolder.outputs(in: folder("out")) == [
        "deep", "deep/same wav.opus", "deep/same.opus", "same.opus",
      ])
  }

  /// The name that a renamed output would get belongs to another file.
  @Test func `a renamed output does not take the name of another file`() throws {
    let folder = TemporaryFolder()
    for name in ["a.wav", "a wav.wav", "a wav wav.flac"] {
      try folder.add(name.hasSuffix("flac") ? "speech-flac.flac" : "speech.wav", as: "in/" + name)
    }
    try folder.add("speech-flac.flac", as: "in/a.flac")
    let words = [
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--on-collision",
      "rename",
    ]
    #expect(try Respool.start(words).wait().errors.contains("4 converted"))
    let names = ["a wav 2.opus", "a wav wav.opus", "a wav.opus", "a.opus"]
    #expect(TemporaryFolder.outputs(in: folder("out")) == names)
    // With another preset, each file keeps its name.
    try folder.write("extends: opus-128k\nname: other\naudio: {bitrate: 64k}\n", as: "o.yaml")
    var other = words
    other[5] = folder("o.yaml")
    let again = try Respool.start(other).wait()
    #expect(again.errors.contains("4 converted"), "\(again)")
    #expect(TemporaryFolder.outputs(in: folder("out")) == names)
  }

  @Test func `outputs that would collide are renamed on request`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/same.wav")
    try folder.add("speech-flac.flac", as: "in/same.flac")
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--on-collision",
      "rename")
    #expect(result.status == 0, "\(result.errors)")
    let names = TemporaryFolder.outputs(in: folder("out"))
    #expect(names.count == 2)
    #expect(names.contains("same.opus"))
  }

  @Test func `existing outputs are skipped, replaced, or fail`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.add("speech-opus.opus", as: "out/speech.opus")
    let before = FileManager.default.contents(atPath: folder("out/speech.opus"))
    func run(_ choice: String...) throws -> (status: Int32, event: [String: Any]) {
      let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json"]
      let result = try Respool.start(words + choice).wait()
      return (result.status, try #require(events(result.events(), "finished")["speech.wav"]))
    }
    for choice in [[], ["--on-exists", "skip"]] {
      let skipped =
        choice.isEmpty ? try run() : try run(choice[0], choice[1])
      #expect(skipped.status == 0)
      #expect(skipped.event["status"] as? String == "skipped")
      #expect((skipped.event["error"] as? String)?.contains("already exists") == true)
    }
    let failed = try run("--on-exists", "fail")
    #expect(failed.status == 1)
    #expect(failed.event["status"] as? String == "failed")
    #expect(FileManager.default.contents(atPath: folder("out/speech.opus")) == before)
    let replaced = try run("--on-exists", "replace")
    #expect(replaced.status == 0)
    #expect(replaced.event["status"] as? String == "converted")
    #expect(FileManager.default.contents(atPath: folder("out/speech.opus")) != before)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["speech.opus"])
  }

  @Test func `any file name is converted`() throws {
    let folder = TemporaryFolder()
    let long = String(repeating: "n", count: 250)
    try folder.add("speech-flac.flac", as: "in/line\nbreak \u{1B}[31m.flac")
    try folder.add(
      "speech-flac.flac", as: Array("in/bytes ".utf8) + [0xFF, 0xFE, 0xC3] + Array(".flac".utf8))
    try folder.add("speech-flac.flac", as: "in/\(long).flac")
    try folder.add("speech-flac.flac", as: "in/-rf 'quoted' \"twice\" $HOME *.flac")
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json")
    #expect(result.status == 0, "\(result.output)")
    let summary = try #require(try result.events().last)
    #expect(summary["converted"] as? Int == 4)
    let names = try rawNames(in: folder("out"))
    #expect(names.contains(Array("line\nbreak \u{1B}[31m.opus".utf8)))
    #expect(names.contains(Array("bytes ".utf8) + [0xFF, 0xFE, 0xC3] + Array(".opus".utf8)))
    #expect(names.contains(Array("\(long).opus".utf8)))
    #expect(names.contains(Array("-rf 'quoted' \"twice\" $HOME *.opus".utf8)))
    #expect(names.count == 4)
  }

  @Test func `an output name that would be too long fails with the reason`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/\(String(repeating: "n", count: 251)).wav")
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json")
    #expect(result.status == 1)
    let event = try #require(try result.events().first { $0["event"] as? String == "finished" })
    #expect((event["error"] as? String)?.contains("255") == true)
  }

  @Test func `control characters of names do not reach the terminal`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech-flac.flac", as: "in/\u{1B}[31m.flac")
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k")
    #expect(result.status == 0)
    #expect(result.errors.contains("\\x1b[31m"))
    #expect(!result.errors.contains("\u{1B}"))
  }

  @Test func `a loop of links ends`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/below/speech.wav")
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/below/up"), withDestinationPath: "..")
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/itself"), withDestinationPath: "itself")
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
      "--follow-links")
    let all = try result.events()
    #expect(events(all, "finished")["speech.wav"]?["status"] as? String == "converted")
    #expect(all.last?["converted"] as? Int == 1)
  }

  @Test func `one bad file stops nothing`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/good.wav")
    try folder.add("pattern-h264.mp4", as: "in/cut.mp4")
    // The movie box of the clip is at its end.
    try #require(truncate(folder("in/cut.mp4"), 20_000) == 0)
    let result = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json")
    #expect(result.status == 1)
    let finished = events(try result.events(), "finished")
    #expect(finished["good.wav"]?["status"] as? String == "converted")
    #expect(finished["cut.mp4"]?["status"] as? String == "failed")
    #expect((finished["cut.mp4"]?["error"] as? String)?.isEmpty == false)
  }

  @Test func `a missing preset is an error with the nearest name`() throws {
    let folder = TemporaryFolder()
    let result = try Respool.run(
      "batch", Respool.media, "--to", folder("out"), "--preset", "opus-128")
    #expect(result.status == 2)
    #expect(result.errors.contains("opus-128k"))
    #expect(folder.contents.isEmpty)
  }

  /// Returns the names in a folder as bytes, because Foundation omits names that are not UTF-8.
  private func rawNames(in folder: String) throws -> [[UInt8]] {
    let stream = try #require(opendir(folder))
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      // Skips `.`, `..` and the record of the batch.
      if name.first != 0x2E { names.append(name) }
    }
    return names
  }

  @Test func `an incomplete source is converted once, and named each time`() throws {
    let folder = TemporaryFolder()
    let speech = try Data(contentsOf: URL(fileURLWithPath: Respool.media + "/speech.wav"))
    try folder.write(speech.prefix(100_000), as: "in/a.wav")
    func run(_ options: [String] = []) throws -> BatchRun {
      try BatchRun(folder("in"), to: folder("out"), options)
    }
    let first = try run()
    #expect(first.outcome("a.wav") == "converted")
    #expect(first.events("finished")["a.wav"]?["incomplete"] != nil)
    for _ in 0..<2 {
      let again = try run()
      #expect(again.outcome("a.wav") == "skipped")
      #expect(again.reason("a.wav").contains("but the source ends early at 2.265 s"))
      #expect(again.summary["incompleteSources"] as? Int == 1)
    }
    let quiet = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--quiet")
    #expect(quiet.errors.contains("ends early at 2.265 s"), "\(quiet.errors)")
    #expect(try run(["--retry-failed"]).outcome("a.wav") == "converted")
    #expect(try run(["--strict"]).status == 1)
    try folder.write(speech.prefix(101_000), as: "in/a.wav")
    #expect(try run().outcome("a.wav") == "converted")
    try folder.write(speech, as: "in/a.wav")
    let whole = try run()
    #expect(whole.outcome("a.wav") == "converted")
    #expect(whole.events("finished")["a.wav"]?["incomplete"] == nil)
  }

  @Test func `a transport stream that ends within a packet of media ends early`() throws {
    let folder = TemporaryFolder()
    let made = try Running(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-i", Respool.media + "/pattern-h264.mp4", "-c", "copy",
        "-f", "mpegts", folder("whole.ts"),
      ], environment: Respool.environment, folder: nil
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    let stream = try Data(contentsOf: URL(fileURLWithPath: folder("whole.ts")))
    try folder.write(stream.dropLast(188 * 20 + 94), as: "in/cut.ts")
    // A packet of stuffing, of which half is there.
    let stuffing = Data([0x47, 0x1F, 0xFF, 0x10]) + Data(repeating: 0xFF, count: 90)
    try folder.write(stream + stuffing, as: "in/whole.ts")
    let run = try BatchRun(folder("in"), to: folder("out"), preset: "remux-mkv")
    let event = try #require(run.events("finished")["cut.ts"])
    let words = try #require(event["incomplete"] as? String)
    #expect(words.contains("declares 188 bytes, but 94 are present"), "\(words)")
    #expect(run.events("finished")["whole.ts"]?["incomplete"] == nil)
    let check = try Respool.run("check", folder("in/whole.ts"))
    #expect(check.status == 0)
  }

  @Test func `archives with the names of media are skipped, and text fails`() throws {
    let folder = TemporaryFolder()
    try folder.write(Data("PK".utf8) + Data([3, 4]) + Data(count: 2000), as: "in/film.mp4")
    try folder.write(Data("<html>404 Not Found</html>".utf8), as: "in/song.mp3")
    let run = try BatchRun(folder("in"), to: folder("out"))
    #expect(run.outcome("film.mp4") == "skipped" && run.outcome("song.mp3") == "failed")
    #expect(
      run.reason("film.mp4")
        == "not a media file but a ZIP archive, although its name is one of media")
    #expect(run.reason("song.mp3").contains("it is something else"), "\(run.reason("song.mp3"))")
  }

  @Test func `a file with the name of media whose start is damaged fails`() throws {
    let folder = TemporaryFolder()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: Respool.media + "/speech-opus.opus"))
    bytes.replaceSubrange(0..<64, with: Data(repeating: 0xA5, count: 64))
    try folder.write(bytes, as: "in/song.opus")
    try folder.write(bytes, as: "in/song.dmg")
    let run = try BatchRun(folder("in"), to: folder("out"))
    #expect(run.status == 1)
    #expect(run.outcome("song.opus") == "failed" && run.outcome("song.dmg") == "skipped")
    #expect(run.reason("song.opus").contains("its start is damaged"), "\(run.reason("song.opus"))")
  }
}
