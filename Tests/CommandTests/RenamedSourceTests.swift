import Foundation
import Testing

/// Sources that were given each other's names since the last batch: their outputs follow, and nothing is made again.
@Suite struct RenamedSourceTests {
  private let folder = TemporaryFolder()

  private func run(_ words: [String] = []) throws -> BatchRun {
    try BatchRun(folder("in"), to: folder("out"), preset: "flac", words)
  }

  /// Makes a clip whose duration in tenths of a second tells it apart.
  private func add(_ name: String, tenths: Int) throws {
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=frequency=\(200 + tenths):duration=0.\(tenths)",
        folder("in/" + name),
      ])
  }

  private func rename(_ from: String, _ to: String) throws {
    try FileManager.default.moveItem(atPath: folder("in/" + from), toPath: folder("in/" + to))
  }

  private func inode(_ name: String) throws -> UInt64 {
    UInt64(try folder.status("out/" + name).st_ino)
  }

  /// Runs a batch that must make nothing, and another one that must find nothing to do.
  private func expectOnlyMoves(_ count: Int) throws {
    let plan = try run(["--dry-run"])
    #expect(plan.summary["alreadyDone"] as? Int == count, "\(plan.errors)")
    for _ in 1...2 {
      let run = try run()
      #expect(run.summary["alreadyDone"] as? Int == count, "\(run.errors)")
      #expect(run.summary["failed"] as? Int == 0, "\(run.errors)")
    }
  }

  @Test(arguments: [("a.wav", "b.wav"), ("a.wav", "b.aiff")])
  func `two sources exchange their names`(first: String, second: String) throws {
    try add(first, tenths: 3)
    try add(second, tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    let (a, b) = (try inode("a.flac"), try inode("b.flac"))
    let (one, other) = (
      first.replacingOccurrences(of: "a.", with: "b."),
      second.replacingOccurrences(of: "b.", with: "a.")
    )
    try rename(first, "between")
    try rename(second, other)
    try rename("between", one)
    try expectOnlyMoves(2)
    #expect(try inode("a.flac") == b && inode("b.flac") == a)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["a.flac", "b.flac"])
  }

  @Test func `a batch that keeps existing files forgets no exchange of names`() throws {
    try add("a.wav", tenths: 3)
    try add("b.wav", tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    let (a, b) = (try inode("a.flac"), try inode("b.flac"))
    try moveInRing(["a", "b"])
    #expect(try run(["--on-exists", "fail"]).summary["failed"] as? Int == 2)
    try expectOnlyMoves(2)
    #expect(try inode("a.flac") == b && inode("b.flac") == a)
  }

  /// Exchanges the first two outputs as a batch does that is killed before their entries follow.
  ///
  /// `names` is the content of the file that it leaves.
  private func leaveHalfDone(_ names: String) throws {
    try Data(names.utf8).write(to: URL(fileURLWithPath: folder("out/.respool/exchange-1")))
    for (from, to) in [("a.flac", "between"), ("b.flac", "a.flac"), ("between", "b.flac")] {
      try FileManager.default.moveItem(
        atPath: folder("out/" + from), toPath: folder("out/" + to))
    }
  }

  @Test func `a batch was killed when it had exchanged two outputs`() throws {
    try add("a.wav", tenths: 3)
    try add("b.aiff", tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    let (a, b) = (try inode("a.flac"), try inode("b.flac"))
    try rename("a.wav", "b.wav")
    try rename("b.aiff", "a.aiff")
    try leaveHalfDone("a.flac\0b.flac")
    for _ in 1...2 {
      let run = try run()
      #expect(run.summary["alreadyDone"] as? Int == 2, "\(run.errors)")
    }
    #expect(try inode("a.flac") == b && inode("b.flac") == a)
  }

  @Test func `sources have their names again after a batch was killed at an exchange`() throws {
    try add("a.wav", tenths: 3)
    try add("b.wav", tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    let (a, b) = (try inode("a.flac"), try inode("b.flac"))
    let files = FileManager.default
    try leaveHalfDone("a.flac\0b.flac")
    for _ in 1...2 {
      let run = try run()
      #expect(run.summary["alreadyDone"] as? Int == 2, "\(run.errors)")
    }
    #expect(try inode("a.flac") == a && inode("b.flac") == b)
    #expect(!files.fileExists(atPath: folder("out/.respool/exchange-1")))
  }

  @Test func `three sources of other formats exchange their names`() throws {
    for (index, name) in ["a.wav", "b.aiff", "c.caf"].enumerated() {
      try add(name, tenths: 3 + index)
    }
    #expect(try run().summary["converted"] as? Int == 3)
    try rename("a.wav", "b.wav")
    try rename("b.aiff", "c.aiff")
    try rename("c.caf", "a.caf")
    let run = try run()
    #expect(run.summary["failed"] as? Int == 0, "\(run.errors)")
    for (source, output) in [("b.wav", "b"), ("c.aiff", "c"), ("a.caf", "a")] {
      let times = try [folder("in/" + source), folder("out/\(output).flac")].map {
        try Tool.run(
          "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", $0])
      }
      #expect(times[0] == times[1], "\(source)")
    }
    #expect(try self.run().summary["alreadyDone"] as? Int == 3)
  }

  @Test func `four sources exchange their names in a ring`() throws {
    let names = ["a", "b", "c", "d"]
    for (index, name) in names.enumerated() { try add(name + ".wav", tenths: 3 + index) }
    #expect(try run().summary["converted"] as? Int == 4)
    let inodes = try names.map { try inode($0 + ".flac") }
    try moveInRing(names)
    try expectOnlyMoves(4)
    #expect(try (names[1...] + names[..<1]).map { try inode($0 + ".flac") } == inodes)
  }

  /// Gives each source the name of the next one, and the last that of the first.
  private func moveInRing(_ names: [String]) throws {
    try rename(names[names.count - 1] + ".wav", "between")
    for index in names.indices.dropLast().reversed() {
      try rename(names[index] + ".wav", names[index + 1] + ".wav")
    }
    try rename("between", names[0] + ".wav")
  }

  @Test func `a batch was killed when a ring of three was half exchanged`() throws {
    let names = ["a", "b", "c"]
    for (index, name) in names.enumerated() { try add(name + ".wav", tenths: 3 + index) }
    #expect(try run().summary["converted"] as? Int == 3)
    let inodes = try names.map { try inode($0 + ".flac") }
    try moveInRing(names)
    let files = FileManager.default
    try leaveHalfDone("a.flac\0b.flac\0c.flac\0\0")
    for _ in 1...2 {
      let run = try run()
      #expect(run.summary["alreadyDone"] as? Int == 3, "\(run.errors)")
    }
    #expect(try ["b", "c", "a"].map { try inode($0 + ".flac") } == inodes)
    #expect(!files.fileExists(atPath: folder("out/.respool/exchange-1")))
  }

  /// A ring, a chain of three whose first name a new source has, and a name that nothing takes over.
  private func renameAll() throws -> [String: UInt64] {
    for (index, name) in ["a", "b", "c", "1", "2", "3", "x"].enumerated() {
      try add(name + ".wav", tenths: 2 + index)
    }
    #expect(try run().summary["converted"] as? Int == 7)
    var expected: [String: UInt64] = [:]
    for (from, to) in [
      ("a", "b"), ("b", "c"), ("c", "a"), ("1", "2"), ("2", "3"), ("3", "4"), ("x", "y"),
    ] {
      expected[to] = try inode(from + ".flac")
    }
    try moveInRing(["a", "b", "c"])
    for number in (1...3).reversed() { try rename("\(number).wav", "\(number + 1).wav") }
    try rename("x.wav", "y.wav")
    try add("1.wav", tenths: 9)
    return expected
  }

  private func expectMoved(_ expected: [String: UInt64]) throws {
    #expect(
      TemporaryFolder.outputs(in: folder("out"))
        == ["1", "2", "3", "4", "a", "b", "c", "y"].map { $0 + ".flac" })
    for (name, inode) in expected {
      #expect(try self.inode(name + ".flac") == inode, "\(name)")
    }
    let next = try run()
    #expect(next.summary["alreadyDone"] as? Int == 8, "\(next.errors)")
  }

  private var plan: String { folder("clips.respool") }

  private func makePlan() throws {
    let result = try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", "flac", "-o", plan)
    #expect(result.errors.contains("1 to convert, 0 to copy"), "\(result.errors)")
  }

  @Test func `a plan gives outputs the names of others`() throws {
    let expected = try renameAll()
    try makePlan()
    let run = try BatchRun(Respool.run("batch", "--from-plan", plan, "--json"))
    #expect(run.summary["converted"] as? Int == 1, "\(run.errors)")
    #expect(run.summary["failed"] as? Int == 0, "\(run.errors)")
    try expectMoved(expected)
  }

  @Test func `processes that share a plan convert after its outputs have their names`() throws {
    let expected = try renameAll()
    try makePlan()
    let shares = try (1...2).map { try Respool.start(["work", plan, "--shard", "\($0)/2"]) }
    for share in shares { #expect(try share.wait().status == 0) }
    for _ in 1...2 {
      let result = try Respool.run("collect", plan)
      #expect(
        result.output.hasPrefix("1 converted, 0 copied, 7 skipped, 0 failed, 0 missing"),
        "\(result.output)\(result.errors)")
    }
    try expectMoved(expected)
  }

  @Test func `an output that a plan cannot move is named by collect`() throws {
    let files = FileManager.default
    _ = try renameAll()
    try makePlan()
    try files.removeItem(atPath: folder("out/x.flac"))
    let work = try Respool.run("work", plan, "--shard", "1/1")
    #expect(work.status == 1, "\(work.output)")
    let result = try Respool.run("collect", plan)
    #expect(result.status == 1)
    #expect(
      result.output.hasPrefix("1 converted, 0 copied, 6 skipped, 1 failed, 0 missing"),
      "\(result.output)")
    #expect(
      (result.output + result.errors).contains(
        "/in/y.wav: the output of the moved source cannot be moved; plan again"),
      "\(result.output)\(result.errors)")
  }

  @Test func `an output that a plan could not move is moved by the next batch`() throws {
    for (index, name) in ["a.wav", "b.aiff"].enumerated() { try add(name, tenths: 3 + index) }
    #expect(try run().summary["converted"] as? Int == 2)
    let moved = try inode("b.flac")
    try rename("a.wav", "b.wav")
    try rename("b.aiff", "a.aiff")
    let result = try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", "flac", "-o", plan)
    #expect(result.errors.contains("2 already done"), "\(result.errors)")
    try FileManager.default.removeItem(atPath: folder("in/b.wav"))
    try add("b.wav", tenths: 9)
    let planned = try BatchRun(Respool.run("batch", "--from-plan", plan, "--json"))
    #expect(planned.summary["failed"] as? Int == 2, "\(planned.errors)")
    // The output of content that is gone may be the only copy of it. It keeps its name.
    try FileManager.default.moveItem(atPath: folder("out/a.flac"), toPath: folder("a.flac"))
    let next = try run()
    #expect(next.outcome("a.aiff") == "skipped", "\(next.errors)")
    #expect(next.outcome("b.wav") == "converted", "\(next.errors)")
    #expect(try inode("a.flac") == moved)
  }

  @Test func `the output of a film is removed after a plan that found another one in its place`()
    throws
  {
    try add("a.mp4", tenths: 3)
    try folder.write("1\n00:00:00,000 --> 00:00:00,200\nText\n", as: "in/a.srt")
    #expect(
      try BatchRun(folder("in"), to: folder("out"), preset: "remux-mkv").summary["copied"] as? Int
        == 1)
    try rename("a.mp4", "b.mp4")
    try add("a.mp4", tenths: 5)
    let result = try Respool.run(
      "plan", folder("in"), "--to", folder("out"), "--preset", "remux-mkv", "-o", plan)
    #expect(result.errors.contains("2 to copy"), "\(result.errors)")
    try rename("a.mp4", "c.mp4")
    #expect(try Respool.run("work", plan, "--shard", "1/1").status == 1)
    #expect(try Respool.run("collect", plan).status == 1)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["b.mkv"])
    let status = try Respool.run("status", folder("out"), "--json").object()
    #expect(status["failed"] as? Int == 0 && status["copied"] as? Int == 1, "\(status)")
  }

  @Test func `a film that gets the name of another gets its subtitles`() throws {
    func text(of name: String) throws -> String {
      try Tool.run("ffmpeg", ["-v", "error", "-i", folder("out/" + name), "-f", "srt", "-"])
    }
    func batch() throws -> BatchRun {
      try BatchRun(folder("in"), to: folder("out"), preset: "remux-mkv")
    }
    for (index, name) in ["a", "b"].enumerated() {
      try add("\(name).mp4", tenths: 3 + index)
      try "1\n00:00:00,000 --> 00:00:00,200\nText \(name)\n".write(
        toFile: folder("in/\(name).srt"), atomically: true, encoding: .utf8)
    }
    #expect(try batch().summary["failed"] as? Int == 0)
    try rename("a.mp4", "between")
    try rename("b.mp4", "a.mp4")
    try rename("between", "b.mp4")
    #expect(try batch().summary["failed"] as? Int == 0)
    #expect(try text(of: "a.mkv").contains("Text a"))
    #expect(try text(of: "b.mkv").contains("Text b"))
  }

  @Test(arguments: [false, true])
  func `a film and its subtitles are renamed one by one`(isEdited: Bool) throws {
    func batch() throws -> BatchRun {
      try BatchRun(folder("in"), to: folder("out"), preset: "remux-mkv")
    }
    try add("a.mp4", tenths: 3)
    let text = "1\n00:00:00,000 --> 00:00:00,200\nText\n"
    try text.write(toFile: folder("in/a.en.srt"), atomically: true, encoding: .utf8)
    #expect(try batch().summary["copied"] as? Int == 1)
    let made = try inode("a.mkv")
    try rename("a.mp4", "b.mp4")
    try rename("a.en.srt", "b.en.srt")
    if isEdited {
      try text.replacingOccurrences(of: "Text", with: "Next").write(
        toFile: folder("in/b.en.srt"), atomically: true, encoding: .utf8)
    }
    let run = try batch()
    #expect(run.outcome("b.mp4") == (isEdited ? "copied" : "skipped"), "\(run.errors)")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["b.mkv"])
    #expect(try (inode("b.mkv") == made) != isEdited)
    let shown = try Tool.run(
      "ffmpeg", ["-v", "error", "-i", folder("out/b.mkv"), "-f", "srt", "-"])
    #expect(shown.contains(isEdited ? "Next" : "Text"))
    #expect(try batch().summary["alreadyDone"] as? Int == 1)
  }

  @Test func `subtitles get other permissions`() throws {
    func batch() throws -> BatchRun {
      try BatchRun(folder("in"), to: folder("out"), preset: "remux-mkv")
    }
    try add("a.mp4", tenths: 3)
    let text = "1\n00:00:00,000 --> 00:00:00,200\nText\n"
    try text.write(toFile: folder("in/a.srt"), atomically: true, encoding: .utf8)
    #expect(try batch().summary["copied"] as? Int == 1)
    #expect(chmod(folder("in/a.srt"), 0o600) == 0)
    #expect(try batch().summary["alreadyDone"] as? Int == 1)
    try text.write(toFile: folder("in/a.de.srt"), atomically: true, encoding: .utf8)
    #expect(try batch().summary["copied"] as? Int == 1)
    #expect(try batch().summary["alreadyDone"] as? Int == 1)
  }

  @Test func `clips get other numbers`() throws {
    for number in 1...4 { try add("clip\(number).wav", tenths: number + 1) }
    #expect(try run().summary["converted"] as? Int == 4)
    let inodes = try (1...4).map { try inode("clip\($0).flac") }
    for number in (1...4).reversed() { try rename("clip\(number).wav", "clip\(number + 1).wav") }
    try expectOnlyMoves(4)
    #expect(try (2...5).map { try inode("clip\($0).flac") } == inodes)
    // A new clip gets the first number.
    try add("clip1.wav", tenths: 9)
    #expect(try run().summary["converted"] as? Int == 1)
    #expect(try (2...5).map { try inode("clip\($0).flac") } == inodes)
  }

  @Test func `an output that was changed is not moved`() throws {
    try add("a.wav", tenths: 3)
    try add("b.wav", tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    try Tool.run("ffmpeg", ["-v", "error", "-y", "-i", folder("in/b.wav"), folder("out/a.flac")])
    let changed = try Data(contentsOf: URL(fileURLWithPath: folder("out/a.flac")))
    try moveInRing(["a", "b"])
    let run = try run()
    #expect(run.outcome("a.wav") == "failed", "\(run.errors)")
    #expect(run.outcome("b.wav") == "converted", "\(run.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder("out/a.flac"))) == changed)
  }
}
