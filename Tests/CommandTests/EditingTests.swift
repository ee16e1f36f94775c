import Foundation
import Testing

/// `convert` with edits, `concat` and `thumbnails`, run as a user runs them.
@Suite struct EditingTests {
  /// The sources are gray frames in HLG with 10 bits, in 8 bits only tagged as HLG, and in PQ.
  ///
  /// The color description of the PQ source is in the container, not in the bitstream.
  @Test(arguments: [
    ("yuv420p10le", "hlg.mkv", "bt709", 140), ("yuv420p", "hlg.mkv", "arib-std-b67", 126),
    ("yuv420p10le", "pq.mp4", "bt709", 175),
  ])
  func `HDR becomes SDR if the output has 8 bits`(
    format: String, source: String, transfer: String, luma: Int
  ) throws {
    let tags = ["-color_primaries", "bt2020", "-colorspace", "bt2020nc", "-color_trc"]
    let coding =
      source == "hlg.mkv"
      ? ["arib-std-b67", "-c:v", "ffv1"]
      : [
        "smpte2084", "-c:v", "libx265", "-x265-params", "log-level=error", "-bsf:v",
        "hevc_metadata=colour_primaries=2:transfer_characteristics=2:matrix_coefficients=2",
      ]
    try ffmpeg(
      ["-f", "lavfi", "-i", "color=c=gray:s=320x180:r=25:d=0.4,format=\(format)"] + tags + coding
        + [folder(source)])
    let result = try Respool.run(
      "convert", folder(source), folder("a.mp4"), "--preset", "web-480p")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try probe("a.mp4", "v:0", "stream=color_transfer") == transfer)
    try ffmpeg(["-i", folder("a.mp4"), "-pix_fmt", "gray", "-f", "rawvideo", folder("a.gray")])
    let samples = try #require(FileManager.default.contents(atPath: folder("a.gray")))
    #expect(samples.count == 10 * 320 * 180)
    // FFmpeg's `gray` has full range.
    let expected = Int((Double(luma - 16) * 255 / 219).rounded())
    #expect(samples.allSatisfy { abs(Int($0) - expected) <= 2 })
  }

  @Test(arguments: ["30x22", "160x120"], ["h264", "vp9", "vp8"])
  func `the lowest quality is no failure`(size: String, codec: String) throws {
    try ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=0.4", "-c:v", "ffv1", folder("a.mkv")])
    let quality = codec == "h264" ? 51 : 63
    try folder.write(
      "container: mkv\naudio: none\nvideo: {codec: \(codec), quality: \(quality)}\n", as: "p.yaml")
    let result = try Respool.run(
      "convert", folder("a.mkv"), folder("b.mkv"), "--preset", folder("p.yaml"))
    #expect(result.status == 0, "\(result.errors)")
  }

  /// Some of the times are between two audio samples, nearer to the first or to the second.
  @Test(arguments: ["0.33326", "0.33327", "0.5", "0.7777777", "1.00002", "1.23456"])
  func `a part of PCM begins at the nearest audio sample`(start: String) throws {
    let noise = "aevalsrc='random(0)|random(1)':s=44100:d=2"
    try ffmpeg(["-f", "lavfi", "-i", noise, "-c:a", "pcm_s24le", folder("a.wav")])
    try ffmpeg(["-i", folder("a.wav"), "-f", "s24le", folder("a.raw")])
    let first = Int(((Double(start) ?? 0) * 44_100).rounded())
    let samples = try #require(FileManager.default.contents(atPath: folder("a.raw")))
      .dropFirst(first * 6)
    for name in ["b.wav", "b.mkv", "b.mov"] {
      let preset = name == "b.wav" ? "wav" : "pcm.yaml"
      let container = (name as NSString).pathExtension
      try folder.write(
        "container: \(container)\naudio: {codec: pcm, passthrough: any}\n", as: "pcm.yaml")
      let result = try Respool.run(
        "convert", folder("a.wav"), folder(name), "--preset",
        preset == "wav" ? preset : folder(preset), "--from", start)
      #expect(result.status == 0, "\(result.errors)")
      try ffmpeg(["-i", folder(name), "-f", "s24le", folder("\(name).raw")])
      let found = try #require(FileManager.default.contents(atPath: folder("\(name).raw")))
      #expect(found == samples, "\(name): \(found.count) bytes of \(samples.count)")
    }
  }

  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-nostdin", "-v", "error"] + arguments, environment: Respool.environment,
      folder: nil
    ).wait()
    #expect(result.status == 0, "\(result.errors)")
  }

  private func media(_ name: String) -> String { Respool.media + "/" + name }

  /// Returns an entry that ffprobe prints for a file's first stream of a kind.
  private func probe(_ name: String, _ stream: String, _ entry: String) throws -> String {
    let result = try Running(
      [
        "/usr/bin/ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", entry, "-of",
        "csv=p=0", folder(name),
      ], environment: Respool.environment, folder: nil
    ).wait()
    #expect(result.errors == "")
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines.union([","]))
  }

  @Test func `edits reach the file`() throws {
    let result = try Respool.run(
      "convert", media("pattern-h264.mp4"), folder("a.mp4"), "--from", "0.5", "--duration", "0:01",
      "--rotate", "90", "--size", "160x90", "--overlay", media("still.png") + ":top-left:0.5",
      "--overlay", media("still.png"), "--text", "Grüße", "--text-position", "top-right",
      "--text-size", "12", "--volume", "-6dB", "--fade-in", "0.2", "--fade-out", "0.3")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "" && result.errors == "")
    // The frame presented at 0.5 s starts earlier and is also in the output.
    #expect(try probe("a.mp4", "v:0", "stream=width,height,nb_frames") == "90,160,26")
    let length = try #require(Double(probe("a.mp4", "a:0", "stream=duration")))
    #expect(abs(length - 1) < 0.03)
  }

  @Test(arguments: [
    ["--volume", "loud"], ["--volume", "-3"], ["--rotate", "45"], ["--size", "0x9"],
    ["--from", "2", "--to", "1"], ["--to", "1", "--duration", "1"], ["--duration", "0"],
    ["--text-size", "9"], ["--text", ""], ["--text", "x", "--text-size", "200%"],
    ["--overlay", "a.png:somewhere"], ["--overlay", "a.png:top:2"], ["--fade-in", "-1"],
    ["--from", "9"], ["--fade-in", "2"], ["--text", "x"], ["--rotate", "90"],
  ])
  func `impossible edits are wrong usage`(_ edits: [String]) throws {
    let result = try Respool.start(
      ["convert", media("speech.wav"), folder("a.wav")] + edits
    ).wait()
    // A fade of two seconds fits into the clip.
    #expect(result.status == (edits == ["--fade-in", "2"] ? 0 : 2), "\(edits)")
    #expect(result.output == "")
  }

  @Test(arguments: [
    ("still.png:0.5", "an opacity comes after a place, such as still.png:center:0.5"),
    ("still.png:top:2", "the opacity is \"2\"; it is a number from 0 to 1"),
    ("still.png:somewhere", "\"somewhere\" is no place; the places are top-left, top"),
    (":top", "the name of the file is empty"),
  ])
  func `an overlay that is wrong is explained`(overlay: String, reason: String) throws {
    let result = try Respool.run(
      "convert", media("pattern-h264.mp4"), folder("a.mp4"), "--overlay", overlay)
    #expect(result.status == 2)
    #expect(result.errors.contains(reason), "\(result.errors)")
  }

  @Test func `characters without a font are reported`() throws {
    let result = try Respool.run(
      "convert", media("pattern-h264.mp4"), folder("a.mp4"), "--to", "0.2", "--text",
      "a\u{5FFFE}b")
    #expect(result.status == 0)
    #expect(result.errors.contains("no font has 1 of the characters of the text"))
  }

  @Test func `a missing overlay is named`() throws {
    let result = try Respool.run(
      "convert", media("pattern-h264.mp4"), folder("a.mp4"), "--overlay", folder("none.png"))
    #expect(result.status == 1)
    #expect(result.errors.contains("none.png"))
    #expect(folder.contents.isEmpty)
  }

  @Test func `clips are joined`() throws {
    let result = try Respool.run(
      "concat", media("pattern-h264.mp4"), media("portrait.mov"), media("speech.wav"),
      folder("film.mp4"), "--crossfade", "0.5")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "")
    let words =
      "speech.wav: the output has the tags of the first clip, without these: artist, title"
    #expect(result.errors == "  note: \(words)\n")
    #expect(try probe("film.mp4", "v:0", "stream=width,height") == "320,180")
    for stream in ["v:0", "a:0"] {
      let length = try #require(Double(probe("film.mp4", stream, "stream=duration")))
      #expect(abs(length - 5.5) < 0.05, "\(stream)")
    }
    let again = try Respool.run(
      "concat", media("speech.wav"), media("speech.wav"), folder("film.mp4"))
    #expect(again.status == 2)
    #expect(again.errors.contains("--replace"))
  }

  @Test func `clips that cannot be joined are named`() throws {
    let few = try Respool.run("concat", media("speech.wav"), folder("a.opus"))
    #expect(few.status == 2)
    let still = try Respool.run(
      "concat", media("speech.wav"), media("still.png"), folder("a.opus"))
    #expect(still.status == 2)
    #expect(still.errors.contains("still.png"))
    let short = try Respool.run(
      "concat", media("speech.wav"), media("tones-5.1.wav"), folder("a.opus"), "--crossfade", "1")
    #expect(short.status == 2)
    #expect(short.errors.contains("tones-5.1.wav"))
    #expect(folder.contents.isEmpty)
  }

  @Test func `a sheet has rows of frames`() throws {
    let result = try Respool.run(
      "thumbnails", media("portrait.mov"), "-o", folder("sheet.png"), "--count", "5",
      "--columns", "3", "--width", "90")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "" && result.errors == "")
    // The cells have 90x160 pixels and gaps of 4 pixels.
    #expect(try probe("sheet.png", "v:0", "stream=width,height") == "286,332")
  }

  @Test(arguments: [["--count", "100000"], ["--every", "0.0001", "--columns", "1"]])
  func `sheets that are too large are rejected`(_ arguments: [String]) throws {
    let result = try Respool.start(
      ["thumbnails", media("portrait.mov"), "-o", folder("huge.png")] + arguments
    ).wait()
    #expect(result.status != 0)
    #expect(result.errors.contains("use fewer or smaller images"), "\(result.errors)")
    #expect(result.errors.contains("of 180x320 fit"), "\(result.errors)")
    #expect(folder.contents == [])
  }

  @Test func `numbered names get a frame each`() throws {
    let result = try Respool.run(
      "thumbnails", media("portrait.mov"), "-o", folder("%02d.png"), "--every", "0.5")
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.contents == ["01.png", "02.png", "03.png", "04.png"])
    #expect(try probe("04.png", "v:0", "stream=width,height") == "180,320")
    let again = try Respool.run(
      "thumbnails", media("portrait.mov"), "-o", folder("%02d.png"), "--every", "0.5")
    #expect(again.status == 2)
  }

  @Test(arguments: [
    ["-o", "a.gif"], [], ["-o", "a.png", "--to", "b"], ["-o", "a.png", "--at", "1:75"],
    ["-o", "a.png", "--at", "1", "--count", "2"], ["-o", "a.png", "--count", "0"],
    ["-o", "a.png", "--every", "0"],
    ["-o", "a.png", "--count", "2", "--every", "1"], ["-o", "a.png", "--columns", "0"],
    ["-o", "a.png", "--width", "1"],
  ])
  func `wrong thumbnail options are wrong usage`(_ arguments: [String]) throws {
    let result = try Respool.start(["thumbnails", media("portrait.mov")] + arguments).wait()
    #expect(result.status == 2)
  }
}
