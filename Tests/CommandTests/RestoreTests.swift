import Foundation
import Glibc
import Testing

/// The way back from replacements to their originals.
@Suite struct RestoreTests {
  private static let kept = ReplacedFolder.Case.all.filter { $0.originals != nil }

  @Test(arguments: kept)
  func `originals are put back, and the next batch leaves them`(_ options: ReplacedFolder.Case)
    throws
  {
    let replaced = try ReplacedFolder(options)
    guard replaced.isPossible else { return }
    for name in ["a.wav", "deep/b.wav"] { try replaced.folder.add("speech.wav", as: "in/" + name) }
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    let before = try replaced.folder.status("in/a.wav")
    _ = try replaced.run()
    let result = try replaced.restore(["--json"])
    #expect(result.status == 0, "\(result)")
    #expect(try result.events().last?["restored"] as? Int == 2)
    #expect(replaced.visibleFiles == ["a.wav", "deep", "deep/b.wav"])
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
    let after = try replaced.folder.status("in/a.wav")
    #expect(after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mode == before.st_mode)
    let originals = try #require(replaced.originals)
    #expect(!FileManager.default.fileExists(atPath: originals))
    #expect(!replaced.allFiles.contains { $0.hasSuffix(".part") || $0.hasSuffix(".original") })
    let again = try replaced.run()
    #expect(again.outcome("a.wav") == "skipped")
    #expect(again.reason("a.wav") == "it was restored; --retry-restored replaces it again")
    #expect(try replaced.run(["--retry-restored"]).outcome("a.wav") == "converted")
    #expect(try replaced.restore().status == 0)
    #expect(replaced.bytes(replaced.folder("in/deep/b.wav")) == original)
    let none = try replaced.restore()
    #expect(none.status == 0 && none.errors == "nothing to restore: no original is kept\n")
  }

  @Test func `a folder for originals that was there before stays`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/a.wav")
    try FileManager.default.createDirectory(
      atPath: folder("mine"), withIntermediateDirectories: true)
    let words = ["batch", folder("in"), "--replace", "--originals"]
    let replaced = try Respool.start(words + [folder("mine"), "--preset", "opus-64k"]).wait()
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect(TemporaryFolder.contents(of: folder("mine")).contains("a.wav"))
    let restored = try Respool.run("restore", folder("in"))
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(FileManager.default.fileExists(atPath: folder("mine")))
    #expect(TemporaryFolder.contents(of: folder("mine")) == [])
  }

  @Test func `a folder with other files has no mark after a batch that keeps nothing in it`() throws
  {
    let replaced = try ReplacedFolder()
    try replaced.folder.write("text", as: "in/text.txt")
    try replaced.folder.write("text", as: "originals/mine.txt")
    let originals = try #require(replaced.originals)
    #expect(try replaced.run().summary["skipped"] as? Int == 1)
    #expect(TemporaryFolder.contents(of: originals) == ["mine.txt"])
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    #expect(try replaced.run().outcome("a.wav") == "converted")
    for _ in 1...2 {
      #expect(
        TemporaryFolder.contents(of: originals) == [".respool-originals", "a.wav", "mine.txt"])
      _ = try replaced.run()
    }
  }

  @Test func `a name with a line feed is printed in one line`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a\nrestored  b.wav")
    #expect(try replaced.run().status == 0)
    let restored = try replaced.restore()
    #expect(restored.errors.contains("a\\x0arestored  b.wav\n"), "\(restored.errors)")
  }

  @Test func `single files are restored by any of their names`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    for name in ["a.wav", "b.wav", "c.wav", "d.wav"] {
      try replaced.folder.add("speech.wav", as: "in/" + name)
    }
    _ = try replaced.run()
    #expect(try replaced.restore(["a.opus"]).status == 0)
    #expect(replaced.visibleFiles == ["a.wav", "b.opus", "c.opus", "d.opus"])
    #expect(try replaced.restore([replaced.folder("in/b.wav")]).status == 0)
    #expect(try replaced.restore([replaced.folder("originals/c.wav")]).status == 0)
    #expect(replaced.visibleFiles == ["a.wav", "b.wav", "c.wav", "d.opus"])
    let unknown = try replaced.restore(["d.opus", "a.wav"])
    #expect(unknown.status == 2 && unknown.errors.contains("a.wav: the ledger has no original"))
    #expect(replaced.visibleFiles == ["a.wav", "b.wav", "c.wav", "d.opus"])
  }

  @Test(arguments: ["small", "opus-128k"])
  func `a changed replacement stays unless forced`(_ preset: String) throws {
    let replaced = try ReplacedFolder(.init(preset: preset, originals: .sameDisk))
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    _ = try replaced.run()
    let output = replaced.folder("in/" + replaced.output(of: "a.wav"))
    try Data("my own work".utf8).write(to: URL(fileURLWithPath: output))
    let refused = try replaced.restore()
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("the replacement has been changed; --force"), "\(refused.errors)")
    #expect(replaced.bytes(output) == Data("my own work".utf8))
    unlink(output)
    let removed = try replaced.restore()
    #expect(removed.status == 1 && removed.errors.contains("the replacement was removed; --force"))
    try Data("my own work".utf8).write(to: URL(fileURLWithPath: output))
    #expect(try replaced.restore(["--force"]).status == 0)
    let changed = "a changed." + (output as NSString).pathExtension
    #expect(replaced.visibleFiles == [changed, "a.wav"])
    #expect(replaced.bytes(replaced.folder("in/" + changed)) == Data("my own work".utf8))
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
    #expect(!replaced.allFiles.contains { $0.hasSuffix(".original") })
  }

  @Test func `a new file in the place of a renamed replacement is neither lost nor taken for it`()
    throws
  {
    let replaced = try ReplacedFolder(.init(preset: "small", originals: .sameDisk))
    try replaced.folder.add("speech.wav", as: "in/x.wav")
    let original = replaced.bytes(replaced.folder("in/x.wav"))
    _ = try replaced.run()
    try #require(rename(replaced.folder("in/x.wav"), replaced.folder("in/a.wav")) == 0)
    try replaced.folder.add("tones-5.1.wav", as: "in/x.wav")
    let other = replaced.bytes(replaced.folder("in/x.wav"))
    let first = try replaced.restore(["--force"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(replaced.visibleFiles == ["a.wav", "x.wav"])
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
    #expect(replaced.bytes(replaced.folder("in/x.wav")) == other)
    #expect(try replaced.run(["--retry-restored"]).summary["converted"] as? Int == 2)
    #expect(try replaced.restore().status == 0)
    // The same without a restoration before the batch.
    #expect(try replaced.run(["--retry-restored"]).summary["converted"] as? Int == 2)
    try #require(rename(replaced.folder("in/x.wav"), replaced.folder("in/b.wav")) == 0)
    try replaced.folder.add("tones-5.1.wav", as: "in/x.wav")
    // A batch makes an output of the new file, and keeps both originals.
    #expect(try replaced.run().outcome("x.wav") == "converted")
    #expect(try replaced.restore().status == 0)
    #expect(replaced.visibleFiles == ["a.wav", "b.wav", "x.wav"])
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
    for name in ["b", "x"] { #expect(replaced.bytes(replaced.folder("in/\(name).wav")) == other) }
  }

  @Test func `replacements that have exchanged their names are restored`() throws {
    let replaced = try ReplacedFolder(.init(preset: "small", originals: .sameDisk))
    try replaced.folder.add("speech.wav", as: "in/x.wav")
    try replaced.folder.add("tones-5.1.wav", as: "in/y.wav")
    let originals = ["x", "y"].map { replaced.bytes(replaced.folder("in/\($0).wav")) }
    #expect(try replaced.run().summary["converted"] as? Int == 2)
    for (from, to) in [("x", "z"), ("y", "x"), ("z", "y")] {
      try #require(
        rename(replaced.folder("in/\(from).wav"), replaced.folder("in/\(to).wav")) == 0)
    }
    #expect(try replaced.run().summary["alreadyDone"] as? Int == 2)
    let restored = try replaced.restore()
    #expect(restored.status == 0, "\(restored.errors)")
    let found = Set(replaced.visibleFiles.map { replaced.bytes(replaced.folder("in/" + $0)) })
    #expect(found == Set(originals))
  }

  @Test(arguments: kept)
  func `every original is restored if a changed replacement was replaced`(
    _ options: ReplacedFolder.Case
  ) throws {
    let replaced = try ReplacedFolder(options)
    guard replaced.isPossible else { return }
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    let output = replaced.folder("in/" + replaced.output(of: "a.wav"))
    let isSame = replaced.output(of: "a.wav") == "a.wav"
    _ = try replaced.run()
    var changed: [Data] = []
    for number in 1...(isSame ? 2 : 1) {
      unlink(output)
      try replaced.folder.add(
        isSame ? "speech.wav" : "speech-opus.opus",
        as: "in/" + (output as NSString).lastPathComponent)
      if isSame {
        var bytes = try #require(original)
        bytes[1000 + number] ^= 1
        try bytes.write(to: URL(fileURLWithPath: output))
      }
      changed.append(try #require(replaced.bytes(output)))
      let again = try replaced.run(["--on-exists", "replace", "--even-if-larger"])
      let last = (output as NSString).lastPathComponent
      try #require(["converted", "copied"].contains(again.outcome(last)), "\(again.events)")
      let notes = again.events("finished")[last]?["notes"] as? [String] ?? []
      #expect(
        notes.contains { $0.hasPrefix("respool restore brings back the earlier original too, as ") }
      )
    }
    let result = try replaced.restore()
    #expect(result.status == 0, "\(result.errors)")
    let found = replaced.visibleFiles.map { replaced.bytes(replaced.folder("in/" + $0)) }
    #expect(Set(found) == Set(changed + [original].compactMap(\.self)))
    #expect(
      replaced.visibleFiles
        == (isSame
          ? ["a original 2.wav", "a original.wav", "a.wav"] : ["a.opus", "a.wav"]))
    #expect(replaced.bytes(output) == changed.last)
    // None of them is a source again.
    #expect(try replaced.run().summary["converted"] as? Int == 0)
  }

  @Test func `a removed replacement is restored by force`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    _ = try replaced.run()
    unlink(replaced.folder("in/a.wav"))
    #expect(try replaced.restore(["--force"]).status == 0)
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
  }

  @Test func `nothing is overwritten by an original`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    _ = try replaced.run()
    try replaced.folder.write("mine", as: "in/a.wav")
    let result = try replaced.restore(["--force"])
    #expect(
      result.status == 1 && result.errors.contains("another file has the name of the original"))
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == Data("mine".utf8))
    #expect(replaced.visibleFiles == ["a.opus", "a.wav"])
    unlink(replaced.folder("originals/a.wav"))
    unlink(replaced.folder("in/a.wav"))
    let missing = try replaced.restore()
    #expect(missing.status == 1 && missing.errors.contains("the original is no longer"))
    #expect(replaced.visibleFiles == ["a.opus"])
  }

  @Test func `a moved folder is restored where it is`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    try replaced.folder.add("speech.wav", as: "in/deep/a.wav")
    _ = try replaced.run()
    try FileManager.default.moveItem(
      atPath: replaced.folder("in"), toPath: replaced.folder("moved"))
    let again = try BatchRun(
      Respool.start([
        "batch", replaced.folder("moved"), "--replace", "--preset", "opus-128k", "--json",
      ]).wait())
    #expect(again.summary["alreadyDone"] as? Int == 1, "\(again.events)")
    #expect(try Respool.run("restore", replaced.folder("moved")).status == 0)
    #expect(TemporaryFolder.outputs(in: replaced.folder("moved")) == ["deep", "deep/a.wav"])
    #expect(!FileManager.default.fileExists(atPath: replaced.folder("in")))
  }

  @Test func `originals in a moved folder are found by its new path`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    for name in ["a.wav", "deep/a.wav"] { try replaced.folder.add("speech.wav", as: "in/" + name) }
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    _ = try replaced.run()
    let moved = replaced.folder("elsewhere")
    try FileManager.default.moveItem(atPath: replaced.folder("originals"), toPath: moved)
    let missing = try replaced.restore()
    #expect(missing.status == 1 && missing.errors.contains("name it with --originals"))
    let wrong = try replaced.restore(["--originals", replaced.folder("nowhere")])
    #expect(wrong.status == 1 && wrong.errors.contains("no such folder of originals"))
    let other = try replaced.restore(["--originals", replaced.folder("in")])
    #expect(other.status == 1 && other.errors.contains("nor below the folder of --originals"))
    #expect(replaced.visibleFiles == ["a.opus", "deep", "deep/a.opus"])
    let result = try replaced.restore(["--originals", moved])
    #expect(result.status == 0, "\(result.errors)")
    #expect(replaced.visibleFiles == ["a.wav", "deep", "deep/a.wav"])
    #expect(replaced.bytes(replaced.folder("in/deep/a.wav")) == original)
    #expect(!FileManager.default.fileExists(atPath: moved))
  }

  @Test func `a copy of a folder leaves the originals to the first one`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    _ = try replaced.run()
    let copy = replaced.folder("copy")
    try FileManager.default.copyItem(atPath: replaced.folder("in"), toPath: copy)
    let refused = try Respool.run("restore", copy)
    #expect(refused.status == 1 && refused.errors.contains("this folder is a copy"))
    #expect(TemporaryFolder.outputs(in: copy) == ["a.opus"])
    #expect(try replaced.restore().status == 0)
    #expect(replaced.visibleFiles == ["a.wav"])
  }

  @Test func `a folder without a ledger is an error`() throws {
    let folder = TemporaryFolder()
    let none = try Respool.run("restore", folder.path)
    #expect(none.status == 1 && none.errors.contains("has no ledger"))
    #expect(folder.contents.isEmpty)
    #expect(try Respool.run("restore", folder("nowhere")).errors.contains("no such folder"))
  }

  /// Kills a restoration before each of its system calls that change files, and starts it again.
  @Test(arguments: kept, [0, 1])
  func `a killed restoration is finished by the next one`(
    _ options: ReplacedFolder.Case, residue: Int
  ) throws {
    let library = try CPlugin("kill_at.c")
    var call = residue + 1
    while true {
      let replaced = try ReplacedFolder(options)
      guard replaced.isPossible else { return }
      try replaced.folder.add("speech.wav", as: "in/a.wav")
      let original = replaced.bytes(replaced.folder("in/a.wav"))
      _ = try replaced.run()
      let killed = try replaced.restore(
        environment: [
          "LD_PRELOAD=\(library.path)", "LEDGER_SYNCS=1", "KILL_COMMAND=restore", "KILL_AT=\(call)",
        ])
      if killed.status == 0 { break }
      try #require(killed.status == 128 + SIGKILL, "call \(call): \(killed.errors)")
      #expect(
        replaced.allFiles.contains { replaced.bytes($0) == original }, "call \(call)")
      // A batch in between finishes it, too.
      if call % 3 == 0 { _ = try replaced.run() }
      let again = try replaced.restore()
      #expect(again.status == 0, "call \(call): \(again.errors)")
      #expect(replaced.visibleFiles == ["a.wav"], "call \(call): \(replaced.allFiles)")
      #expect(replaced.bytes(replaced.folder("in/a.wav")) == original, "call \(call)")
      #expect(
        !replaced.allFiles.contains { $0.hasSuffix(".part") || $0.contains(".original") },
        "call \(call): \(replaced.allFiles)")
      if let originals = replaced.originals {
        // Killed after its mark was removed, the empty folder stays: it may be one that the user has made.
        #expect(TemporaryFolder.contents(of: originals) == [], "call \(call)")
      }
      call += 2
    }
    #expect(call > 6)
  }

  @Test func `a restoration removes the unfinished output of a killed batch`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    mkdir(replaced.folder("in/deep"), 0o777)
    try replaced.folder.addLongSound(as: "in/deep/long.wav", seconds: 600)
    let running = try Respool.start(replaced.words)
    try running.wait(until: "it converts") { running.output.contains("\"progress\"") }
    kill(running.identifier, SIGKILL)
    _ = try running.wait()
    #expect(replaced.allFiles.contains { $0.hasSuffix(".part") })
    let restored = try replaced.restore()
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(!replaced.allFiles.contains { $0.hasSuffix(".part") }, "\(replaced.allFiles)")
    #expect(replaced.visibleFiles == ["deep", "deep/long.wav"])
  }

  @Test func `a renamed replacement is found without a batch before`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    for name in ["a.wav", "b.wav"] { try replaced.folder.add("speech.wav", as: "in/" + name) }
    try replaced.folder.add("tones-5.1.wav", as: "in/c.wav")
    _ = try replaced.run()
    mkdir(replaced.folder("in/deep"), 0o777)
    for (name, new) in [("a.opus", "deep/other.opus"), ("c.opus", "d.opus")] {
      try #require(rename(replaced.folder("in/" + name), replaced.folder("in/" + new)) == 0)
    }
    #expect(try replaced.restore(["a.opus"]).status == 0)
    #expect(replaced.visibleFiles == ["b.opus", "d.opus", "deep", "deep/a.wav"])
    #expect(try replaced.restore(["d.opus"]).status == 0)
    #expect(replaced.visibleFiles == ["b.opus", "c.wav", "deep", "deep/a.wav"])
    #expect(try replaced.run().outcome("c.wav") == "skipped")
  }
}
