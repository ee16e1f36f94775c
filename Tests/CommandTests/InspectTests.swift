import Foundation
import Testing

@Suite struct InspectTests {
  /// The fields are stated by the media alone.
  @Test(arguments: [
    ("a.mp4", "-c:v libx264 -flags +ildct+ilme -x264-params tff=1 -pix_fmt yuv420p"),
    ("a.mov", "-c:v libx264 -flags +ildct+ilme -x264-params bff=1 -pix_fmt yuv420p"),
    ("a.avi", "-c:v dvvideo -s 720x576 -pix_fmt yuv420p"),
  ])
  func `interlaced video is shown as such`(_ name: String, _ words: String) throws {
    let folder = TemporaryFolder()
    let source = "-v error -f lavfi -i testsrc2=size=720x576:rate=25:duration=0.4 "
    try Tool.run(
      "ffmpeg", (source + words).split(separator: " ").map(String.init) + [folder(name)])
    let result = try Respool.run("inspect", folder(name))
    #expect(result.status == 0 && result.output.contains("interlaced, "), "\(result)")
  }

  @Test func `the document has the keys that programs rely on`() throws {
    let path = Respool.media + "/pattern-h264.mp4"
    let result = try Respool.run("inspect", "--json", path)
    #expect(result.status == 0)
    #expect(result.errors == "")
    let files = try #require(try result.object()["files"] as? [[String: Any]])
    let file = try #require(files.first)
    #expect(files.count == 1)
    #expect(file["path"] as? String == path)
    #expect(file["container"] as? String == "mp4")
    #expect(file["size"] as? Int == 48865)
    #expect(file["duration"] as? Double == 2)
    #expect((file["metadata"] as? [String: String])?["title"] == "Pattern")
    #expect(file["error"] == nil)
    let tracks = try #require(file["tracks"] as? [[String: Any]])
    try #require(tracks.count == 2)
    #expect(
      Set(tracks[0].keys).isSuperset(of: [
        "id", "type", "codec", "duration", "width", "height", "pixelFormat", "frameRate",
      ]))
    #expect(tracks[0]["type"] as? String == "video")
    #expect(tracks[0]["codec"] as? String == "h264")
    #expect(tracks[0]["width"] as? Int == 320)
    #expect(tracks[0]["height"] as? Int == 180)
    #expect(tracks[0]["pixelFormat"] as? String == "yuv420p")
    #expect(tracks[0]["frameRate"] as? Double == 25)
    #expect(tracks[0]["sampleRate"] == nil)
    #expect(tracks[0]["rotation"] == nil)
    #expect(tracks[1]["type"] as? String == "audio")
    #expect(tracks[1]["codec"] as? String == "aac")
    #expect(tracks[1]["sampleRate"] as? Int == 48000)
    #expect(tracks[1]["channels"] as? Int == 1)
    #expect(tracks[1]["width"] == nil)
  }

  @Test(arguments: [
    ("animation.gif", 1.0, ["gif"]), ("clap-and-flash.mp4", 2, ["h264", "aac"]),
    ("deep.mkv", 1.001, ["h264"]), ("pattern-flac.mkv", 2, ["h264", "flac"]),
    ("pattern-vp9.webm", 2.008, ["vp9", "opus"]), ("portrait.mov", 2, ["h264", "aac"]),
    ("speech-flac.flac", 2.5, ["flac"]), ("speech-mp3.mp3", 2.533878, ["mp3"]),
    ("speech-opus.opus", 2.5, ["opus"]), ("speech.wav", 2.5, ["pcm_s16le"]),
    ("tones-5.1.wav", 0.2, ["pcm_s24le"]), ("variable.mp4", 1.92, ["h264"]),
  ])
  func `every clip is read`(_ name: String, _ duration: Double, _ codecs: [String]) throws {
    let result = try Respool.run("inspect", "--json", Respool.media + "/" + name)
    #expect(result.status == 0)
    let file = try #require((try result.object()["files"] as? [[String: Any]])?.first)
    let shown = try #require(file["duration"] as? Double)
    // Allows for a frame's duration, because the duration is estimated if the container stores none.
    #expect(abs(shown - duration) < 0.05)
    let tracks = try #require(file["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["codec"] as? String } == codecs)
  }

  @Test func `rotation is reported`() throws {
    let result = try Respool.run("inspect", "--json", Respool.media + "/portrait.mov")
    let file = try #require((try result.object()["files"] as? [[String: Any]])?.first)
    let track = try #require((file["tracks"] as? [[String: Any]])?.first)
    #expect(track["rotation"] as? Int == 270)
  }

  @Test func `a file that cannot be read has an error, and the others are reported`() throws {
    let result = try Respool.run(
      "inspect", "--json", Respool.media + "/notes.txt", "/nonexistent.mp4",
      Respool.media + "/speech.wav")
    #expect(result.status == 1)
    let files = try #require(try result.object()["files"] as? [[String: Any]])
    try #require(files.count == 3)
    #expect((files[0]["error"] as? String)?.contains("no plugin") == true)
    #expect((files[1]["error"] as? String)?.isEmpty == false)
    #expect(files[1]["tracks"] == nil)
    #expect(files[2]["error"] == nil)
  }

  @Test func `text names every track`() throws {
    let result = try Respool.run("inspect", "pattern-vp9.webm", folder: Respool.media)
    #expect(result.status == 0)
    #expect(result.output.contains("video 1: vp9, 320x180"))
    #expect(result.output.contains("audio 2: opus, 48000 Hz, mono"))
  }

  @Test func `the plugin that reads a file follows the file's text`() throws {
    let result = try Respool.run("inspect", "-v", "pattern-vp9.webm", folder: Respool.media)
    #expect(result.output.contains("of the plugin Matroska is"))
    #expect(result.errors.isEmpty)
  }

  @Test func `every sample description of a track is reported`() throws {
    let folder = TemporaryFolder()
    let clip = Respool.media + "/pattern-h264.mp4"
    for arguments in [
      ["convert", clip, folder("a.mp4"), "--preset", "web-480p"],
      ["concat", folder("a.mp4"), clip, folder("b.mp4"), "--preset", "remux-mp4"],
    ] {
      let result = try Respool.start(arguments).wait()
      try #require(result.status == 0, "\(result.errors)")
    }
    let json = try Respool.run("inspect", "--json", folder("a.mp4"), folder("b.mp4"))
    let files = try #require(try json.object()["files"] as? [[String: Any]])
    let tracks = files.compactMap { ($0["tracks"] as? [[String: Any]])?.first }
    try #require(tracks.count == 2)
    #expect(tracks[0]["furtherFormats"] == nil)
    let further = try #require(tracks[1]["furtherFormats"] as? [[String: Any]])
    #expect(further.map { $0["width"] as? Int } == [320])
    let text = try Respool.run("inspect", folder("b.mp4")).output
    #expect(text.contains("video 1: h264, 320x180, yuv420p, then h264 320x180 yuv420p, "))
  }

  @Test func `keys of timed metadata are reported`() throws {
    let folder = TemporaryFolder()
    func box(_ type: String, _ parts: [[UInt8]]) -> [UInt8] {
      let body = parts.flatMap { $0 }
      return number(body.count + 8) + Array(type.utf8) + body
    }
    func number(_ value: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    let zeros = { [UInt8](repeating: 0, count: $0) }
    let key: [UInt8] =
      number(8 + 21) + number(1)
      + box("keyd", [Array("mdtaorg.place".utf8)])
    let entry = box("mebx", [zeros(6), [0, 1], box("keys", [key])])
    let media = box(
      "mdia",
      [
        box("mdhd", [zeros(12), number(600), number(600), zeros(4)]),
        box("hdlr", [zeros(8), Array("meta".utf8), zeros(13)]),
        box("minf", [box("stbl", [box("stsd", [zeros(4), number(1), entry])])]),
      ])
    let header = box("mvhd", [zeros(12), number(600), number(600), zeros(80)])
    let track = box("trak", [box("tkhd", [zeros(12), number(1), zeros(68)]), media])
    let file = box("ftyp", [Array("qt  ".utf8), zeros(4)]) + box("moov", [header, track])
    try Data(file).write(to: URL(fileURLWithPath: folder("place.mov")))

    let json = try Respool.run("inspect", "--json", folder("place.mov"))
    let told = try #require((try json.object()["files"] as? [[String: Any]])?.first)
    let first = try #require((told["tracks"] as? [[String: Any]])?.first)
    #expect(first["codec"] as? String == "mebx")
    #expect(first["keys"] as? [String] == ["mdta/org.place"])
    #expect(try Respool.run("inspect", folder("place.mov")).output.contains("mebx, mdta/org.place"))
  }
}
