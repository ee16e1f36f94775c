import Foundation
import Glibc
import Testing

/// Filters of presets, run by the command, whose outputs equal those of Debian's ffmpeg.
@Suite struct FilterTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws -> String {
    try Tool.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
  }

  /// Writes a preset for lossless output and returns its path.
  private func preset(_ name: String, _ text: String) throws -> String {
    let path = folder("\(name).yaml")
    try "container: mkv\n\(text)".write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private static func video(_ filters: String, format: String = "yuv420p") -> String {
    "audio: none\nvideo:\n  codec: ffv1\n  pixelFormat: \(format)\n  filters:\n\(filters)"
  }

  /// Returns the hash of each frame, with its time in seconds.
  private func frames(_ arguments: [String]) throws -> [String] {
    let text = try ffmpeg(
      arguments + ["-map", "0:v:0", "-vsync", "passthrough", "-f", "framemd5", "-"])
    var scale = 1.0
    return text.split(separator: "\n").compactMap { line in
      if line.hasPrefix("#tb 0: ") {
        let parts = line.dropFirst(7).split(separator: "/").compactMap { Double($0) }
        scale = parts[0] / parts[1]
      }
      guard !line.hasPrefix("#") else { return nil }
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      let time = (Double(fields[2]) ?? -1) * scale
      return "\((time * 1000).rounded() / 1000) \(fields[5])"
    }
  }

  /// Interlaced video of 25 frames a second, with the top field first.
  private func interlaced() throws -> String {
    let path = folder("interlaced.mkv")
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=50:duration=1,tinterlace=4,setfield=tff",
      "-c:v", "ffv1", "-field_order", "tt", "-pix_fmt", "yuv420p", path,
    ])
    return path
  }

  @Test func `a field becomes a frame, with its time`() throws {
    let source = try interlaced()
    let preset = try preset("bob", Self.video("    - bwdif: {mode: send_field}\n"))
    let output = folder("out.mkv")
    let result = try Respool.run("convert", source, output, "--preset", preset, "-v")
    #expect(result.status == 0, "\(result.errors)")
    let made = try frames(["-i", output])
    let expected = try frames(["-i", source, "-vf", "bwdif=mode=send_field"])
    #expect(made == expected)
    #expect(made.count == 50)
    #expect(result.errors.contains("video.filters.bwdif: mode=send_field"), "\(result.errors)")
    #expect(result.errors.contains("50 frames a second"))
    let rate = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=avg_frame_rate,field_order", "-of", "csv=p=0",
        output,
      ])
    #expect(rate.contains("50/1"), "\(rate)")
  }

  /// The first part of the stream is interlaced, so that the whole is filtered; the second one has whole frames.
  @Test func `frames that are not interlaced are not changed by deinterlacing`() throws {
    let film = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=1"]
    let coding = ["-c:v", "mpeg2video", "-b:v", "8M", "-bf", "0", "-f", "mpeg2video"]
    let fields = ["-vf", "interlace=lowpass=off,setfield=tff", "-flags", "+ilme+ildct"]
    _ = try ffmpeg(film + ["-t", "0.4"] + fields + coding + [folder("a.m2v")])
    _ = try ffmpeg(film + coding + [folder("b.m2v")])
    var stream = try Data(contentsOf: URL(fileURLWithPath: folder("a.m2v")))
    stream += try Data(contentsOf: URL(fileURLWithPath: folder("b.m2v")))
    try folder.write(stream, as: "film.m2v")
    let preset = try preset(
      "plain", "audio: none\nvideo:\n  codec: ffv1\n  pixelFormat: yuv420p\n")
    let output = folder("out.mkv")
    let result = try Respool.run("convert", folder("film.m2v"), output, "--preset", preset)
    #expect(result.status == 0 && result.errors.contains("deinterlaced"), "\(result.errors)")
    func hashes(_ path: String) throws -> [String] {
      try frames(["-i", path]).map {
        String($0.split(separator: " ").last ?? "")
      }
    }
    let (made, source) = (try hashes(output), try hashes(folder("film.m2v")))
    #expect(made.count == source.count && made.count > 25, "\(made.count) \(source.count)")
    #expect(made.suffix(24) == source.suffix(24))
    #expect(made.first != source.first)
  }

  @Test func `fields that a filter mixes are a loss`() throws {
    let preset = try preset(
      "turn", Self.video("    - transpose: {dir: clock}\n") + "  deinterlace: never\n")
    let output = folder("out.mkv")
    let result = try Respool.run("convert", try interlaced(), output, "--preset", preset, "-v")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("the filter transpose keeps no field order: motion shows combing"),
      "\(result.errors)")
  }

  /// The filter idet measures the order of the rows themselves.
  @Test func `a flip exchanges the fields`() throws {
    let preset = try preset("flip", Self.video("    - vflip\n") + "  deinterlace: never\n")
    let output = folder("out.mkv")
    let result = try Respool.run("convert", try interlaced(), output, "--preset", preset)
    #expect(result.status == 0, "\(result.errors)")
    let report = try Respool.run("inspect", output)
    #expect(report.output.contains("bottom field first"), "\(report.output)")
    let measured = try Running(
      ["/usr/bin/ffmpeg", "-nostdin", "-i", output, "-vf", "idet", "-f", "null", "-"],
      environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait().errors
    let lines = measured.split(separator: "\n").filter { $0.contains("frame detection") }
    #expect(lines.count == 2 && lines.allSatisfy { $0.contains("BFF:    25") }, "\(measured)")
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var filters: String
    var ffmpeg: String
    var format = "yuv420p"
    var testDescription: String { ffmpeg }
  }

  static let cases: [Case] = [
    Case(filters: "    - hqdn3d\n    - unsharp: {la: 0.8}\n", ffmpeg: "hqdn3d,unsharp=la=0.8"),
    Case(
      filters: "    - crop: {w: 200, h: 160, x: 20, y: 10}\n    - hflip\n",
      ffmpeg: "crop=200:160:20:10,hflip"),
    Case(filters: "    - fps: {fps: 10}\n", ffmpeg: "fps=10"),
    Case(filters: "    - fps: {fps: 30000/1001}\n", ffmpeg: "fps=30000/1001"),
    Case(
      filters: "    - vflip\n    - transpose: {dir: clock}\n", ffmpeg: "vflip,transpose=clock",
      format: "yuv420p10le"),
    Case(
      filters: "    - pad: {w: 400, h: 300, x: 40, y: 30}\n    - gray\n",
      ffmpeg: "pad=400:300:40:30,hue=s=0"),
    Case(filters: "    - cropdetect\n    - idet\n", ffmpeg: "null"),
  ]

  @Test(arguments: cases)
  func `frames and times through a preset equal those of ffmpeg`(test: Case) throws {
    let source = folder("source.mkv")
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=1", "-c:v", "ffv1", "-pix_fmt",
      test.format, source,
    ])
    let preset = try preset("p", Self.video(test.filters, format: test.format))
    let output = folder("out.mkv")
    let result = try Respool.run("convert", source, output, "--preset", preset)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try frames(["-i", output]) == frames(["-i", source, "-vf", test.ffmpeg]))
  }

  @Test func `telecined film comes out with 24 frames a second and without combs`() throws {
    let source = folder("telecined.mkv")
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=24000/1001:duration=2,telecine=pattern=23",
      "-c:v", "ffv1", "-pix_fmt", "yuv420p", source,
    ])
    let preset = try preset("ivtc", Self.video("    - fieldmatch: {order: tff}\n    - decimate\n"))
    let output = folder("out.mkv")
    let result = try Respool.run("convert", source, output, "--preset", preset)
    #expect(result.status == 0, "\(result.errors)")
    let made = try frames(["-i", output])
    #expect(
      try made.map(hash)
        == frames(["-i", source, "-vf", "fieldmatch=order=tff,decimate"]).map(hash))
    #expect((47...49).contains(made.count))
  }

  private func hash(_ line: String) -> String { String(line.split(separator: " ")[1]) }

  @Test(arguments: [
    ("    - volume: {volume: -6dB}\n", "volume=-6dB"),
    ("    - highpass: {f: 300}\n", "highpass=f=300"),
    ("    - atempo: {tempo: 1.25}\n", "atempo=1.25"),
    (
      "    - acompressor: {threshold: 0.1}\n    - alimiter: {limit: 0.5}\n",
      "acompressor=threshold=0.1,alimiter=limit=0.5"
    ),
  ])
  func `audio of 5.1 channels through a preset equals that of ffmpeg`(
    filters: String, words: String
  ) throws {
    let source = folder("source.wav")
    _ = try ffmpeg(["-i", Respool.media + "/tones-5.1.wav", "-c:a", "pcm_f32le", source])
    let path = folder("audio.yaml")
    try "container: wav\nvideo: none\naudio:\n  codec: pcm_f32le\n  filters:\n\(filters)".write(
      toFile: path, atomically: true, encoding: .utf8)
    let output = folder("out.wav")
    let result = try Respool.run("convert", source, output, "--preset", path)
    #expect(result.status == 0, "\(result.errors)")
    let raw = ["-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "md5", "-"]
    #expect(try ffmpeg(["-i", output] + raw) == ffmpeg(["-i", source, "-af", words] + raw))
  }

  @Test func `measurements are notes, for people and in JSON`() throws {
    let source = folder("boxed.mkv")
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=1,pad=320:240:0:30", "-f",
      "lavfi",
      "-i", "sine=frequency=1000:duration=1", "-c:v", "ffv1", "-c:a", "pcm_s16le", "-pix_fmt",
      "yuv420p",
      source,
    ])
    let path = try preset(
      "measure",
      "video:\n  codec: ffv1\n  pixelFormat: yuv420p\n  filters:\n    - cropdetect: {round: 2}\n    - idet\n"
        + "audio:\n  codec: flac\n  filters: [ebur128]\n")
    let result = try Respool.run(
      "convert", source, folder("out.mkv"), "--preset", path, "--json")
    #expect(result.status == 0, "\(result.errors)")
    let notes = try #require(result.object()["notes"] as? [String])
    #expect(
      notes.contains("track 1: cropdetect measured crop 320:180:0:30, visible 320:180:0:30"),
      "\(notes)")
    #expect(notes.contains { $0.hasPrefix("track 1: idet measured top first") }, "\(notes)")
    let loudness = try #require(notes.first { $0.contains("ebur128") })
    #expect(loudness.contains("LUFS") && loudness.contains("dBTP"))
    let text = try ffmpeg([
      "-i", source, "-af", "ebur128=metadata=1:peak=true,ametadata=print:key=lavfi.r128.I:file=-",
      "-f", "null", "-",
    ])
    let value = try #require(text.split(separator: "\n").last?.split(separator: "=").last)
    #expect(loudness.contains("integrated \(value) LUFS"), "\(loudness), expected \(value)")
    #expect(result.errors.contains("note: track 1: cropdetect measured"), "\(result.errors)")
  }

  @Test func `a batch filters, skips what is done, and makes it again if the filters change`()
    throws
  {
    let source = try interlaced()
    let input = folder("in")
    try FileManager.default.createDirectory(atPath: input, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: source, toPath: input + "/a.mkv")
    let output = folder("out")
    var path = try preset("p", Self.video("    - bwdif\n"))
    var run = try BatchRun(input, to: output, preset: path)
    #expect(run.outcome("a.mkv") == "converted", "\(run.reason("a.mkv"))")
    run = try BatchRun(input, to: output, preset: path)
    #expect(run.outcome("a.mkv") == "skipped")
    path = try preset("p", Self.video("    - bwdif: {mode: send_frame}\n"))
    run = try BatchRun(input, to: output, preset: path)
    #expect(run.outcome("a.mkv") == "converted")
    #expect(try frames(["-i", output + "/a.mkv"]).count == 25)
  }

  @Test
  func `validate finds options that the filter rejects, and a conversion fails with the reason`()
    throws
  {
    let path = try preset("p", Self.video("    - unsharp: {lx: 4}\n"))
    let check = try Respool.run("presets", "validate", path)
    #expect(check.status == 1)
    #expect(check.output.contains("unsharp") || check.errors.contains("unsharp"))
    let source = try interlaced()
    let result = try Respool.run("convert", source, folder("out.mkv"), "--preset", path)
    #expect(result.status != 0)
    #expect(result.errors.contains("unsharp does not accept its options"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("out.mkv")))
  }

  @Test func `a conversion with filters stops in the middle`() throws {
    let source = folder("long.mkv")
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=20", "-c:v", "ffv1", "-pix_fmt",
      "yuv420p", source,
    ])
    let path = try preset("p", Self.video("    - nlmeans: {s: 8, p: 15, r: 25}\n    - bwdif\n"))
    let running = try Respool.start(
      ["convert", source, folder("out.mkv"), "--preset", path], folder: nil, environment: [])
    usleep(1_500_000)
    kill(running.identifier, SIGINT)
    let start = ContinuousClock.now
    let result = try running.wait()
    #expect(result.status == 130)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(!FileManager.default.fileExists(atPath: folder("out.mkv")))
  }

  @Test func `show and list name the filters with their options`() throws {
    let show = try Respool.run("plugins", "show", "bwdif")
    #expect(show.output.contains("filter bwdif: "))
    #expect(show.output.contains("filters: video"))
    #expect(show.output.contains("send_frame, send_field"))
    #expect(show.output.contains("supports: other times of frames"))
    let list = try Respool.run("plugins", "list")
    #expect(list.output.contains("filters: bwdif"), "\(list.output)")
  }
}
