import Foundation
import Glibc
import Testing

/// Paths that are rejected as outputs, and the file names in error messages about outputs.
@Suite struct OutputFileTests {
  private let folder = TemporaryFolder()

  private func bytes(_ name: String) -> Data? {
    FileManager.default.contents(atPath: folder(name))
  }

  @Test func `an input is never overwritten`() throws {
    try folder.add("speech.wav", as: "a.wav")
    try folder.add("tones-5.1.wav", as: "b.wav")
    try folder.add("still.png", as: "logo.png")
    try folder.add("portrait.mov", as: "film.mov")
    try #require(link(folder("a.wav"), folder("hard.wav")) == 0)
    try #require(symlink("a.wav", folder("soft.wav")) == 0)
    try #require(symlink("film.mov", folder("sheet.png")) == 0)
    let contents = folder.contents
    let before = contents.map(bytes)
    for arguments in [
      ["convert", "a.wav", "a.wav", "--preset", "wav"], ["convert", "a.wav", "./a.wav"],
      ["convert", "a.wav", "hard.wav"], ["convert", "a.wav", "soft.wav"],
      ["convert", "soft.wav", folder("a.wav")], ["concat", "a.wav", "b.wav", "b.wav"],
      ["concat", "a.wav", "b.wav", "hard.wav"],
      ["waveform", "a.wav", "-o", "a.wav", "--format", "png"],
      ["thumbnails", "film.mov", "-o", "sheet.png"],
      ["convert", "film.mov", "logo.png", "--preset", "web-480p", "--overlay", "logo.png"],
    ] {
      for more in [[], ["--replace"]] {
        let result = try Respool.start(arguments + more, folder: folder.path).wait()
        #expect(result.status == 2, "\(arguments)")
        #expect(result.errors.contains("is also the input"), "\(arguments): \(result.errors)")
      }
    }
    #expect(folder.contents == contents)
    #expect(contents.map(bytes) == before)
  }

  @Test func `a batch does not overwrite its inputs`() throws {
    try folder.add("speech.wav", as: "a.wav")
    let before = bytes("a.wav")
    let result = try Respool.run(
      "batch", folder("a.wav"), "--to", folder.path, "--preset", "wav", "--on-exists", "replace")
    #expect(result.status == 1)
    #expect((result.errors + result.output).contains("is also the input"))
    #expect(bytes("a.wav") == before)
    #expect(TemporaryFolder.outputs(in: folder.path) == ["a.wav"])
  }

  @Test func `a path that is not a file is not replaced`() throws {
    mkdir(folder("folder.opus"), 0o777)
    mkfifo(folder("pipe.opus"), 0o666)
    symlink("/dev/null", folder("device.opus"))
    symlink("folder.opus", folder("link.opus"))
    let contents = folder.contents
    for (name, kind) in [
      ("folder.opus", "a folder"), ("pipe.opus", "a pipe"), ("device.opus", "a device"),
      ("link.opus", "a folder"),
    ] {
      for arguments in [
        ["convert", Respool.media + "/speech.wav", folder(name), "--replace"],
        [
          "waveform", Respool.media + "/speech.wav", "-o", folder(name), "--format", "svg",
          "--replace",
        ],
      ] {
        let result = try Respool.start(arguments).wait()
        #expect(result.status == 2, "\(name)")
        #expect(result.errors.contains("is \(kind), which no file can replace"), "\(result.errors)")
      }
    }
    #expect(folder.contents == contents)
  }

  /// The new file replaces the link itself, as in a batch.
  @Test(arguments: ["kept.txt", "nowhere.txt"])
  func `a link is replaced and its target stays`(_ target: String) throws {
    try folder.add("notes.txt", as: "kept.txt")
    let before = bytes("kept.txt")
    symlink(target, folder("a.opus"))
    let arguments = ["convert", Respool.media + "/speech.wav", folder("a.opus")]
    let refused = try Respool.start(arguments).wait()
    #expect(refused.status == 2)
    #expect(refused.errors.contains("--replace"))
    let replaced = try Respool.start(arguments + ["--replace"]).wait()
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: folder("a.opus"))) == nil)
    #expect(folder.contents == ["a.opus", "kept.txt"])
    #expect(bytes("kept.txt") == before)
  }

  @Test func `errors name the output and not its temporary file`() throws {
    for (arguments, name) in [
      (["convert", "speech.wav", "none/a.opus"], "none/a.opus"),
      (["waveform", "speech.wav", "-o", "none/a.png"], "none/a.png"),
      (["thumbnails", "portrait.mov", "-o", "none/a.png"], "none/a.png"),
    ] {
      var arguments = arguments
      arguments[1] = Respool.media + "/" + arguments[1]
      let result = try Respool.start(arguments, folder: folder.path).wait()
      #expect(result.status == 1)
      #expect(
        result.errors == "respool: \(name): cannot be created: no such file or directory\n")
    }
  }
}
