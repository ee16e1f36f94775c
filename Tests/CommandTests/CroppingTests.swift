import Foundation
import Testing

/// Black borders that `crop: auto` removes.
@Suite struct CroppingTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws -> String {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments,
      environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  /// Writes lossless video of a filter graph with a key frame every `interval` frames.
  private func write(_ graph: String, interval: Int = 5, _ options: [String] = []) throws {
    _ = try ffmpeg(
      ["-f", "lavfi", "-i", graph + ",format=yuv420p"] + [
        "-c:v", "libx264", "-qp", "0", "-preset", "ultrafast", "-g", "\(interval)",
      ] + options + [folder("film.mkv")])
  }

  private func convert(_ settings: String = "crop: auto", _ arguments: [String] = []) throws
    -> String
  {
    try folder.write(
      "name: look\ncontainer: mkv\naudio: none\nvideo: {codec: ffv1, \(settings)}\n",
      as: "look.yaml")
    try? FileManager.default.removeItem(atPath: folder("out.mkv"))
    let result = try Respool.start(
      ["convert", folder("film.mkv"), folder("out.mkv"), "--preset", folder("look.yaml")]
        + arguments
    ).wait()
    #expect(result.status == 0, "\(result.errors)")
    return result.errors
  }

  private func hash(_ name: String, _ filter: String = "null") throws -> String {
    try ffmpeg(["-i", folder(name), "-vf", filter, "-map", "0:v", "-f", "md5", "-"])
  }

  @Test func `borders are removed, and nothing else`() throws {
    try write("testsrc2=s=320x180:r=25:d=4,pad=360:240:18:24")
    let notes = try convert()
    #expect(
      notes.contains(
        "black borders are removed: 18 left, 22 right, 24 at the top, 36 at the bottom pixels"),
      "\(notes)")
    #expect(try hash("out.mkv") == hash("film.mkv", "crop=320:180:18:24"))
    #expect(try !convert("crop: never").contains("black borders"))
    #expect(try hash("out.mkv") == hash("film.mkv"))
  }

  @Test func `where layouts alternate, the area of both is kept`() throws {
    // Wide, then high: together they fill the frame except 20 rows and 30 columns at each side.
    try write(
      "testsrc2=s=300x100:r=25:d=3,pad=360:240:30:70[a];"
        + "testsrc2=s=160x200:r=25:d=3,pad=360:240:100:20[b];[a][b]concat=n=2")
    _ = try convert()
    #expect(try hash("out.mkv") == hash("film.mkv", "crop=300:200:30:20"))
  }

  @Test(arguments: [
    // Small marks in the border, a dark film without borders, letters for half a second between key frames.
    (
      "testsrc2=s=640x272:r=25:d=2,pad=640:360:0:44,drawbox=x=300:y=8:w=14:h=10:color=white:t=fill",
      "640:308:0:8"
    ),
    (
      "color=black:s=640x360:r=25:d=2,drawbox=x=200:y=100:w=200:h=150:color=gray:t=fill,"
        + "drawbox=x=20:y=20:w=12:h=12:color=white:t=fill,"
        + "drawbox=x=600:y=330:w=16:h=8:color=white:t=fill", "596:318:20:20"
    ),
    ("testsrc2=s=320x180:r=25:d=2,format=yuv420p,eq=brightness=-0.35:contrast=0.4", "320:180:0:0"),
    (
      "testsrc2=s=320x140:r=25:d=4,pad=320:240:0:50,"
        + "drawbox=x=100:y=210:w=40:h=10:color=white:t=fill:enable='between(t,2.1,2.6)'",
      "320:170:0:50"
    ),
  ])
  func `what is small, dark or short stays`(graph: String, area: String) throws {
    try write(graph, interval: 50, ["-x264-params", "scenecut=0"])
    _ = try convert()
    #expect(try hash("out.mkv") == hash("film.mkv", "crop=\(area)"))
  }

  @Test(arguments: ["yuv420p10le", "yuv444p", "gbrp10le"])
  func `borders of other pixel formats are removed`(format: String) throws {
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=1,pad=320:240:0:30,format=\(format)", "-c:v",
      "ffv1", folder("film.mkv"),
    ])
    #expect(try convert().contains("30 at the top, 30 at the bottom"))
    #expect(try hash("out.mkv") == hash("film.mkv", "crop=320:180:0:30"))
  }

  @Test func `what is seen late in the film is kept`() throws {
    // The last of four seconds fill the frame; key frames are rare, so that every frame is decoded.
    try write(
      "testsrc2=s=320x100:r=25:d=3,pad=320:240:0:70[a];testsrc2=s=320x240:r=25:d=1[b];"
        + "[a][b]concat=n=2", interval: 250, ["-x264-params", "scenecut=0"])
    #expect(try !convert().contains("black borders"))
    #expect(try hash("out.mkv") == hash("film.mkv"))
  }

  @Test func `black frames count for nothing`() throws {
    try write(
      "color=black:s=320x240:r=25:d=1[a];testsrc2=s=320x140:r=25:d=2,pad=320:240:0:50[b];"
        + "color=black:s=320x240:r=25:d=1[c];[a][b][c]concat=n=3")
    _ = try convert()
    #expect(try hash("out.mkv") == hash("film.mkv", "crop=320:140:0:50"))
    try write("color=black:s=320x240:r=25:d=2")
    _ = try convert()
    #expect(try hash("out.mkv") == hash("film.mkv"))
  }

  @Test func `the size limit applies to what is left`() throws {
    try write("testsrc2=s=640x272:r=25:d=2,pad=640:360:0:44")
    _ = try convert("crop: auto, size: 320x180")
    let size = try Running(
      [
        "/usr/bin/ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of",
        "csv=p=0", folder("out.mkv"),
      ], environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait().output
    #expect(size == "320,136\n")
  }

  @Test func `borders of edited films stay, which is said`() throws {
    try write("testsrc2=s=320x180:r=25:d=2,pad=320:240:0:30")
    for edit in [["--to", "1"], ["--rotate", "90"]] {
      let notes = try convert("crop: auto", edit)
      #expect(notes.contains("black borders stay: only files that are converted as a whole"))
    }
  }

  @Test func `video with borders is encoded and not copied`() throws {
    try write("testsrc2=s=320x180:r=25:d=1,pad=320:240:0:30")
    try folder.write(
      "name: look\ncontainer: mkv\naudio: none\nvideo: {codec: h264, quality: 20, passthrough: auto, crop: auto}\n",
      as: "look.yaml")
    let text = try Respool.run("presets", "explain", folder("look.yaml"), folder("film.mkv"))
    #expect(text.output.contains("the preset removes its black borders"), "\(text.output)")
  }
}
