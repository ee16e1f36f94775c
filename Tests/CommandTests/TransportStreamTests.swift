import Foundation
import Testing

/// MPEG transport streams, with ffmpeg as the judge of what they hold.
@Suite struct TransportStreamTests {
  private let folder = TemporaryFolder()

  /// Returns the hashes of the decoded frames of a track.
  private func frames(_ path: String, _ track: String) throws -> [String] {
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-i", path, "-map", "0:" + track, "-fps_mode", "passthrough",
        "-f", "framemd5", "-",
      ]
    ).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      String($0.split(separator: ",").last ?? "")
    }
  }

  private func start(_ path: String, _ track: String) throws -> Double {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", track, "-show_entries", "packet=pts_time", "-of",
        "csv=p=0", "-read_intervals", "%+#1", path,
      ])
    return try #require(Double(text.split(whereSeparator: { $0 == "\n" || $0 == "," }).first ?? ""))
  }

  private func convert(_ source: String, _ output: String) throws -> String {
    let result = try Respool.run("convert", source, folder(output), "--preset", "remux-ts")
    try #require(result.status == 0, "\(result.errors)")
    return result.errors
  }

  @Test(arguments: ["clap-and-flash.mp4", "pattern-h264.mp4", "variable.mp4"], ["ts", "m2ts"])
  func `copied frames and their times stay`(_ clip: String, suffix: String) throws {
    let source = Respool.media + "/" + clip
    _ = try convert(source, "a." + suffix)
    let output = folder("a." + suffix)
    let before = try frames(source, "v:0")
    #expect(try !before.isEmpty && frames(output, "v:0") == before)
    let bytes = try #require(FileManager.default.contents(atPath: output))
    let size = suffix == "ts" ? 188 : 192
    #expect(bytes.count % size == 0)
    #expect(
      stride(from: suffix == "ts" ? 0 : 4, to: bytes.count, by: size).allSatisfy {
        bytes[$0] == 0x47
      })
    // The same input gives the same bytes.
    _ = try convert(source, "b." + suffix)
    #expect(FileManager.default.contentsEqual(atPath: output, andPath: folder("b." + suffix)))
    guard clip == "clap-and-flash.mp4" else { return }
    let offsets = try [source, output].map { path in
      try start(path, "a:0") - start(path, "v:0")
    }
    #expect(abs(offsets[0] - offsets[1]) < 1.0 / 45_000, "\(offsets)")
  }

  @Test(arguments: [
    // Headers that files store apart from the frames.
    ("mpeg4.mp4", ["-c:v", "mpeg4", "-g", "5", "-flags", "+global_header"]),
    ("mpeg2.mkv", ["-c:v", "mpeg2video", "-g", "5", "-bf", "2"]),
    // Frames at which decoding can start without being IDR pictures.
    ("open.mp4", ["-c:v", "libx264", "-g", "5", "-x264-params", "open-gop=1:bframes=2"]),
    ("hevc.mp4", ["-c:v", "libx265", "-g", "5", "-x265-params", "log-level=0", "-tag:v", "hvc1"]),
  ])
  func `each codec is decoded to the same frames`(_ name: String, _ options: [String]) throws {
    _ = try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=192x128:d=1", "-pix_fmt",
        "yuv420p",
      ]
        + options + [folder(name)])
    let notes = try convert(folder(name), "out.ts")
    #expect(!notes.contains("encoded again"), "\(notes)")
    let before = try frames(folder(name), "v:0")
    #expect(try before.count == 25 && frames(folder("out.ts"), "v:0") == before)
  }

  @Test(arguments: ["aac", "libmp3lame", "ac3", "eac3", "libopus", "mp2"])
  func `audio is copied, with its language`(_ encoder: String) throws {
    _ = try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-i", Respool.media + "/speech.wav", "-ar", "48000", "-c:a",
        encoder, "-metadata:s:a:0", "language=ger", "-metadata", "title=Title", folder("a.mkv"),
      ])
    let notes = try convert(folder("a.mkv"), "a.ts")
    #expect(!notes.contains("encoded again") && !notes.contains("title"), "\(notes)")
    let hashes = try ["a.mkv", "a.ts"].map { name in
      let filter = name == "a.ts" && encoder == "aac" ? ["-bsf:a", "aac_adtstoasc"] : []
      return try Tool.run(
        "ffmpeg",
        ["-nostdin", "-v", "error", "-i", folder(name), "-map", "0:a", "-c", "copy"] + filter
          + ["-f", "streamhash", "-"])
    }
    #expect(hashes[0] == hashes[1])
    let language = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "a:0", "-show_entries", "stream_tags=language", "-of",
        "csv=p=0", folder("a.ts"),
      ])
    #expect(language.hasPrefix("ger"))
  }

  @Test func `what a stream has no place for is named`() throws {
    let notes = try convert(Respool.media + "/portrait.mov", "a.ts")
    #expect(notes.contains("mpegts cannot store the rotation"), "\(notes)")
    // Rotated by encoding, so that every player shows it upright.
    let size = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of",
        "csv=p=0", folder("a.ts"),
      ])
    let sides = size.split(whereSeparator: { $0 == "," || $0 == "\n" }).compactMap { Int($0) }
    #expect(sides.count >= 2 && sides[0] < sides[1], "\(size)")
  }

  // MARK: Times of other writers

  /// Makes a file with ffmpeg of four seconds of video and audio, or of more with further arguments.
  private func make(_ name: String, seconds: Int = 4, _ further: [String] = []) throws -> String {
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=\(seconds)", "-f",
        "lavfi", "-i", "sine=440:r=48000:d=\(seconds)",
      ] + ["-g", "25", "-c:v", "libx264", "-c:a", "aac"] + further + [folder(name)])
    return folder(name)
  }

  /// Returns the last time of a track.
  private func end(_ path: String, _ track: String) throws -> Double {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", track, "-show_entries", "packet=pts_time", "-of",
        "csv=p=0", path,
      ])
    return try #require(
      text.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }.max())
  }

  private func remux(_ source: String, _ output: String) throws -> String {
    let result = try Respool.run("convert", source, folder(output))
    try #require(result.status == 0, "\(result.errors)")
    return result.errors
  }

  @Test func `a gap stays as long as it is`() throws {
    let keep = "lt(t,3)+gt(t,50)"
    let source = try make(
      "gap.ts", seconds: 60,
      ["-vf", "select='\(keep)'", "-af", "aselect='\(keep)'", "-fps_mode", "passthrough"])
    _ = try remux(source, "gap.mkv")
    for track in ["v:0", "a:0"] {
      #expect(try abs(end(folder("gap.mkv"), track) - 60) < 0.1)
    }
  }

  @Test func `audio that begins half a minute later stays there`() throws {
    let film = try make("film.mkv")
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", film, "-itsoffset", "30", "-i", film, "-map", "0:v", "-map",
        "1:a", "-c", "copy", folder("late.ts"),
      ])
    _ = try remux(folder("late.ts"), "late.mp4")
    #expect(try abs(start(folder("late.mp4"), "a:0") - 30) < 0.1)
  }

  @Test(arguments: [["0", "3000"], ["3000", "0"], ["3000", "0", "3000"]])
  func `joined recordings follow each other in every track`(starts: [String]) throws {
    var joined = Data()
    for start in starts {
      let part = try make("part.ts", ["-output_ts_offset", start])
      joined += try Data(contentsOf: URL(fileURLWithPath: part))
    }
    try joined.write(to: URL(fileURLWithPath: folder("joined.ts")))
    _ = try remux(folder("joined.ts"), "joined.mkv")
    for track in ["v:0", "a:0"] {
      #expect(try abs(end(folder("joined.mkv"), track) - 4 * Double(starts.count)) < 0.2)
    }
  }

  @Test func `the title is the name of the service`() throws {
    let film = try make("film.mkv", ["-metadata", "title=My Title"])
    #expect(try !remux(film, "titled.ts").contains("My Title"))
    #expect(
      try Tool.run(
        "ffprobe", ["-v", "error", "-show_entries", "program_tags", folder("titled.ts")]
      ).contains("service_name=My Title"))
    #expect(try !remux(folder("titled.ts"), "titled.mkv").contains("service"))
    #expect(try Respool.run("inspect", folder("titled.mkv")).output.contains("title: My Title"))
    let plain = try make("plain.ts")
    _ = try remux(plain, "plain.mkv")
    #expect(try !Respool.run("inspect", folder("plain.mkv")).output.contains("Service01"))
  }

  @Test func `the time of the last frame, which a stream does not state, is named`() throws {
    let notes = try convert(Respool.media + "/animation.gif", "a.ts")
    #expect(notes.contains("shows its last frame for "), "\(notes)")
    #expect(try !convert(Respool.media + "/pattern-h264.mp4", "b.ts").contains("last frame"))
  }

  @Test(arguments: [230, 245, 256, 5000])
  func `a title that the name of a service has no room for is named as lost`(count: Int) throws {
    let title = String(repeating: "a", count: count)
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Respool.media + "/pattern-h264.mp4", "-c", "copy", "-metadata",
        "title=\(title)", folder("a.mkv"),
      ])
    let notes = try convert(folder("a.mkv"), "b.ts")
    let name = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "program_tags=service_name", "-of", "csv=p=0",
        folder("b.ts"),
      ])
    let isKept = name.contains(title)
    #expect(isKept == (count < 240))
    #expect(notes.contains("lost: the title") != isKept, "\(notes)")
  }

  @Test func `video without a key frame is left out, and audio is kept`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: make("whole.ts", ["-g", "1000"])))
    try whole.suffix(whole.count / 188 / 2 * 188).write(
      to: URL(fileURLWithPath: folder("tail.ts")))
    #expect(try remux(folder("tail.ts"), "tail.mkv").contains("its frame size is unknown"))
    #expect(try end(folder("tail.mkv"), "a:0") > 1)
  }
}
