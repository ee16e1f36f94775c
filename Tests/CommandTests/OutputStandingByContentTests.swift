import Foundation
import Glibc
import Testing

/// Outputs that exist already and do not match the ledger.
@Suite struct OutputStandingByContentTests {
  private let folder = TemporaryFolder()

  private func run(_ preset: String, _ words: [String] = []) throws -> BatchRun {
    try BatchRun(folder("in"), to: folder("out"), preset: preset, words)
  }

  /// Adds a source that is older than all files that the tests write.
  private func addSource(_ clip: String, as name: String) throws {
    try folder.add(clip, as: "in/" + name)
    try folder.setTime(1_000_000_000, of: "in/" + name)
  }

  @Test func `a changed output is not up to date`() throws {
    try addSource("speech.wav", as: "speech.wav")
    #expect(try run("opus-128k").outcome("speech.wav") == "converted")
    try FileManager.default.removeItem(atPath: folder("out/speech.opus"))
    try folder.add("speech-opus.opus", as: "out/speech.opus")
    let before = FileManager.default.contents(atPath: folder("out/speech.opus"))
    let changed = try run("opus-128k")
    #expect(changed.status == 1)
    #expect(changed.outcome("speech.wav") == "failed")
    #expect(changed.reason("speech.wav").contains("it has been changed since it was made"))
    #expect(changed.reason("speech.wav").contains("--on-exists replace"))
    #expect(FileManager.default.contents(atPath: folder("out/speech.opus")) == before)
    let replaced = try run("opus-128k", ["--on-exists", "replace"])
    #expect(replaced.outcome("speech.wav") == "converted")
    #expect(try run("opus-128k").outcome("speech.wav") == "skipped")
  }

  @Test func `a file of another length is not the output`() throws {
    try addSource("pattern-h264.mp4", as: "clip.mp4")
    mkdir(folder("out"), 0o777)
    try folder.addLongSound(as: "out/clip.wav")
    let run = try run("wav")
    #expect(run.status == 1)
    #expect(run.outcome("clip.mp4") == "failed")
    let reason = run.reason("clip.mp4")
    #expect(reason.contains("it lasts 7200 s and its source "), "\(reason)")
    #expect(reason.contains("--on-exists replace"))
  }

  @Test func `without a ledger, an output of another preset is not the output`() throws {
    try addSource("pattern-h264.mp4", as: "clip.mp4")
    #expect(try run("web-480p").outcome("clip.mp4") == "converted")
    try FileManager.default.removeItem(atPath: folder("out/.respool/ledger"))
    #expect(try run("web-480p").outcome("clip.mp4") == "skipped")

    // Only the video, as another program would leave it.
    let ffmpeg = try Running(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-y", "-i", folder("in/clip.mp4"), "-an", "-c", "copy",
        folder("out/clip.mp4"),
      ], environment: Respool.environment, folder: nil
    ).wait()
    try #require(ffmpeg.status == 0, "\(ffmpeg.errors)")
    let refused = try run("remux-mp4")
    #expect(refused.status == 1)
    let reason = refused.reason("clip.mp4")
    #expect(
      reason.contains("it has h264 320x180, and the preset makes h264 320x180, aac"), "\(reason)")
  }

  @Test func `without a ledger, --strict does not accept an existing output`() throws {
    try addSource("pattern-h264.mp4", as: "clip.mp4")
    #expect(try run("remux-mp4").outcome("clip.mp4") == "copied")
    #expect(try run("remux-mp4", ["--strict"]).outcome("clip.mp4") == "skipped")
    try FileManager.default.removeItem(atPath: folder("out/.respool/ledger"))
    let strict = try run("remux-mp4", ["--strict"])
    #expect(strict.status == 1)
    #expect(strict.reason("clip.mp4").contains("the ledger does not state what it has lost"))
  }

  @Test(arguments: ["wav", "remux-mkv", "webm-720p"])
  func `outputs of every clip are up to date after the ledger is lost`(_ preset: String) throws {
    for name in TemporaryFolder.contents(of: Respool.media) where !name.hasPrefix(".") {
      if name.hasSuffix(".mp4") || name.hasSuffix(".mkv") || name.hasSuffix(".mp3")
        || name.hasSuffix(".mov")
      {
        try addSource(name, as: name)
      }
    }
    // Matroska does not store that the audio is the shorter track.
    let ffmpeg = try Running(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=10:d=12", "-f",
        "lavfi", "-i", "sine=d=3", "-c:v", "mjpeg", "-c:a", "flac", folder("in/unequal.mkv"),
      ], environment: Respool.environment, folder: nil
    ).wait()
    try #require(ffmpeg.status == 0, "\(ffmpeg.errors)")
    try folder.setTime(1_000_000_000, of: "in/unequal.mkv")
    let words = ["--on-collision", "rename"]
    let made = try run(preset, words)
    #expect(made.summary["failed"] as? Int == 0, "\(made.events)")
    try FileManager.default.removeItem(atPath: folder("out/.respool/ledger"))
    let again = try run(preset, words)
    for (name, event) in made.events("finished") {
      guard ["converted", "copied"].contains(event["status"] as? String) else { continue }
      #expect(again.outcome(name) == "skipped", "\(name): \(again.reason(name))")
      #expect(again.reason(name) == "the output already exists")
    }
  }

  @Test func `a ledger that cannot be written is reported with the reason`() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.write("", as: "elsewhere")
    try FileManager.default.createDirectory(
      atPath: folder("out/.respool"), withIntermediateDirectories: true)
    // The batch does not follow a link in place of the ledger.
    try FileManager.default.createSymbolicLink(
      atPath: folder("out/.respool/ledger"), withDestinationPath: "../../elsewhere")
    let run = try BatchRun(folder("in"), to: folder("out"))
    #expect(run.outcome("speech.wav") == "converted")
    #expect(
      run.warnings.contains { $0.contains("cannot be used: unable to open database file") },
      "\(run.warnings)")
  }

  // MARK: Content of the same size and time

  private func overwrite(_ name: String, at offset: Int) throws {
    let time = try folder.status(name).st_mtim
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder(name)))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data([1, 2, 3, 4, 5, 6, 7]))
    try file.close()
    try #require(utimensat(AT_FDCWD, folder(name), [time, time], 0) == 0)
  }

  @Test(arguments: [1000, 100_000])
  func `a source that changed and kept its size and time is converted again`(offset: Int) throws {
    try addSource("speech.wav", as: "speech.wav")
    #expect(try run("opus-128k").outcome("speech.wav") == "converted")
    try overwrite("in/speech.wav", at: offset)
    let again = try run("opus-128k")
    #expect(again.outcome("speech.wav") == "converted")
    #expect(try run("opus-128k").outcome("speech.wav") == "skipped")
  }

  @Test func `an output that changed and kept its size and time is not up to date`() throws {
    try addSource("speech.wav", as: "speech.wav")
    #expect(try run("opus-128k").outcome("speech.wav") == "converted")
    let size = Int(try folder.status("out/speech.opus").st_size)
    try overwrite("out/speech.opus", at: size / 2)
    let again = try run("opus-128k")
    #expect(again.outcome("speech.wav") == "failed")
    #expect(again.reason("speech.wav").contains("it has been changed since it was made"))
    #expect(try run("opus-128k", ["--on-exists", "replace"]).outcome("speech.wav") == "converted")
  }

  @Test func `copies with times, other permissions and links leave outputs up to date`() throws {
    try addSource("speech.wav", as: "speech.wav")
    #expect(try run("opus-128k").outcome("speech.wav") == "converted")
    for name in ["in", "out"] {
      let copy = Process()
      copy.executableURL = URL(fileURLWithPath: "/bin/cp")
      copy.arguments = ["-a", folder(name), folder(name + "2")]
      try copy.run()
      copy.waitUntilExit()
      try FileManager.default.removeItem(atPath: folder(name))
      try FileManager.default.moveItem(atPath: folder(name + "2"), toPath: folder(name))
    }
    #expect(try run("opus-128k").summary["alreadyDone"] as? Int == 1)
    try #require(chmod(folder("in/speech.wav"), 0o600) == 0)
    try #require(link(folder("out/speech.opus"), folder("linked.opus")) == 0)
    #expect(try run("opus-128k").summary["alreadyDone"] as? Int == 1)
  }
}
