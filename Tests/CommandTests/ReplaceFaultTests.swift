import Foundation
import Glibc
import Testing

/// Faults while files are replaced: no original is lost, and no broken file gets a name.
@Suite struct ReplaceFaultTests {
  private static let name = "a.wav"

  /// Complete replacements by preset.
  private static let expected: [String: Data] = {
    var expected: [String: Data] = [:]
    for preset in ["small", "opus-128k"] {
      guard let replaced = try? ReplacedFolder(.init(preset: preset, originals: nil)) else {
        continue
      }
      try? replaced.folder.add("speech.wav", as: "in/" + name)
      expected[preset] = try? replaced.replacement(of: name)
    }
    return expected
  }()

  /// Checks that the original exists, or its complete replacement has its name, and that every other file is one of both.
  private func check(
    _ replaced: ReplacedFolder, _ original: Data, _ expected: Data, _ comment: String
  ) {
    let files = replaced.allFiles
    let hasOriginal = files.contains {
      !$0.hasSuffix(".part") && replaced.bytes($0) == original
    }
    let output = replaced.bytes(replaced.folder("in/" + replaced.output(of: Self.name)))
    #expect(
      hasOriginal || replaced.originals == nil && output == expected,
      "\(comment): the original is lost: \(files)")
    for name in replaced.visibleFiles {
      let bytes = replaced.bytes(replaced.folder("in/" + name))
      #expect(bytes == original || bytes == expected, "\(comment): \(name) is broken")
    }
    #expect(!replaced.visibleFiles.isEmpty, "\(comment): no file has its name")
  }

  /// Checks a folder whose file has been replaced.
  private func checkReplaced(
    _ replaced: ReplacedFolder, _ original: Data, _ expected: Data, _ comment: String
  ) {
    let output = replaced.output(of: Self.name)
    #expect(replaced.visibleFiles == [output], "\(comment): \(replaced.allFiles)")
    #expect(replaced.bytes(replaced.folder("in/" + output)) == expected, "\(comment)")
    if let originals = replaced.originals {
      #expect(
        TemporaryFolder.contents(of: originals) == [".respool-originals", Self.name], "\(comment)")
      #expect(replaced.bytes(originals + "/" + Self.name) == original, "\(comment)")
    }
    #expect(
      !replaced.allFiles.contains {
        $0.hasSuffix(".part") || $0.contains(".original.") || $0.hasSuffix(".original")
      },
      "\(comment): \(replaced.allFiles)")
  }

  private func begin(_ options: ReplacedFolder.Case) throws -> (
    ReplacedFolder, original: Data, expected: Data
  )? {
    let replaced = try ReplacedFolder(options)
    guard replaced.isPossible else { return nil }
    try replaced.folder.add("speech.wav", as: "in/" + Self.name)
    // An attribute, if the program that sets it is installed.
    _ = try? Running(
      ["/usr/bin/setfattr", "-n", "user.note", "-v", "n", replaced.folder("in/" + Self.name)],
      environment: [], folder: nil
    ).wait()
    let original = try #require(replaced.bytes(replaced.folder("in/" + Self.name)))
    let expected = try #require(Self.expected[options.preset])
    return (replaced, original, expected)
  }

  /// Kills the batch before each of its system calls that change files, and starts it again.
  @Test(arguments: ReplacedFolder.Case.all, [0, 1])
  func `a killed batch loses no original, and the next one finishes`(
    _ options: ReplacedFolder.Case, residue: Int
  ) throws {
    let library = try CPlugin("kill_at.c")
    var call = residue + 1
    while true {
      guard let (replaced, original, expected) = try begin(options) else { return }
      let killed = try replaced.run(
        environment: ["LD_PRELOAD=\(library.path)", "LEDGER_SYNCS=1", "KILL_AT=\(call)"])
      if killed.status == 0 {
        checkReplaced(replaced, original, expected, "undisturbed")
        break
      }
      try #require(killed.status == 128 + SIGKILL, "call \(call): \(killed.errors)")
      check(replaced, original, expected, "call \(call)")
      let again = try replaced.run()
      #expect(again.status == 0 && again.warnings.isEmpty, "call \(call): \(again.events)")
      checkReplaced(replaced, original, expected, "call \(call), then again")
      if replaced.originals != nil, call % 5 == 0 {
        let restored = try replaced.restore()
        #expect(restored.errors.hasPrefix("restored"), "call \(call): \(restored.errors)")
        #expect(replaced.bytes(replaced.folder("in/a.wav")) == original, "call \(call)")
      }
      call += 2
    }
    #expect(call > 20)
  }

  /// Lets each of these calls fail instead.
  @Test(arguments: ReplacedFolder.Case.all, [0, 1])
  func `a failed call loses no original, and the next batch finishes`(
    _ options: ReplacedFolder.Case, residue: Int
  ) throws {
    let library = try CPlugin("kill_at.c")
    var call = residue + 1
    // As many calls as a batch makes at most until its summary.
    for _ in 0..<12 {
      guard let (replaced, original, expected) = try begin(options) else { return }
      let failed = try Respool.start(
        replaced.words,
        environment: ["LD_PRELOAD=\(library.path)", "LEDGER_SYNCS=1", "FAIL_AT=\(call)"]
      ).wait()
      try #require(failed.status <= 2, "call \(call): \(failed.errors)")
      check(replaced, original, expected, "call \(call)")
      let again = try replaced.run()
      #expect(again.status == 0, "call \(call): \(again.events)")
      checkReplaced(replaced, original, expected, "call \(call), then again")
      call += 4
    }
  }

  /// Kills the batch in the steps that take the place of an exchange.
  @Test(arguments: [nil, ReplacedFolder.Case.Originals.sameDisk], [0, 1])
  func `file systems without an exchange lose nothing either`(
    _ originals: ReplacedFolder.Case.Originals?, residue: Int
  ) throws {
    let library = try CPlugin("kill_at.c")
    var call = residue + 1
    while true {
      guard
        let (replaced, original, expected) = try begin(
          .init(preset: "small", originals: originals))
      else { return }
      let variables = ["LD_PRELOAD=\(library.path)", "LEDGER_SYNCS=1", "NO_EXCHANGE=1"]
      let killed = try replaced.run(environment: variables + ["KILL_AT=\(call)"])
      if killed.status == 0 { break }
      try #require(killed.status == 128 + SIGKILL, "call \(call): \(killed.errors)")
      check(replaced, original, expected, "call \(call)")
      let again = try replaced.run(environment: variables)
      #expect(again.status == 0 && again.warnings.isEmpty, "call \(call): \(again.events)")
      checkReplaced(replaced, original, expected, "call \(call), then again")
      call += 2
    }
    #expect(call > 20)
  }

  /// Cuts the output, or puts another file in its place, before the worker reads it back.
  @Test(arguments: [0, 10, 50, 90, 99], ["small", "opus-128k", "remux-mkv", "remux-mp4"])
  func `a cut output replaces nothing`(percent: Int, preset: String) throws {
    let replaced = try ReplacedFolder(.init(preset: preset, originals: nil))
    let source =
      ["remux-mkv": "pattern-h264.mp4", "remux-mp4": "deep.mkv"][preset] ?? "speech.wav"
    try replaced.folder.add(source, as: "in/" + source)
    let original = replaced.bytes(replaced.folder("in/" + source))
    let library = try CPlugin("spoil_output.c")
    let run = try replaced.run(
      ["--even-if-larger"],
      environment: [
        "LD_PRELOAD=\(library.path)", "SPOIL_PERCENT=\(percent)", "RESPOOL_SANDBOX=off",
      ])
    #expect(run.status == 1 && run.outcome(source) == "failed", "\(run.events)")
    #expect(replaced.visibleFiles == [source])
    #expect(replaced.bytes(replaced.folder("in/" + source)) == original)
  }

  /// The other files lack the video, lack the audio, or have another duration.
  @Test(arguments: ["-vn -c copy", "-an -c copy", "-t 1 -c copy"])
  func `an output with other tracks replaces nothing`(arguments: String) throws {
    let replaced = try ReplacedFolder(.init(preset: "remux-mkv", originals: nil))
    try replaced.folder.add("clap-and-flash.mp4", as: "in/a.mp4")
    let original = replaced.bytes(replaced.folder("in/a.mp4"))
    let made = try Running(
      ["/usr/bin/ffmpeg", "-v", "error", "-i", replaced.folder("in/a.mp4")]
        + arguments.split(separator: " ").map(String.init) + [replaced.folder("other.mkv")],
      environment: [], folder: nil
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    let library = try CPlugin("spoil_output.c")
    let run = try replaced.run(
      ["--even-if-larger"],
      environment: [
        "LD_PRELOAD=\(library.path)", "SPOIL_BY=\(replaced.folder("other.mkv"))",
        "RESPOOL_SANDBOX=off",
      ])
    #expect(run.status == 1 && run.outcome("a.mp4") == "failed", "\(run.events)")
    #expect(replaced.visibleFiles == ["a.mp4"])
    #expect(replaced.bytes(replaced.folder("in/a.mp4")) == original)
  }

  @Test func `an incomplete or damaged source stays`() throws {
    let replaced = try ReplacedFolder(.init(preset: "opus-128k", originals: nil))
    let whole = try #require(FileManager.default.contents(atPath: Respool.media + "/speech.wav"))
    try Data(whole.prefix(60_000)).write(to: URL(fileURLWithPath: replaced.folder("in/cut.wav")))
    var flac = try #require(
      FileManager.default.contents(atPath: Respool.media + "/speech-flac.flac"))
    for index in 30_000..<30_400 { flac[index] = 0x55 }
    try flac.write(to: URL(fileURLWithPath: replaced.folder("in/bad.flac")))
    for attempt in 0..<2 {
      let run = try replaced.run(["--even-if-larger"])
      #expect(run.status == 1)
      for (_, event) in run.events("finished") {
        #expect(event["remembered"] as? Bool == (attempt == 0 ? nil : true))
      }
      for name in ["cut.wav", "bad.flac"] {
        #expect(run.outcome(name) == "failed", "\(run.events)")
        #expect(run.reason(name).hasSuffix(": kept the original"), "\(run.reason(name))")
      }
      #expect(replaced.visibleFiles == ["bad.flac", "cut.wav"])
    }
    #expect(replaced.bytes(replaced.folder("in/bad.flac")) == flac)
  }

  /// Another program writes into the source, or puts another file in its place, or takes its output's name.
  @Test(arguments: ["small", "opus-128k"], ["write", "replace", "remove", "take"])
  func `a source that changes at the last moment stays`(_ preset: String, _ event: String) throws {
    let replaced = try ReplacedFolder(.init(preset: preset, originals: nil))
    try replaced.folder.add("speech.wav", as: "in/a.wav")
    try replaced.folder.write("my own", as: "other")
    let library = try CPlugin("kill_at.c")
    let (source, other) = (replaced.folder("in/a.wav"), replaced.folder("other"))
    let command =
      switch event {
      case "write": "echo x >> \(source)"
      case "replace": "mv \(other) \(source)"
      case "remove": "rm \(source)"
      default: "mv \(other) \(replaced.folder("in/a.opus"))"
      }
    if event == "take", preset == "small" { return }
    let run = try replaced.run(
      environment: ["LD_PRELOAD=\(library.path)", "BEFORE_EXCHANGE=\(command)"])
    let original = try #require(FileManager.default.contents(atPath: Respool.media + "/speech.wav"))
    switch event {
    case "write":
      #expect(run.reason("a.wav").contains("has changed"), "\(run.events)")
      #expect(replaced.bytes(source) == original + Data("x\n".utf8))
    case "replace": #expect(replaced.bytes(source) == Data("my own".utf8))
    case "take":
      // The command runs after the output has its name.
      #expect(replaced.bytes(source) == nil)
    default: #expect(run.outcome("a.wav") == "failed", "\(run.events)")
    }
    if event != "take" {
      #expect(run.status == 1)
      #expect(replaced.visibleFiles == (event == "remove" ? [] : ["a.wav"]), "\(replaced.allFiles)")
      #expect(!replaced.allFiles.contains { $0.hasSuffix(".part") || $0.hasSuffix(".original") })
    }
  }
}

/// Faults of file systems while files are replaced.
@Suite(.enabled(if: SmallDisk.isPermitted, "file systems cannot be mounted"))
struct ReplaceDiskTests {
  private func addSource(_ replaced: ReplacedFolder, _ name: String = "in/a.wav") throws -> Data {
    try replaced.folder.add("speech.wav", as: name)
    return try #require(replaced.bytes(replaced.folder(name)))
  }

  @Test(arguments: ["small", "opus-128k"])
  func `originals without room stay where they are`(_ preset: String) throws {
    let replaced = try ReplacedFolder(.init(preset: preset, originals: nil))
    let original = try addSource(replaced)
    for files in [nil, 3] {
      let disk = try SmallDisk(replaced.folder("full"), megabytes: 1, files: files)
      if files == nil { try disk.fill("junk", leaving: 0.05) }
      let run = try replaced.run(["--originals", replaced.folder("full/originals")])
      #expect(run.status == 1 && run.outcome("a.wav") == "failed", "\(run.events)")
      #expect(
        run.reason("a.wav").contains(files == nil ? "has no room" : "no space left"),
        "\(run.reason("a.wav"))")
      #expect(replaced.visibleFiles == ["a.wav"])
      #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
      #expect(!replaced.allFiles.contains { $0.hasSuffix(".part") || $0.hasSuffix(".original") })
    }
    #expect(try replaced.run().outcome("a.wav") == "converted")
  }

  @Test func `a full disk keeps its files`() throws {
    let replaced = try ReplacedFolder(.init(preset: "small", originals: nil))
    let disk = try SmallDisk(replaced.folder("in"), megabytes: 1)
    let original = try addSource(replaced)
    _ = try replaced.run(["--dry-run"])
    try disk.fill(".junk", leaving: 0)
    let run = try Respool.start(replaced.words + ["--wait-for-space", "0"]).wait()
    #expect(run.status == 1, "\(run)")
    #expect(replaced.visibleFiles == [".junk", "a.wav"])
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
    unlink(replaced.folder("in/.junk"))
    #expect(try replaced.run().outcome("a.wav") == "converted")
  }

  @Test(arguments: ["in", "originals"])
  func `files of a disk that cannot be written to stay`(_ place: String) throws {
    let replaced = try ReplacedFolder(
      .init(preset: "opus-128k", originals: place == "in" ? nil : .sameDisk))
    let disk = try SmallDisk(replaced.folder(place), megabytes: 4)
    let original = try addSource(replaced)
    try disk.protect()
    let run = try Respool.start(replaced.words).wait()
    #expect(
      run.status == 1
        && run.errors.contains(
          place == "in" ? "unable to open database file" : "cannot be written to"),
      "\(run)")
    #expect(replaced.visibleFiles == ["a.wav"])
    #expect(replaced.bytes(replaced.folder("in/a.wav")) == original)
  }

  @Test func `an original keeps its attributes on another disk and back`() throws {
    let replaced = try ReplacedFolder(.init(preset: "small", originals: .otherDisk))
    _ = try addSource(replaced)
    chown(replaced.folder("in/a.wav"), 1001, 1002)
    chmod(replaced.folder("in/a.wav"), 0o604)
    let before = try replaced.folder.status("in/a.wav")
    #expect(try replaced.run().outcome("a.wav") == "converted")
    let kept = try replaced.folder.status("disk/originals/a.wav")
    #expect(kept.st_uid == 1001 && kept.st_gid == 1002 && kept.st_mode == before.st_mode)
    #expect(kept.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
    #expect(kept.st_dev != before.st_dev)
    #expect(try replaced.restore().status == 0)
    let back = try replaced.folder.status("in/a.wav")
    #expect(back.st_uid == 1001 && back.st_gid == 1002 && back.st_mode == before.st_mode)
    #expect(back.st_mtim.tv_nsec == before.st_mtim.tv_nsec && back.st_size == before.st_size)
  }
}
