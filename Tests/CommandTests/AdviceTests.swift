import Foundation
import Testing

/// The command's suggestions after a typing error, and shell completion.
@Suite struct AdviceTests {
  @Test(arguments: [
    ("convrt a b", "there is no command \"respool convrt\"; did you mean \"respool convert\"?"),
    (
      "presets lst",
      "there is no command \"respool presets lst\"; did you mean \"respool presets list\"?"
    ),
    ("plugins xyzzy", "there are list, show, doctor, new, verify"),
  ])
  func `a mistyped command is corrected`(_ words: String, _ expected: String) throws {
    let result = try Respool.start(words.split(separator: " ").map(String.init)).wait()
    #expect(result.status == 2 && result.output == "")
    #expect(result.errors.contains(expected), "\(result.errors)")
  }

  @Test(arguments: ["1:75", "1:60:00", "0:0:60", "-1", "1:", ":30", "x"])
  func `an impossible time is rejected`(_ time: String) throws {
    let folder = TemporaryFolder()
    let result = try Respool.run(
      "convert", Respool.media + "/speech.wav", folder("a.wav"), "--from=\(time)")
    #expect(result.status == 2)
    #expect(folder.contents.isEmpty)
  }

  @Test func `quiet and verbose exclude each other`() throws {
    let folder = TemporaryFolder()
    let clip = Respool.media + "/speech.wav"
    for words in [
      ["convert", clip, folder("a.wav")], ["concat", clip, clip, folder("a.wav")],
      ["batch", clip, "--to", folder("out"), "--preset", "wav"],
    ] {
      let result = try Respool.start(words + ["--quiet", "--verbose"]).wait()
      #expect(result.status == 2)
      #expect(result.errors.contains("--quiet and --verbose exclude each other"))
      #expect(folder.contents.isEmpty)
    }
  }

  @Test(arguments: [
    ("thumbnails CLIP -o OUT.png --at 1 --columns 2", "--columns has no effect with --at"),
    ("thumbnails CLIP --to OUT --at 1 --no-times", "--no-times has no effect with --at"),
    (
      "thumbnails CLIP -o OUT%d.png --columns 4 --no-times",
      "--columns and --no-times have no effect with a number"
    ),
    ("thumbnails CLIP -o OUT.png --format jpg", "--format has no effect with -o"),
    ("waveform CLIP -o OUT.png --bits 8", "--bits has no effect on a drawing"),
    ("waveform CLIP -o OUT.json --size 100x50", "--size has no effect on data"),
    (
      "waveform CLIP -o OUT.dat --color #102030 --background #ffffff --amplitude-scale 2",
      "--color, --background and --amplitude-scale have no effect on data"
    ),
    (
      "waveform CLIP -o - --format json --replace", "--replace has no effect on standard output"
    ),
  ])
  func `an option without effect beside another is wrong usage`(_ words: String, _ expected: String)
    throws
  {
    let folder = TemporaryFolder()
    let arguments = words.split(separator: " ").map {
      String($0).replacing("CLIP", with: Respool.media + "/portrait.mov")
        .replacing("OUT", with: folder("out"))
    }
    let result = try Respool.start(arguments).wait()
    #expect(result.status == 2)
    #expect(result.errors.contains(expected), "\(result.errors)")
    #expect(result.output.isEmpty && folder.contents.isEmpty)
  }

  @Test(
    arguments: [
      ([], "/share/respool/sdk/Package.swift"), (["--c"], "/include/respool/helpers.h"),
      (["--filter", "--cpp"], "/include/respool/helpers.h"),
    ] as [([String], String)])
  func `a folder without an SDK is rejected`(_ words: [String], _ missing: String) throws {
    let folder = TemporaryFolder()
    try folder.write("", as: "elsewhere/README.md")
    let result = try Respool.start(
      ["plugins", "new", "Mine", "--sdk", folder("elsewhere"), "--into", folder.path] + words
    ).wait()
    #expect(result.status == 2)
    #expect(result.errors.contains("/elsewhere" + missing), "\(result.errors)")
    #expect(result.errors.contains("/elsewhere: the folder has no SDK"), "\(result.errors)")
    #expect(folder.contents == ["elsewhere", "elsewhere/README.md"])
  }

  @Test(arguments: [
    ("--c", "cc, which is not on the PATH; install the package gcc"),
    ("--cpp", "c++, which is not on the PATH; install the package g++"),
    ("--swift", "swift, which is not on the PATH; install Swift 6.2"),
  ])
  func `a plugin that cannot be built here is not made`(_ language: String, _ reason: String) throws
  {
    let folder = TemporaryFolder()
    try folder.write("#!/bin/sh\n", as: "tools/make")
    chmod(folder("tools/make"), 0o755)
    let environment = Respool.environment.filter { !$0.hasPrefix("PATH=") }
    let result = try Running(
      [Respool.executable, "plugins", "new", "Mine", language, "--into", folder.path],
      environment: environment + ["PATH=" + folder("tools")], folder: nil
    ).wait()
    #expect(result.status == 1)
    #expect(result.errors.contains(reason), "\(result.errors)")
    #expect(folder.contents == ["tools", "tools/make"])
  }

  @Test func `an option that only the encoder knows is checked by validate`() throws {
    let folder = TemporaryFolder()
    func validate(_ options: String) throws -> Respool.Result {
      let text = "container: mp4\nvideo:\n  codec: h264\n  options: {\(options)}\n"
      try text.write(toFile: folder("p.yaml"), atomically: true, encoding: .utf8)
      return try Respool.run("presets", "validate", folder("p.yaml"))
    }
    let wrong = try validate("x264-params: nosuch=1")
    #expect(wrong.status == 1)
    #expect(
      wrong.output.contains(
        "p.yaml:4:26: x264-params sets \"nosuch\", which x264 does not know; "
          + "`respool plugins show x264` lists the options"), "\(wrong.output)")
    #expect(try validate("maxrate: 1000000").output.contains("bufsize"))
    let right = try validate("x264-params: \"aq-mode=2:ref=4\", tune: film")
    #expect(right.status == 0, "\(right.output)")
  }

  /// The option is reported once before the batch, not once for each file.
  @Test func `an option that only the encoder knows is checked before a batch`() throws {
    let folder = TemporaryFolder()
    try "container: mp4\nvideo: {codec: h264, options: {x264-params: nosuch=1}}\n"
      .write(toFile: folder("p.yaml"), atomically: true, encoding: .utf8)
    let result = try Respool.run(
      "batch", Respool.media, "--to", folder("out"), "--preset", folder("p.yaml"))
    #expect(result.status == 2)
    #expect(result.errors.contains("x264-params sets \"nosuch\""), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("out")))
  }

  @Test func `the message says that no plugin encodes DTS and gives advice`() throws {
    let folder = TemporaryFolder()
    try "container: mkv\naudio: {codec: dts}\n"
      .write(toFile: folder("p.yaml"), atomically: true, encoding: .utf8)
    let output = try Respool.run("presets", "validate", folder("p.yaml")).output
    #expect(output.contains("no plugin encodes dts; installed plugins encode "), "\(output)")
    #expect(output.contains("libavcodec") && !output.contains("vp8"))
  }

  @Test func `shells complete presets and plugins`() throws {
    let script = try Respool.run("--generate-completion-script", "bash").output
    #expect(script.contains("---completion"))
    func offered(_ words: String...) throws -> [Substring] {
      try Respool.start(["---completion"] + words).wait().output.split(separator: "\n")
    }
    #expect(try offered("batch", "--", "--preset", "0", "0", "").contains("web-720p"))
    #expect(try offered("presets", "show", "--", "positional@0", "0", "0", "").contains("wav"))
    let plugins = try offered("plugins", "show", "--", "positional@0", "0", "0", "")
    #expect(plugins.contains("X264") && plugins.contains("x264") && plugins.contains("matroska"))
  }
}
