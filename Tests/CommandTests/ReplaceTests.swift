import Foundation
import Glibc
import Testing

/// Batches whose outputs take the places of their sources.
@Suite struct ReplaceTests {
  @Test(arguments: ReplacedFolder.Case.all)
  func `outputs replace their sources, and the next batch leaves them`(
    _ options: ReplacedFolder.Case
  )
    throws
  {
    let replaced = try ReplacedFolder(options)
    guard replaced.isPossible else { return }
    for name in ["a.wav", "deep/b.wav"] { try replaced.folder.add("speech.wav", as: "in/" + name) }
    let original = try #require(replaced.bytes(replaced.folder("in/a.wav")))
    let expected = try replaced.replacement(of: "a.wav")
    let first = try replaced.run()
    #expect(first.status == 0, "\(first.events)")
    #expect(first.outcome("a.wav") == "converted" && first.outcome("b.wav") == "converted")
    #expect(first.events("finished").count == 2, "\(first.events)")
    let outputs = ["a.wav", "deep", "deep/b.wav"].map(replaced.output)
    #expect(
      replaced.visibleFiles
        == (options.preset == "small" ? outputs : ["a.opus", "deep", "deep/b.opus"]))
    for name in ["a.wav", "deep/b.wav"] {
      #expect(replaced.bytes(replaced.folder("in/" + replaced.output(of: name))) == expected)
      if let originals = replaced.originals {
        #expect(replaced.bytes(originals + "/" + name) == original)
      }
    }
    #expect(!replaced.allFiles.contains { $0.hasSuffix(".part") || $0.hasSuffix(".original") })
    let before = replaced.allFiles
    let second = try replaced.run()
    #expect(second.status == 0 && second.summary["alreadyDone"] as? Int == 2, "\(second.events)")
    #expect(replaced.allFiles == before)
    let status = try Respool.run("status", replaced.folder("in")).output
    #expect(
      status.contains(
        "2 sources were replaced, \(options.originals == nil ? 0 : 2) originals were kept"),
      "\(status)")
  }

  /// Damage that a conversion conceals: the first by a decoder and the container, the second in the tags.
  @Test(arguments: [("pattern-flac.mkv", 0.7, true), ("pattern-h264.mp4", 1.0, false)])
  func `a damaged source stays`(name: String, place: Double, isChanged: Bool) throws {
    let replaced = try ReplacedFolder(.init(preset: "web-480p", originals: nil))
    try replaced.folder.add(name, as: "in/" + name)
    let path = replaced.folder("in/" + name)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    if isChanged {
      let middle = Int(place * Double(bytes.count))
      for index in middle..<middle + 4 { bytes[index] ^= 0xFF }
    } else {
      bytes = bytes.dropLast()
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try Respool.run("check", path).status == 1)
    let first = try replaced.run(["--even-if-larger"])
    #expect(first.outcome(name) == "failed", "\(first.events)")
    #expect(first.reason(name).hasSuffix("kept the original"), "\(first.reason(name))")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(replaced.visibleFiles == [name])
    let second = try replaced.run(["--even-if-larger"])
    #expect(second.outcome(name) == "failed")
  }

  @Test func `a file stays if its output is not small enough, which is remembered`() throws {
    let replaced = try ReplacedFolder(.init(preset: "wav", originals: nil))
    try replaced.folder.add("speech-mp3.mp3", as: "in/a.mp3")
    let original = replaced.bytes(replaced.folder("in/a.mp3"))
    let first = try replaced.run()
    #expect(first.status == 0 && first.outcome("a.mp3") == "skipped")
    #expect(first.reason("a.mp3").hasSuffix(" % larger: kept the original"))
    #expect(first.reason("a.mp3").hasPrefix("the output would be "))
    #expect(replaced.visibleFiles == ["a.mp3"])
    #expect(replaced.bytes(replaced.folder("in/a.mp3")) == original)
    let second = try replaced.run()
    #expect(second.events("finished")["a.mp3"]?["remembered"] as? Bool == true)
    #expect(second.reason("a.mp3") == first.reason("a.mp3"))
    // The user accepts what the ledger has rejected.
    #expect(try replaced.run(["--even-if-larger"]).outcome("a.mp3") == "converted")
    #expect(replaced.visibleFiles == ["a.wav"])
  }

  @Test func `a saving below the required one is rejected until less is required`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let first = try replaced.run(["--min-saving", "80%"])
    #expect(first.outcome("a.wav") == "skipped")
    #expect(
      first.reason("a.wav").hasPrefix("the output would be only ")
        && first.reason("a.wav").hasSuffix(" smaller, and --min-saving is 80 %: kept the original"),
      "\(first.reason("a.wav"))")
    let second = try replaced.run(["--min-saving", "70"])
    #expect(second.events("finished")["a.wav"]?["remembered"] as? Bool == true)
    #expect(second.reason("a.wav").contains("--min-saving is 70 %"))
    // A source with other content is converted again.
    try replaced.folder.setTime(1_600_000_000, of: "in/a.wav")
    let third = try replaced.run(["--min-saving", "70"])
    #expect(third.events("finished")["a.wav"]?["remembered"] == nil)
    #expect(third.outcome("a.wav") == "skipped")
    #expect(try replaced.run(["--min-saving", "20"]).outcome("a.wav") == "converted")
  }

  @Test func `an output is a source again only after it was changed, and on request`()
    throws
  {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: nil))
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    _ = try replaced.run()
    let other = try Respool.start([
      "batch", replaced.folder("in"), "--replace", "--preset", "wav", "--json",
      "--even-if-larger",
    ]).wait()
    let run = try BatchRun(other)
    #expect(run.outcome("a.opus") == "skipped")
    #expect(
      run.reason("a.opus")
        == "it was made from a.wav with another preset, and would lose quality again; its original was removed"
    )
    let untouched = try replaced.run(["--on-exists", "replace", "--even-if-larger"])
    #expect(untouched.summary["alreadyDone"] as? Int == 1, "\(untouched.events)")
    // Another name, permissions and times are no change of its content.
    try FileManager.default.moveItem(
      atPath: replaced.folder("in/a.opus"), toPath: replaced.folder("in/b.opus"))
    try replaced.folder.setTime(1_600_000_000, of: "in/b.opus")
    chmod(replaced.folder("in/b.opus"), 0o600)
    let moved = try replaced.run()
    #expect(moved.summary["alreadyDone"] as? Int == 1, "\(moved.events)")
    #expect(replaced.visibleFiles == ["b.opus"])
    unlink(replaced.folder("in/b.opus"))
    try replaced.folder.add("speech-opus.opus", as: "in/b.opus")
    let changed = try replaced.run()
    #expect(changed.outcome("b.opus") == "skipped")
    #expect(
      changed.reason("b.opus")
        == "a batch has put it in place of a.wav, and it has been changed since; --on-exists replace converts it again"
    )
    let again = try replaced.run(["--on-exists", "replace"])
    #expect(again.summary["alreadyDone"] as? Int == 0, "\(again.events)")
    #expect(again.reason("b.opus") != changed.reason("b.opus"))
  }

  @Test(arguments: 1...3) func `files with several names are skipped or replaced singly`(names: Int)
    throws
  {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    for number in 1..<names {
      try #require(
        link(replaced.folder("in/a.wav"), replaced.folder("other\(number).wav")) == 0)
    }
    let first = try replaced.run()
    #expect(first.status == 0)
    #expect(first.outcome("a.wav") == (names == 1 ? "converted" : "skipped"))
    if names > 1 {
      #expect(
        first.reason("a.wav")
          == "it has \(names) names (hard links); --links break replaces only this one")
      let second = try replaced.run(["--links", "break"])
      #expect(second.outcome("a.wav") == "converted")
      let notes = second.events("finished")["a.wav"]?["notes"] as? [String] ?? []
      #expect(notes.contains { $0.contains("the original had \(names) names (hard links)") })
    }
    #expect(replaced.bytes(replaced.folder("in/a.wav")) != original)
    for number in 1..<names {
      #expect(replaced.bytes(replaced.folder("other\(number).wav")) == original)
    }
    #expect(try replaced.folder.status("originals/a.wav").st_nlink == names)
  }

  @Test func `links, collisions and folders with another ledger are left out`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: nil))
    try replaced.folder.add("speech.wav", as: "elsewhere.wav")
    try #require(symlink("../elsewhere.wav", replaced.folder("in/link.wav")) == 0 || true)
    mkdir(replaced.folder("in"), 0o755)
    _ = symlink("../elsewhere.wav", replaced.folder("in/link.wav"))
    try replaced.folder.add("speech.wav", as: "in/x.wav")
    try replaced.folder.add("still.png", as: "in/x.opus")
    try replaced.folder.add("speech.wav", as: "source/y.wav")
    _ = try BatchRun(replaced.folder("source"), to: replaced.folder("in/made"), preset: "wav")
    let before = Dictionary(
      uniqueKeysWithValues: replaced.allFiles.map { ($0, replaced.bytes($0)) })
    let run = try replaced.run()
    #expect(
      run.outcome("link.wav") == "skipped" && run.reason("link.wav").hasPrefix("a link to a file"))
    #expect(run.outcome("x.wav") == "failed")
    #expect(run.reason("x.wav").contains("x.opus is also that of "))
    #expect(run.reason("made").hasPrefix("it has a ledger of its own"), "\(run.events)")
    for (path, bytes) in before { #expect(replaced.bytes(path) == bytes, "\(path)") }
  }

  @Test func `a link to a replaced file is left out with the name of the replacement`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: .sameDisk))
    try replaced.folder.add("speech.wav", as: "in/deep/a.wav")
    for (name, target) in [
      ("link.wav", "deep/a.wav"), ("absolute.wav", replaced.folder("in/deep/a.wav")),
      ("broken.wav", "deep/b.wav"),
    ] {
      try #require(symlink(target, replaced.folder("in/" + name)) == 0)
    }
    #expect(try replaced.run().summary["converted"] as? Int == 1)
    let run = try replaced.run()
    #expect(run.outcome("link.wav") == "skipped")
    #expect(
      run.reason("link.wav") == "a link to deep/a.wav, which a batch has replaced by a.opus")
    #expect(run.outcome("absolute.wav") == "skipped")
    #expect(run.outcome("broken.wav") == "failed")
    #expect(run.reason("broken.wav").hasPrefix("a broken link"))
    unlink(replaced.folder("in/broken.wav"))
    #expect(try replaced.run().status == 0)
  }

  @Test func `both of two files keep an output if their outputs have one name`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/x.wav")
    try replaced.folder.add("speech-flac.flac", as: "in/x.flac")
    let failed = try replaced.run()
    #expect(failed.status == 1 && replaced.visibleFiles == ["x.flac", "x.wav"])
    let renamed = try replaced.run(["--on-collision", "rename", "--even-if-larger"])
    #expect(renamed.status == 0, "\(renamed.events)")
    #expect(replaced.visibleFiles == ["x flac.wav", "x.wav"])
    #expect(
      TemporaryFolder.contents(of: replaced.folder("originals")) == [
        ".respool-originals", "x.flac", "x.wav",
      ])
  }

  @Test func `originals are not converted, wherever their folder is`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let originals = replaced.folder("in/originals")
    func run(_ words: [String]) throws -> BatchRun {
      try BatchRun(
        Respool.start(
          ["batch", replaced.folder("in"), "--preset", replaced.preset, "--json"] + words
        ).wait())
    }
    #expect(try run(["--replace", "--originals", originals]).outcome("a.wav") == "converted")
    let original = replaced.bytes(originals + "/a.wav")
    for words in [
      ["--replace", "--originals", originals], ["--replace"], ["--to", replaced.folder("out")],
    ] {
      let run = try run(words)
      #expect(run.status == 0, "\(run.events)")
      #expect(replaced.bytes(originals + "/a.wav") == original)
    }
    #expect(!FileManager.default.fileExists(atPath: replaced.folder("out/originals")))
    let direct = try Respool.run(
      "batch", originals, "--replace", "--preset", replaced.preset)
    #expect(direct.status == 2 && direct.errors.contains("has originals that a batch has replaced"))
    // A folder above would convert the outputs of this one again.
    let below = try Respool.run(
      "batch", originals, "--to", replaced.folder("again"), "--preset", replaced.preset)
    #expect(below.status == 0, "\(below.errors)")
  }

  @Test func `wrong folders and options are rejected`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/sub/a.wav")
    let inside = replaced.folder("in")
    for (words, expected) in [
      ([inside, "--replace", "--to", replaced.folder("out")], "exclude each other"),
      ([inside, inside, "--replace"], "takes one input"),
      ([inside + "/sub/a.wav", "--replace"], "takes one input, a folder"),
      ([inside, "--originals", "x", "--to", "y"], "has no effect without --replace"),
      ([inside, "--replace", "--originals", inside], "is the input or contains it"),
      ([inside, "--replace", "--originals", replaced.folder.path], "is the input or contains it"),
      (
        [inside, "--replace", "--on-exists", "fail"],
        "--on-exists fail has no effect with --replace"
      ),
      ([inside, "--replace", "--min-saving", "110%"], "min-saving"),
      ([inside], "--to"),
    ] {
      let result = try Respool.start(["batch"] + words + ["--preset", "wav"]).wait()
      #expect(result.status == 2, "\(words): \(result.errors)")
      #expect(result.errors.contains(expected), "\(words): \(result.errors)")
    }
    _ = try replaced.run()
    let sub = try Respool.run("batch", inside + "/sub", "--replace", "--preset", "wav")
    #expect(sub.status == 2 && sub.errors.contains("has replaced files; name that folder"))
    #expect(replaced.visibleFiles == ["sub", "sub/a.wav"])
  }

  @Test func `a plan changes nothing`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    let plan = try replaced.run(["--dry-run"])
    #expect((plan.summary["plan"] as? [String: Any])?["convert"] as? Int == 1)
    #expect(TemporaryFolder.contents(of: replaced.folder("in")) == ["a.wav"])
    #expect(!FileManager.default.fileExists(atPath: replaced.folder("originals")))
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
  }

  @Test(arguments: [0, 9000]) func `a damaged ledger lets nothing be replaced`(size: Int) throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    _ = try replaced.run()
    let made = replaced.bytes(replaced.folder("in/a.wav"))
    try Data(repeating: 7, count: size).write(
      to: URL(fileURLWithPath: replaced.folder("in/.respool/ledger")))
    for _ in 0..<2 {
      let result = try Respool.start(replaced.words).wait()
      #expect(result.status == 1 && result.errors.contains("is damaged"), "\(result.errors)")
      #expect(replaced.bytes(replaced.folder("in/a.wav")) == made)
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setfattr")))
  func `a replacement has the attributes of its source`() throws {
    let replaced = try ReplacedFolder()
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    let path = replaced.folder("in/a.wav")
    func shell(_ command: String) throws -> String {
      let result = try Running(
        ["/bin/sh", "-c", command], environment: ["PATH=/usr/bin:/bin"], folder: nil
      ).wait()
      try #require(result.status == 0, "\(command): \(result.errors)")
      return result.output
    }
    // Lists of the folder that new files would get.
    _ = try shell("setfacl -d -m u:4242:rwx \(replaced.folder("in"))")
    _ = try shell("setfattr -n user.note -v 'my note' \(path)")
    _ = try shell("setfacl -m u:1234:r-- -m g:99:rw- \(path)")
    if getuid() == 0 { chown(path, 1001, 1002) }
    chmod(path, 0o640)
    let times = [
      timespec(tv_sec: 1_000_000_000, tv_nsec: 5), timespec(tv_sec: 1_100_000_000, tv_nsec: 7),
    ]
    utimensat(AT_FDCWD, path, times, 0)
    func attributes(_ path: String) throws -> String {
      try shell("getfattr -d -m - --absolute-names \(path) | tail -n +2; getfacl -cnp \(path)")
    }
    let before = try (attributes(path), replaced.folder.status("in/a.wav"))
    #expect(try replaced.run().outcome("a.wav") == "converted")
    let after = try (attributes(path), replaced.folder.status("in/a.wav"))
    #expect(after.0 == before.0)
    #expect(after.1.st_uid == before.1.st_uid && after.1.st_gid == before.1.st_gid)
    #expect(after.1.st_mode == before.1.st_mode)
    #expect(after.1.st_mtim.tv_sec == 1_100_000_000 && after.1.st_mtim.tv_nsec == 7)
    #expect(after.1.st_ino != before.1.st_ino)
    #expect(try attributes(replaced.folder("originals/a.wav")) == before.0)
    // Without a list of its own, a file gets none from the folder.
    try replaced.folder.add("speech.wav", as: "in/b.wav")
    _ = try shell("setfacl -b \(replaced.folder("in/b.wav"))")
    let plain = try attributes(replaced.folder("in/b.wav"))
    #expect(try replaced.run().outcome("b.wav") == "converted")
    #expect(try attributes(replaced.folder("in/b.wav")) == plain)
  }

  @Test(.enabled(if: getuid() == 0, "needs another user"))
  func `a file of another user stays`() throws {
    let replaced = try ReplacedFolder(.init(preset: "small", originals: nil))
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    chmod(replaced.folder.path, 0o755)
    chmod(replaced.folder("in"), 0o777)
    chmod(replaced.folder("in/a.wav"), 0o666)
    let original = replaced.bytes(replaced.folder("in/a.wav"))
    let home = TemporaryFolder()
    chmod(home.path, 0o777)
    let run = try Running(
      ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", Respool.executable]
        + replaced.words,
      environment: Respool.environment.filter { !$0.hasPrefix("HOME=") } + ["HOME=\(home.path)"],
      folder: nil
    ).wait()
    let batch = try BatchRun(run)
    #expect(batch.status == 1, "\(run)")
    #expect(
      batch.reason("a.wav").hasPrefix("its owner (user 0, group 0) cannot be given"), "\(run)")
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
    #expect(!replaced.allFiles.contains { $0.hasSuffix(".part") || $0.hasSuffix(".original") })
  }
}
