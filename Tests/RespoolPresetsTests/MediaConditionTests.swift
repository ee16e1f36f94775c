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
    var cover = TrackDescription(kind: .video, codec: "png", timeBase: Rational(1, 1000))
    cover.disposition = .attachedPicture
    var audio = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48000))
    (audio.sampleRate, audio.language) = (48000, "deu")
    audio.channelLayout = ChannelLayout(channelCount: 6)
    return MediaDescription(
      format: "matroska,webm", tracks: [cover, video, audio, audio],
      metadata: [MetadataEntry("Title", "The Wall")], duration: 5_400_000_000_000)
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
    ("video.bitDepth == 10", true), ("container contains webm", true),
    ("metadata.title contains 'wall'", true), ("metadata.artist", false),
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
    ("video and", 10, "a property"), ("video <> audio", 8, ">"),
  ])
  func `a wrong condition is named with its place`(text: String, place: Int, words: String) {
    let error = #expect(throws: MediaError.self) { try MediaCondition(text) }
    let message = error?.message ?? ""
    #expect(message.contains("at character \(place):"), "\(message)")
    #expect(message.contains(words), "\(message)")
  }

  @Test func `the documentation lists every property`() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/Respool/Respool.docc/Commands.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for property in MediaProperty.all { #expect(text.contains("`\(property.name)`")) }
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
