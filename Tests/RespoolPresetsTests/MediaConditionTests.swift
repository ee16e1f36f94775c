import Foundation
import RespoolMedia
import Testing

@testable import RespoolPresets

@Suite struct MediaConditionTests {
  /// A film of 1920 by 1080 in 10-bit HDR HEVC, with two audio tracks and a cover.
  private static let film: MediaDescription = {
    var video = TrackDescription(kind: .video, codec: "hevc", timeBase: Rational(1, 1000))
    (video.width, video.height, video.bitRate) = (1920, 1080, 8_000_000)
    video.frameRate = Rational(24000, 1001)
    video.pixelFormat = .yuv420p10le
    video.color.transfer = H273.Transfer.pq
    video.fieldOrder = .progressive
    video.sampleAspect = Rational(4, 3)
    video.metadata = [MetadataEntry("title", "Main")]
    video.sideData = [SideData(.contentLightLevel, [3, 0xE8, 1, 0x90])]
    var cover = TrackDescription(kind: .video, codec: "png", timeBase: Rational(1, 1000))
    cover.disposition = .attachedPicture
    var audio = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48000))
    (audio.sampleRate, audio.language) = (48000, "deu")
    audio.channelLayout = ChannelLayout(channelCount: 6)
    audio.disposition = .forced
    let chapters = [0, 1].map { number in
      MediaDescription.Chapter(
        id: number, start: number * 45_000_000_000, end: (number + 1) * 45_000_000_000,
        title: ["One", "Two"][Int(number)])
    }
    return MediaDescription(
      format: "matroska,webm", tracks: [cover, video, audio, audio],
      metadata: [MetadataEntry("Title", "The Wall")], chapters: chapters,
      duration: 5_400_000_000_000)
  }()

  @Test(arguments: [
    ("video.codec == \"hevc\"", true), ("video.codec == HEVC", true),
    ("video.codec != \"hevc\" and video.height > 1080", false),
    ("video.codec != 'hevc' or video.height >= 1080", true),
    ("not video.codec == hevc", false), ("not (audio and subtitle)", true),
    ("video and not subtitle", true), ("subtitle", false), ("video.hdr", true),
    ("video.interlaced", false), ("video.interlaced == false", true),
    // A file without subtitles has no language of subtitles.
    ("subtitle.language != \"eng\"", false), ("not subtitle.language == \"eng\"", true),
    ("audio.count == 2", true), ("video.count == 1", true), ("tracks == 4", true),
    ("duration > 1h", true), ("duration == 90m", true), ("duration < 5400s", false),
    ("size > 2G", true), ("size >= 3GB", true), ("size < 2GiB", false),
    ("video.bitRate == 8M", true), ("video.frameRate < 24", true),
    ("video.frameRate == 23.976024", true), ("video.frameRate == 23.976", true),
    ("video.frameRate == 23.98", true), ("video.frameRate > 23.976", false),
    ("video.frameRate == 23.97", false), ("video.frameRate == 24", false),
    ("video.frameRate < 24.0", true), ("duration == 1.5h", true),
    ("video.bitDepth == 10", true), ("container == mkv", true),
    ("container == matroska", true), ("container == webm", false), ("container contains mk", true),
    ("video.color.transfer == smpte2084", true), ("video.dynamicRange.transfer == pq", true),
    ("video.metadata.title == main", true), ("video.title == main", true),
    ("audio.metadata.title", false), ("audio.disposition contains forced", true),
    ("video.sampleAspect == 4/3", true), ("video.fieldOrder == progressive", true),
    ("video.dynamicRange.contentLight.maximum >= 1000", true), ("attachment", false),
    ("chapters.title contains two", true), ("chapters.end == 90s", true), ("warning", false),

    ("metadata.title contains 'wall'", true), ("metadata.artist", false),
    ("audio.forced", true), ("audio.default", false), ("video.commentary == false", true),
    ("audio.language == de", true), ("audio.language == GER", true),
    ("audio.language == de-AT", false), ("audio.language != de", false),
    ("audio.language != en", true), ("audio.language contains d", true),
    ("audio.channels > 2 and audio.language == deu or subtitle", true),
    ("subtitle and audio or video", true), ("subtitle and (audio or video)", false),
    ("video.height>1079 and(video.width<1921)", true),
  ])
  func `conditions are judged by the properties of a file`(text: String, holds: Bool) throws {
    let condition = try MediaCondition(text)
    #expect(condition.holds(for: Self.film, size: 3_000_000_000) == holds)
  }

  @Test(arguments: [
    ("", 1, "a property"), ("video.codc == 1", 1, "did you mean video.codec"),
    ("video.height > tall", 16, "a number"), ("video.height = 5", 14, "=="),
    ("video.height >", 15, "a value is missing"), ("(video", 7, "\")\" is missing"),
    ("video) and audio", 6, "not expected"), ("video audio", 7, "not expected"),
    ("video.codec < 'a'", 15, "cannot be compared"), ("size > 3X", 8, "an amount"),
    ("duration > 3d", 12, "a time"), ("video.hdr == yes", 14, "true or false"),
    ("video.codec == 'a", 16, "quotation mark"), ("video.height contains 1", 23, "no text"),
    ("audio.language == german", 19, "a code such as en"), ("codec == aac", 1, "no property"),
    ("video and", 10, "a property"), ("video <> audio", 8, ">"),
  ])
  func `a wrong condition is named with its place`(text: String, place: Int, words: String) {
    let error = #expect(throws: MediaError.self) { try MediaCondition(text) }
    let message = error?.message ?? ""
    #expect(message.contains("at character \(place):"), "\(message)")
    #expect(message.contains(words), "\(message)")
  }

  @Test func `the documentation lists every property`() throws {
    let text = try Self.source("Respool/Respool.docc/Commands.md")
    for property in MediaProperty.all {
      #expect(text.contains("`\(property.name)`"), "\(property.name)")
    }
  }

  private static func source(_ path: String) throws -> String {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try String(
      contentsOf: tests.appendingPathComponent("../../Sources/\(path)"), encoding: .utf8)
  }

  /// Keys of `inspect --json` that need no property, because a condition is about one file that can be read.
  private static let keysWithoutProperty: Set<String> = ["path", "error", "number", "type"]
  /// Keys of objects, whose members have properties.
  private static let objects: Set<String> = [
    "metadata", "color", "dynamicRange", "masteringDisplay", "contentLight", "dolbyVision",
  ]

  @Test func `every field that inspect shows has a property`() throws {
    let names = Set(
      MediaProperty.all.flatMap { $0.name.split(separator: ".").suffix(1) }.map(String.init))
    var count = 0
    for file in ["FileReport+JSON.swift", "HighDynamicRange.swift"] {
      for match in try Self.source("respool/\(file)").matches(of: #/"(\w+)": /#) {
        let key = String(match.1)
        count += 1
        #expect(
          names.contains(key) || Self.keysWithoutProperty.contains(key)
            || Self.objects.contains(key), "\(file): \(key)")
      }
    }
    #expect(count > 50)
  }

  @Test func `a deep condition does not exhaust the stack`() throws {
    let deep = String(repeating: "(", count: 100_000)
    #expect(throws: MediaError.self) { try MediaCondition(deep) }
    #expect(throws: MediaError.self) {
      try MediaCondition(String(repeating: "not ", count: 100_000) + "video")
    }
    let long = Array(repeating: "video", count: 20_000).joined(separator: " and ")
    #expect(try MediaCondition(long).holds(for: Self.film, size: 1))
  }
}
