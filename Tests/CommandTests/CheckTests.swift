import Foundation
import Glibc
import Testing

/// `check` of files and folders.
@Suite struct CheckTests {
  private let folder = TemporaryFolder()

  /// Copies a clip and changes its bytes in a part of it, given as fractions of its length.
  private func damage(
    _ clip: String, as name: String, from start: Double, to end: Double,
    _ change: (UInt8) -> UInt8 = { ~$0 }
  ) throws {
    try folder.add(clip, as: name)
    let url = URL(fileURLWithPath: folder(name))
    var bytes = [UInt8](try Data(contentsOf: url))
    let count = Double(bytes.count)
    for index in Int(count * start)..<Int(count * end) { bytes[index] = change(bytes[index]) }
    try Data(bytes).write(to: url)
  }

  private func cut(_ clip: String, as name: String, to end: Double) throws {
    try folder.add(clip, as: name)
    let url = URL(fileURLWithPath: folder(name))
    let bytes = try Data(contentsOf: url)
    try bytes.prefix(Int(Double(bytes.count) * end)).write(to: url)
  }

  @Test func `the clips are whole, and other files are skipped`() throws {
    let result = try Respool.run("check", Respool.media)
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("14 whole, 2 skipped in "), "\(result.errors)")
    let all = try Respool.run("check", "-v", Respool.media)
    #expect(all.output.contains("skipped  \(Respool.media)/notes.txt: not a media file but text"))
    #expect(all.output.contains("whole  \(Respool.media)/speech.wav"))
  }

  @Test(arguments: ["flac", "aiff"], [20, 60])
  func `a file that ends in its header is damaged`(_ suffix: String, size: Int) throws {
    let made = try Running(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-i", Respool.media + "/speech.wav",
        folder("a." + suffix),
      ], environment: Respool.environment, folder: nil
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder("a." + suffix)))
    try bytes.prefix(size).write(to: URL(fileURLWithPath: folder("cut." + suffix)))
    let result = try Respool.run("check", folder("cut." + suffix))
    #expect(result.status == 1 && result.output.hasPrefix("damaged"), "\(result)")
    #expect(!result.output.contains("Input/output error"))
  }

  @Test func `a film whose audio has lost its header is damaged`() throws {
    let made = try Running(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-f",
        "lavfi", "-i", "sine=d=1", "-c:v", "mpeg4", "-c:a", "mp2", folder("film.avi"),
      ], environment: Respool.environment, folder: nil
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder("film.avi")))
    #expect(try Respool.run("check", folder("film.avi")).status == 0)
    // The header of the second stream is no header any more.
    let header = try #require(bytes.range(of: Data("auds".utf8)))
    bytes[header.lowerBound - 5] = UInt8(ascii: "j")
    try folder.write(bytes, as: "film.avi")
    let check = try Respool.run("check", folder("film.avi"))
    #expect(check.status == 1, "\(check)")
    #expect(check.output.contains("declares 2 streams, but describes 1"), "\(check.output)")
  }

  @Test(arguments: [
    "pattern-h264.mp4", "pattern-vp9.webm", "pattern-flac.mkv", "speech-flac.flac",
    "speech-mp3.mp3", "speech-opus.opus", "portrait.mov", "deep.mkv", "still.png", "variable.mp4",
  ])
  func `damaged bytes are found in every format`(_ clip: String) throws {
    try damage(clip, as: "in/\(clip)", from: 0.6, to: 0.61)
    let result = try Respool.run("check", folder("in"))
    #expect(result.status == 1, "\(result)")
    #expect(result.output.hasPrefix("damaged  \(folder("in"))/\(clip): "), "\(result.output)")
    #expect(result.output.split(separator: "\n").count == 1)
    #expect(result.errors.contains("0 whole, 1 damaged"))
  }

  @Test(arguments: [
    "pattern-h264.mp4", "pattern-vp9.webm", "speech-flac.flac", "speech-opus.opus", "speech.wav",
    "portrait.mov", "deep.mkv", "still.png",
  ])
  func `a file that is cut off is found in every format`(_ clip: String) throws {
    try cut(clip, as: "in/\(clip)", to: 0.7)
    let result = try Respool.run("check", folder("in"))
    #expect(result.status == 1, "\(result)")
    #expect(result.output.hasPrefix("damaged  \(folder("in"))/\(clip): "), "\(result.output)")
  }

  @Test func `damage is named with its track, time and reason`() throws {
    try damage("pattern-h264.mp4", as: "a.mp4", from: 0.6, to: 0.61)
    let result = try Respool.run("check", "--json", folder("a.mp4"))
    #expect(result.status == 1)
    let document = try result.object()
    #expect(document["input"] as? String == folder("a.mp4"))
    #expect(document["status"] as? String == "damaged")
    let findings = try #require(document["findings"] as? [[String: Any]])
    let finding = try #require(findings.first)
    #expect(finding["kind"] as? String == "damage")
    #expect(finding["track"] as? Int == 1)
    let start = try #require(finding["from"] as? Double)
    let end = try #require(finding["to"] as? Double)
    #expect(start > 0 && start <= end && end <= 2)
    #expect((finding["message"] as? String)?.contains("could not be decoded") == true)
  }

  @Test func `several files give a line of JSON each, and a summary`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try cut("portrait.mov", as: "in/b.mov", to: 0.5)
    try folder.write("", as: "in/c.mp4")
    try folder.write("", as: "in/d.txt")
    let result = try Respool.run("check", "--json", folder("in"), folder("none.mp4"))
    #expect(result.status == 1)
    let events = try result.events()
    let statuses = Dictionary(
      uniqueKeysWithValues: events.dropLast().map {
        (($0["input"] as? String ?? "").split(separator: "/").last ?? "", $0["status"] as? String)
      })
    #expect(
      statuses == [
        "a.wav": "whole", "b.mov": "damaged", "c.mp4": "damaged", "d.txt": "skipped",
        "none.mp4": "unreadable",
      ])
    let summary = try #require(events.last)
    #expect(summary["event"] as? String == "summary")
    #expect(
      ["whole", "damaged", "unreadable", "skipped"].map { summary[$0] as? Int } == [1, 2, 1, 1])
  }

  @Test func `--quiet prints only damaged files`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    let whole = try Respool.run("check", "--quiet", folder("in"))
    #expect(whole.status == 0 && whole.output == "" && whole.errors == "")
    try cut("portrait.mov", as: "in/b.mov", to: 0.5)
    let damaged = try Respool.run("check", "--quiet", folder("in"))
    #expect(damaged.status == 1 && damaged.errors == "")
    #expect(damaged.output.split(separator: "\n").count == 1)
  }

  @Test func `a named file that is no media is unreadable`() throws {
    try folder.write("Dear diary", as: "diary.txt")
    try #require(mkfifo(folder("pipe.mp4"), 0o600) == 0)
    for name in ["diary.txt", "pipe.mp4"] {
      let result = try Respool.run("check", folder(name))
      #expect(result.status == 1)
      #expect(result.output.hasPrefix("unreadable  \(folder(name)): "), "\(result.output)")
    }
    #expect(try Respool.run("check", folder.path).status == 0)
  }

  @Test func `names that are not UTF-8 are checked and printed`() throws {
    try folder.add("speech.wav", as: Array("in/".utf8) + [0xFF, 0x2E, 0x77, 0x61, 0x76])
    let result = try Respool.run("check", "--json", folder("in"))
    #expect(result.status == 0)
    #expect(try result.events().first?["status"] as? String == "whole")
  }

  @Test(arguments: [
    ("CRASHNOW", 120, "was killed by signal 11 (SIGSEGV, invalid memory access) in unruly_explode"),
    ("EXITNOW_", 120, "was ended by a plugin or a library"),
    ("HANGNOW_", 2, "did not respond for 2 seconds and was killed"),
  ])
  func `a crash or a hang of a plugin costs one file`(
    _ word: String, _ patience: Int, _ reason: String
  ) throws {
    let plugin = try CPlugin(
      "unruly.c", defining: ["THROWS"],
      linking: ["-lpthread", Respool.package + "/Tests/Fixtures/thrower.cpp", "-lstdc++"])
    for (name, text) in ["a.x": "GOODFILE", "bad.x": word, "c.x": "GOODFILE"] {
      try folder.write(text, as: "in/\(name)")
    }
    let result = try Respool.run(
      "check", folder("in"),
      environment: plugin.environment + ["RESPOOL_PATIENCE=\(patience)"])
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("unreadable  \(folder("in"))/bad.x: "), "\(result)")
    #expect(result.output.contains(reason), "\(result.output)")
    #expect(result.errors.contains("2 whole, 1 unreadable"), "\(result.errors)")
  }

  @Test func `an interrupted check has status 130 and leaves no process`() throws {
    let plugin = try CPlugin("unruly.c", linking: ["-lpthread"])
    try folder.write("HANGREAD", as: "in/a.x")
    let check = try Respool.start(["check", folder("in")], environment: plugin.environment)
    // Plugins are described before, in children too.
    func checkingChild() -> pid_t? {
      check.children.first { number in
        let words = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)
        return words?.contains("__check") == true
      }
    }
    try check.wait(until: "it checks") { checkingChild() != nil }
    let child = try #require(checkingChild())
    check.interrupt()
    let result = try check.wait()
    #expect(result.status == 130)
    #expect(result.errors.contains("interrupted, 1 file is left"), "\(result.errors)")
    #expect(kill(child, 0) != 0)
  }

  /// Makes a file with ffmpeg.
  private func make(_ name: String, _ arguments: String...) throws {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-v", "error"] + arguments + [folder(name)],
      environment: Respool.environment, folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Changes the bytes of a file.
  private func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
    let url = URL(fileURLWithPath: folder(name))
    var bytes = [UInt8](try Data(contentsOf: url))
    change(&bytes)
    try Data(bytes).write(to: url)
  }

  /// Returns the line of text about a file.
  private func line(_ name: String) throws -> String {
    try Respool.run("check", "-v", folder(name)).output
  }

  @Test func `a flipped bit of PCM in Matroska is found by its checksum`() throws {
    try make("a.mkv", "-i", Respool.media + "/speech.wav", "-c:a", "pcm_s16le")
    #expect(try line("a.mkv").hasPrefix("whole"))
    try change("a.mkv") { $0[$0.count / 2] ^= 1 }
    let found = try line("a.mkv")
    #expect(found.hasPrefix("damaged"))
    #expect(found.contains("the checksum of the element is wrong (Segment/Cluster"), "\(found)")
  }

  @Test func `a dropped part of Ogg is found`() throws {
    try make("a.ogg", "-i", Respool.media + "/speech.wav", "-c:a", "libvorbis")
    #expect(try line("a.ogg").hasPrefix("whole"))
    try change("a.ogg") { $0.removeSubrange($0.count * 4 / 10..<$0.count * 5 / 10) }
    #expect(try line("a.ogg").hasPrefix("damaged"))
  }

  @Test func `Opus without a whole page of audio is found`() throws {
    try make("a.opus", "-i", Respool.media + "/speech.wav", "-t", "0.5", "-c:a", "libopus")
    #expect(try line("a.opus").hasPrefix("whole"))
    try change("a.opus") { $0[$0.count - 20] ^= 1 }
    #expect(try line("a.opus").hasPrefix("damaged"))
  }

  @Test func `bytes after the last frame of MP3 are found, and tags are not`() throws {
    try folder.add("speech-mp3.mp3", as: "a.mp3")
    try change("a.mp3") { $0 += Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125) }
    #expect(try line("a.mp3").hasPrefix("whole"))
    try folder.add("speech-mp3.mp3", as: "b.mp3")
    try change("b.mp3") { $0 += [UInt8](repeating: 0, count: 5000) }
    #expect(try line("b.mp3").contains("5000 bytes from offset"))
  }

  /// Damage that ffmpeg reports as an error, in any of these files, must be reported.
  @Test(arguments: [
    "pattern-h264.mp4", "pattern-vp9.webm", "pattern-flac.mkv", "speech-flac.flac",
    "speech-mp3.mp3", "speech-opus.opus", "portrait.mov", "deep.mkv", "still.png", "variable.mp4",
    "clap-and-flash.mp4", "animation.gif",
  ])
  func `each file that ffmpeg names is named`(_ clip: String) throws {
    var random = Numbers(state: clip.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    var named: [String] = []
    for number in 0..<12 {
      let name = "in/\(number)-\(clip)"
      try folder.add(clip, as: name)
      try change(name) { bytes in
        let start = Int(random.next() % UInt64(bytes.count * 8 / 10)) + bytes.count / 10
        let end = min(bytes.count, start + max(1, bytes.count / 50))
        switch number % 4 {
        case 0: bytes[start] ^= UInt8(1 << (random.next() % 8))
        case 1: for index in start..<end { bytes[index] = 0 }
        case 2: bytes.removeSubrange(start..<end)
        default:
          for index in start..<end { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
      }
      let peer = try Running(
        [
          "/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-xerror", "-err_detect", "explode", "-i",
          folder(name), "-f", "null", "-",
        ], environment: Respool.environment, folder: nil
      ).wait()
      if peer.status != 0 { named.append(folder(name)) }
    }
    let events = try Respool.run("check", "--json", folder("in")).events()
    let whole = events.filter { $0["status"] as? String == "whole" }
      .compactMap { $0["input"] as? String }
    #expect(Set(named).isDisjoint(with: whole), "\(Set(named).intersection(whole))")
  }

  @Test func `a full verification fails an output that is damaged`() throws {
    try damage("pattern-h264.mp4", as: "a.mp4", from: 0.6, to: 0.61)
    let usual = try Respool.run("convert", folder("a.mp4"), folder("b.mkv"))
    #expect(usual.status == 0, "\(usual.errors)")
    let full = try Respool.run("convert", folder("a.mp4"), folder("c.mkv"), "--verify", "full")
    #expect(full.status == 1)
    #expect(full.errors.contains("the output is damaged: track 1: "), "\(full.errors)")
    #expect(Set(folder.contents) == ["a.mp4", "b.mkv"])
  }

  @Test(arguments: ["web-480p", "webm-720p", "remux-mkv", "opus-128k", "aac-160k", "wav"])
  func `a full verification passes whole outputs`(_ preset: String) throws {
    let run = try BatchRun(
      Respool.media, to: folder("out"), preset: preset, ["--verify", "full"])
    #expect(run.status == 0, "\(run.summary)")
  }
}

/// A generator of repeatable numbers (xorshift).
private struct Numbers {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state >> 11
  }
}
