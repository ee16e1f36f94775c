import Foundation
import Testing

/// Matroska files with codecs of other containers, compared with ffmpeg and mkvmerge.
@Suite struct MatroskaCodecTests {
  private let folder = TemporaryFolder()

  /// Returns the hashes in the last column.
  private func lastColumn(_ text: String) -> [String] {
    text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      ($0.split(separator: ",").last ?? "").trimmingCharacters(in: .whitespaces)
    }
  }

  private func hashes(_ path: String, isCopied: Bool = false) throws -> [String] {
    lastColumn(
      try Tool.run(
        "ffmpeg",
        ["-nostdin", "-v", "error", "-i", path, "-map", "0", "-map", "-0:t?"]
          + (isCopied ? ["-c", "copy"] : ["-fps_mode", "passthrough"]) + ["-f", "framemd5", "-"]))
  }

  private static let chapters = """
    <?xml version="1.0"?>
    <Chapters>
      <EditionEntry><EditionUID>11</EditionUID><ChapterAtom><ChapterUID>1</ChapterUID>
        <ChapterTimeStart>00:00:00.0</ChapterTimeStart><ChapterTimeEnd>00:00:00.3</ChapterTimeEnd>
        <ChapterDisplay><ChapterString>Eins</ChapterString><ChapterLanguage>ger</ChapterLanguage>
        <ChapLanguageIETF>de-CH</ChapLanguageIETF></ChapterDisplay>
        <ChapterAtom><ChapterUID>2</ChapterUID><ChapterTimeStart>00:00:00.1</ChapterTimeStart>
        <ChapterTimeEnd>00:00:00.2</ChapterTimeEnd><ChapterDisplay><ChapterString>Nested</ChapterString>
        <ChapterLanguage>eng</ChapterLanguage></ChapterDisplay></ChapterAtom></ChapterAtom></EditionEntry>
      <EditionEntry><EditionUID>12</EditionUID><ChapterAtom><ChapterUID>3</ChapterUID>
        <ChapterTimeStart>00:00:00.0</ChapterTimeStart><ChapterDisplay>
        <ChapterString>Whole</ChapterString><ChapterLanguage>eng</ChapterLanguage></ChapterDisplay>
        </ChapterAtom></EditionEntry>
    </Chapters>
    """

  /// Makes a file with two editions, a BCP 47 language, a disabled track and an attached file.
  private func make(_ arguments: [String], audio: Bool, as name: String = "a.mkv") throws -> String
  {
    let input =
      audio
      ? "aevalsrc=0.3*sin(440*2*PI*t)|0.2*sin(660*2*PI*t):d=0.6:s=44100"
      : "testsrc2=s=96x64:r=25:d=0.4"
    // From an AVI file, mkvmerge keeps the code of the codec.
    let plain = folder("plain." + (arguments.contains("-vtag") ? "avi" : "mkv"))
    _ = try Tool.run(
      "ffmpeg", ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", input] + arguments + [plain])
    try Data(Self.chapters.utf8).write(to: URL(filePath: folder("chapters.xml")))
    try Data("notes".utf8).write(to: URL(filePath: folder("notes.xyz")))
    let output = folder(name)
    _ = try Tool.run(
      "mkvmerge",
      [
        "-q", "-o", output, "--chapters", folder("chapters.xml"), "--language", "0:de-CH",
        "--track-enabled-flag", "0:0", "--attachment-mime-type", "application/x-foo",
        "--attach-file", folder("notes.xyz"), plain,
      ])
    return output
  }

  /// Returns the properties of the first track that a remux must not change.
  private func properties(_ path: String) throws -> [String: String] {
    let text = try Tool.run("mkvmerge", ["-J", path])
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let track = try #require((object["tracks"] as? [[String: Any]])?.first)
    let all = try #require(track["properties"] as? [String: Any])
    var result: [String: String] = [:]
    for name in [
      "language", "language_ietf", "enabled_track", "default_track", "default_duration", "codec_id",
      "pixel_dimensions", "display_dimensions", "audio_sampling_frequency",
    ] {
      result[name] = all[name].map { "\($0)" }
    }
    result["attachments"] = "\((object["attachments"] as? [Any])?.count ?? 0)"
    return result
  }

  @Test(
    arguments: [
      ["-c:v", "huffyuv", "-pix_fmt", "yuv422p"], ["-c:v", "ffvhuff", "-pix_fmt", "gbrp10le"],
      ["-c:v", "utvideo", "-pix_fmt", "gbrp"], ["-c:v", "msmpeg4v2"], ["-c:v", "wmv2"],
      ["-c:v", "png", "-pix_fmt", "rgba"], ["-c:v", "cinepak"], ["-c:v", "snow", "-strict", "-2"],
      ["-c:v", "mpeg2video", "-bf", "2"], ["-c:v", "libtheora"], ["-c:v", "svq1"],
      ["-c:v", "rawvideo", "-pix_fmt", "yuv420p"], ["-c:v", "magicyuv"],
      ["-c:a", "wavpack"], ["-c:a", "mlp", "-strict", "-2"], ["-c:a", "wmav2"],
      ["-c:a", "adpcm_ms"],
      ["-c:a", "pcm_mulaw"], ["-c:a", "adpcm_ima_wav"],
    ])
  func `frames are those of ffmpeg, and a remux keeps everything`(arguments: [String]) throws {
    let source = try make(arguments, audio: arguments[0] == "-c:a")
    let expected = try hashes(source)
    let result = try Respool.run("hash", source)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!expected.isEmpty && lastColumn(result.output) == expected)

    let output = folder("b.mkv")
    let remux = try Respool.run("convert", source, output, "--preset", "remux-mkv")
    try #require(remux.status == 0, "\(remux.errors)")
    #expect(remux.errors.isEmpty)
    #expect(try hashes(output, isCopied: true) == hashes(source, isCopied: true))
    #expect(try hashes(output) == expected)
    #expect(try properties(output) == properties(source))
    #expect(
      try Tool.run("mkvextract", [output, "chapters", "-"])
        == Tool.run("mkvextract", [source, "chapters", "-"]))
  }

  @Test func `MPEG-4 video with decoding times is copied in its display order`() throws {
    let source = try make(["-c:v", "mpeg4", "-bf", "2", "-vtag", "XVID"], audio: false)
    #expect(try properties(source)["codec_id"] == "V_MS/VFW/FOURCC")
    let output = folder("b.mkv")
    let remux = try Respool.run("convert", source, output, "--preset", "remux-mkv")
    try #require(remux.status == 0, "\(remux.errors)")
    #expect(remux.errors.isEmpty)
    #expect(try hashes(output) == hashes(source))
    let times = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts", "-of", "csv=p=0",
        output,
      ])
    let numbers = times.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Int($0) }
    #expect(numbers == (0..<10).map { $0 * 40 })
  }

  @Test func `a track of an unknown codec is named, and the rest is kept`() throws {
    let first = try make(["-c:v", "libtheora"], audio: false, as: "first.mkv")
    let second = folder("second.mkv")
    _ = try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.4", "-c:v",
        "huffyuv", "-pix_fmt", "yuv422p", second,
      ])
    let source = folder("both.mkv")
    _ = try Tool.run("mkvmerge", ["-q", "-o", source, first, second])
    var bytes = try Data(contentsOf: URL(filePath: source))
    let place = try #require(bytes.range(of: Data("HFYU".utf8)))
    bytes.replaceSubrange(place, with: Data("ZZZZ".utf8))
    try bytes.write(to: URL(filePath: source))
    let output = folder("b.mkv")
    let result = try Respool.run("convert", source, output, "--preset", "remux-mkv")
    #expect(result.status == 0)
    #expect(result.errors.contains("no plugin decodes the unknown codec (\"ZZZZ\")"))
    #expect(try properties(output)["attachments"] == "1")
    #expect(
      try Tool.run("mkvextract", [output, "chapters", "-"])
        == Tool.run("mkvextract", [source, "chapters", "-"]))
  }
}
