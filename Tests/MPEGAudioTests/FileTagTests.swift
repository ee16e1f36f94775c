import PluginHost
import RespoolPlugin
import Testing

@testable import MPEGAudio

@Suite struct FileTagTests {
  private typealias Support = MPEGAudioSupport

  private func cover(_ codec: String = "png") -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 90000))
    track.disposition = .attachedPicture
    track.metadata = [MetadataEntry("title", "Vorne"), MetadataEntry("comment", "Cover (back)")]
    return track
  }

  /// Returns the tag of a file with these tags, covers and chapters.
  private func tag(_ media: MediaDescription, version: String) throws -> ID3Tag {
    var packets = try Support.packets(2, from: -1105)
    // Covers follow the first audio.
    for index in media.tracks.indices.dropFirst()
    where media.tracks[index].disposition.contains(.attachedPicture) {
      packets.append(
        Packet(
          track: index, pts: 0, dts: 0,
          payload: .bytes(MediaBuffer([UInt8](repeating: UInt8(index), count: 1000)))))
    }
    let bytes = try Support.file(media, packets, options: [.init("id3", version)])
    #expect(bytes[3] == (version == "2.3" ? 3 : 4))
    let size = ID3Frame.syncSafe(bytes[6...])
    #expect(try Support.frames(Array(bytes[(10 + size)...])).count == 3)
    return ID3Tag(bytes)
  }

  @Test(arguments: ["2.4", "2.3"])
  func `texts, comments, lyrics and dates round-trip`(version: String) throws {
    var media = Support.media()
    media.nativeTags = [
      NativeTag(keySpace: "org.id3", key: "COMM", name: "comment", value: "gut", language: "deu"),
      NativeTag(keySpace: "org.id3", key: "USLT", name: "lyrics", value: "la la", language: "fra"),
    ]
    media.metadata = [
      MetadataEntry("title", "Süßes Lied 音"), MetadataEntry("artist", "A"),
      MetadataEntry("album", "B"), MetadataEntry("track", "3/12"),
      MetadataEntry("genre", "Jazz"), MetadataEntry("comment", "gut"),
      MetadataEntry("lyrics", "la la"), MetadataEntry("REPLAYGAIN_TRACK_GAIN", "-3.20 dB"),
      MetadataEntry("WOAR", "http://a.example"), MetadataEntry("POPM:a@b", "196/7"),
      MetadataEntry("date", "2011-05-06 07:08"), MetadataEntry("encoder", "other"),
    ]
    let texts = try tag(media, version: version).texts
    for entry in media.metadata where entry.name != "encoder" {
      #expect(texts.contains { $0.name == entry.name && $0.value == entry.value }, "\(entry)")
    }
    #expect(texts.count == media.metadata.count - 1)
    #expect(texts.first { $0.name == "comment" }?.language == "deu")
    #expect(texts.first { $0.name == "lyrics" }?.language == "fra")
  }

  @Test func `frames with owners, people and descriptions keep their kinds`() throws {
    var media = Support.media()
    media.metadata = [
      MetadataEntry("id3v2_priv.x.example", "a\\x01\\xff"),
      MetadataEntry("MUSICBRAINZ_TRACKID", "abc"), MetadataEntry("producer", "Pr"),
      MetadataEntry("performer", "Conductor;P1 (piano)"), MetadataEntry("iTunNORM", " 0001"),
    ]
    media.nativeTags = [
      NativeTag(keySpace: "org.id3", key: "TIPL:producer", name: "producer", value: "Pr"),
      NativeTag(keySpace: "org.id3", key: "TPE3", name: "performer", value: "Conductor"),
      NativeTag(keySpace: "org.id3", key: "TMCL:piano", name: "performer", value: "P1 (piano)"),
      NativeTag(keySpace: "org.id3", key: "COMM", name: "iTunNORM", value: " 0001"),
    ]
    let frames = try tag(media, version: "2.4").frames
    func body(_ name: String) -> [UInt8]? {
      frames.first { $0.name == name }.map { Array($0.body) }
    }
    #expect(body("PRIV") == Array("x.example".utf8) + [0, 0x61, 1, 0xFF])
    #expect(body("UFID") == Array("http://musicbrainz.org\0abc".utf8))
    #expect(body("TIPL") == [3] + Array("producer\0Pr".utf8))
    #expect(body("TMCL") == [3] + Array("piano\0P1".utf8))
    #expect(body("TPE3") == [3] + Array("Conductor".utf8))
    #expect(body("COMM") == [3] + Array("engiTunNORM\0 0001".utf8))
    #expect(frames.count == 6)
  }

  @Test func `the language of the track is that of the file`() throws {
    var track = Support.track()
    track.language = "ger"
    let texts = try tag(Support.media([track]), version: "2.4").texts
    #expect(texts.map(\.name) == ["language"] && texts.map(\.value) == ["ger"])
    track.language = "und"
    let bytes = try Support.file(Support.media([track]), try Support.packets(2, from: 0))
    #expect(bytes.first == 0xFF)
  }

  @Test func `several values have one frame, with a slash in ID3v2.3`() throws {
    var media = Support.media()
    media.metadata = [MetadataEntry("artist", "A;B")]
    media.nativeTags = ["A", "B"].map {
      NativeTag(keySpace: "org.id3", key: "TPE1", name: "artist", value: $0)
    }
    #expect(try tag(media, version: "2.4").texts.map(\.value) == ["A", "B"])
    #expect(try tag(media, version: "2.3").texts.map(\.value) == ["A/B"])
  }

  @Test(arguments: ["2.4", "2.3"]) func `covers and chapters round-trip`(version: String) throws {
    var media = Support.media([Support.track(), cover(), cover("mjpeg")])
    media.chapters = (0..<300).map {
      .init(
        id: Int64($0), start: Int64($0) * 1_000_000_000, end: Int64($0 + 1) * 1_000_000_000,
        title: $0 == 1 ? "" : "Teil \($0) ä")
    }
    let tag = try tag(media, version: version)
    #expect(tag.pictures.map(\.mimeType) == ["image/png", "image/jpeg"])
    #expect(tag.pictures.allSatisfy { $0.kind == 4 && $0.title == "Vorne" })
    #expect(
      tag.pictures.map { Array($0.file) } == [1, 2].map { Array(repeating: $0, count: 1000) })
    #expect(tag.chapters.map(\.title) == media.chapters.map(\.title))
    #expect(tag.chapters.map(\.start) == media.chapters.map(\.start))
    #expect(tag.chapters.map(\.end) == media.chapters.map(\.end))
    // A table of two tables, which count up to 255 entries.
    #expect(tag.frames.count { $0.name == "CTOC" } == 3)
  }

  @Test func `chapters and their table keep their other frames`() throws {
    var media = Support.media()
    media.chapters = [.init(id: 1, start: 0, end: 5_000_000_000, title: "Neu")]
    let link = ID3Frame("WXXX", [0, 0] + Array("http://a.example".utf8))
    let times = UInt32(0).bigEndianBytes + UInt32(5000).bigEndianBytes
    let body = Array("x".utf8) + [0] + times + [UInt8](repeating: 0xFF, count: 8)
    let title = ID3Frame("TIT2", [3] + Array("Inhalt".utf8))
    let table = Array("t".utf8) + [0, 3, 1] + Array("x".utf8) + [0] + (title.bytes ?? [])
    media.sideData = ID3Frame.records([
      ID3Frame("CHAP", body + (link.bytes ?? [])), ID3Frame("CTOC", table),
    ])
    let tag = try tag(media, version: "2.4")
    #expect(tag.frames.map(\.name) == ["CHAP", "CTOC"])
    #expect(tag.frames.last.map { Array($0.body) } == table)
    #expect(tag.frames.first?.body.starts(with: [0x78, 0]) == true)
    #expect(tag.chapters.map(\.title) == ["Neu"])
    let frame = try #require(tag.frames.first { $0.name == "CHAP" })
    #expect(String(decoding: frame.body, as: UTF8.self).contains("http://a.example"))
    let contents = try #require(tag.frames.first { $0.name == "CTOC" })
    #expect(String(decoding: contents.body, as: UTF8.self).contains("Inhalt"))
  }

  @Test func `a chapter that has not changed keeps the bytes of its frame`() throws {
    var media = Support.media()
    media.chapters = [.init(id: 1, start: 0, end: 5_000_000_000, title: "Teil")]
    let times = UInt32(0).bigEndianBytes + UInt32(5000).bigEndianBytes
    // A title in UTF-16 with a zero at the end, after a link.
    let title = [1, 0xFF, 0xFE] + Array("T\0e\0i\0l\0\0\0".utf8)
    let link = ID3Frame("WXXX", [0, 0] + Array("http://a.example".utf8))
    let body =
      Array("x".utf8) + [0] + times + [UInt8](repeating: 0xFF, count: 8) + (link.bytes ?? [])
      + (ID3Frame("TIT2", title).bytes ?? [])
    let table = Array("t".utf8) + [0, 3, 1] + Array("x".utf8) + [0]
    media.sideData = ID3Frame.records([ID3Frame("CHAP", body), ID3Frame("CTOC", table)])
    let chapter = try tag(media, version: "2.4").frames.first { $0.name == "CHAP" }
    #expect(chapter.map { Array($0.body) } == body)
  }

  @Test func `no tag is written without tags or on request`() throws {
    let packets = try Support.packets(2, from: 0)
    #expect(try Support.file(Support.media(), packets).first == 0xFF)
    var media = Support.media()
    media.metadata = [MetadataEntry("title", "x")]
    #expect(try Support.file(media, packets).first == UInt8(ascii: "I"))
    #expect(try Support.file(media, packets, options: [.init("id3", "none")]).first == 0xFF)
  }

  @Test func `other tracks are rejected`() throws {
    let video = TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 90000))
    for tracks in [
      [Support.track(), video], [Support.track("aac")], [], [Support.track(), Support.track()],
    ] {
      #expect(throws: MediaError.self) { try Support.file(Support.media(tracks), []) }
    }
  }
}
