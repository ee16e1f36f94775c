import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Tags of MP3, FLAC and AIFF that FFmpeg reads only in part: conversions keep them or report them as lost.
@Suite struct AudioFileTagsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: scratch.path(name)))
    return scratch.path(name)
  }

  /// Returns a file with speech and without tags, written by FFmpeg.
  private func sound(_ name: String, _ options: String...) throws -> [UInt8] {
    let path = scratch.path(name)
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-map_metadata", "-1"] + options
        + ["-fflags", "+bitexact", path])
    return try bytes(path)
  }

  private func values(_ name: String, _ path: String) throws -> [String] {
    try media(path).nativeTags.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  private func entries(_ path: String) throws -> Set<MetadataEntry> {
    Set(try media(path).metadata.map { MetadataEntry($0.name.lowercased(), $0.value) })
  }

  private func text(_ name: String, _ values: String...) -> ID3Frame {
    ID3Frame(name, [3] + Array(values.joined(separator: "\0").utf8))
  }

  private func id3(_ frames: [ID3Frame]) -> [UInt8] {
    let body = frames.flatMap { $0.bytes ?? [] }
    return Array("ID3".utf8) + [4, 0, 0] + ID3Frame.syncSafe(body.count) + body
  }

  /// Times of ID3 chapters count from the first audio sample that is played, after the encoder delay.
  @Test func `chapters of MP3 keep their times however often they are copied`() throws {
    func chapter(_ name: String, _ start: UInt32, _ end: UInt32) -> ID3Frame {
      ID3Frame(
        "CHAP",
        Array(name.utf8) + [0] + start.bigEndianBytes + end.bigEndianBytes
          + [UInt8](repeating: 0xFF, count: 8) + (text("TIT2", name).bytes ?? []))
    }
    let tag = id3([chapter("one", 0, 500), chapter("two", 500, 2500), text("TIT2", "Song")])
    var path = try write(tag + (try sound("plain.mp3", "-id3v2_version", "0")), "song.mp3")
    for name in ["a.mp3", "b.mkv", "c.mp3", "d.mp4", "e.mp3"] {
      #expect(try media(path).chapters.map(\.start) == [0, 500_000_000], "before \(name)")
      let preset =
        name.hasSuffix("mp3") ? "mp3-v2" : name.hasSuffix("mkv") ? "remux-mkv" : "remux-mp4"
      let report = try Pipeline.export(path, preset, to: scratch.path(name))
      #expect(report.losses == [], "\(name)")
      path = scratch.path(name)
    }
    #expect(try media(path).chapters.map(\.start) == [0, 500_000_000])
  }

  @Test func `descriptions of lyrics and texts without names stay`() throws {
    let tag = id3([
      ID3Frame("USLT", [3] + Array("engdd\0words".utf8)),
      ID3Frame("TXXX", [3] + Array("\0text".utf8)),
    ])
    let source = try write(tag + (try sound("bare.mp3", "-id3v2_version", "0")), "lyrics.mp3")
    #expect(try Pipeline.export(source, "wav", to: scratch.path("out.wav")).losses == [])
    let tags = try media(scratch.path("out.wav")).nativeTags
    #expect(tags.contains { $0.key == "USLT:dd" && $0.value == "words" }, "\(tags)")
    #expect(tags.contains { $0.key == "TXXX:" && $0.value == "text" }, "\(tags)")
    let losses = try Pipeline.export(source, "opus-128k", to: scratch.path("out.opus")).losses
    #expect(losses == ["lost: the description of lyrics (dd)"])
  }

  private let file = ID3Frame("GEOB", [0] + Array("text/plain\0a.txt\0notes\0hello".utf8))

  private func song() throws -> String {
    let tag = id3([
      text("TIT2", "Song"), text("TPE1", "Ann", "Bob"), text("TIPL", "producer", "Cy"),
      ID3Frame("COMM", [3] + Array("deu\0Gut".utf8)),
      ID3Frame("COMM", [3] + Array("eng\0Good".utf8)),
      ID3Frame("UFID", Array("http://musicbrainz.org\0abc".utf8)),
      ID3Frame("POPM", Array("me@home\0".utf8) + [196, 0, 0, 0, 12]),
      ID3Frame("WOAR", Array("http://a.example".utf8)), file, ID3Frame("SYLT", [0, 1, 2]),
    ])
    return try write(tag + (try sound("plain.mp3", "-id3v2_version", "0")), "song.mp3")
  }

  private let facts = [
    MetadataEntry("title", "Song"), MetadataEntry("artist", "Ann;Bob"),
    MetadataEntry("producer", "Cy"), MetadataEntry("comment", "Gut"),
    MetadataEntry("comment", "Good"), MetadataEntry("musicbrainz_trackid", "abc"),
    MetadataEntry("popm:me@home", "196/12"), MetadataEntry("woar", "http://a.example"),
  ]

  @Test func `all of an ID3 tag is read and kept`() throws {
    let source = try song()
    #expect(try entries(source) == Set(facts))
    for (preset, name) in [("remux-mkv", "a.mkv"), ("opus-128k", "a.opus"), ("remux-mp4", "a.mp4")]
    {
      let report = try Pipeline.export(source, preset, to: scratch.path(name))
      let found = try entries(scratch.path(name))
      // Opus stores several comments as one.
      let missing = Set(facts).filter { fact in
        !found.contains { $0.name == fact.name && $0.value.contains(fact.value) }
      }
      let named = missing.filter { fact in report.losses.contains { $0.contains(fact.name) } }
      #expect(named == missing, "\(name): \(missing) of \(found)")
      #expect(missing.count < 2)
      #expect(report.losses.contains { $0.contains("GEOB") }, "\(report.losses)")
      #expect(report.losses.contains { $0.contains("SYLT") }, "\(report.losses)")
      let hasLanguages = name != "a.opus"
      #expect(report.losses.contains { $0.contains("language of tags (de)") } != hasLanguages)
    }
    #expect(try values("artist", scratch.path("a.opus")) == ["Ann", "Bob"])
  }

  /// A WAVE file has its own ID3 tag, which also stores the frames that have no other place in the file.
  @Test func `an ID3 tag stays one in a WAV file`() throws {
    let report = try Pipeline.export(try song(), "wav", to: scratch.path("a.wav"))
    #expect(report.losses == [])
    let found = try entries(scratch.path("a.wav"))
    #expect(Set(facts).isSubset(of: found), "\(found)")
    #expect(try values("artist", scratch.path("a.wav")) == ["Ann", "Bob"])
    let comments = try media(scratch.path("a.wav")).nativeTags.filter { $0.name == "comment" }
    #expect(comments.map(\.language) == ["ger", "eng"])
    let frames = try media(scratch.path("a.wav")).sideData.flatMap { ID3Frame.frames(in: $0) }
    #expect(Set(frames) == [file, ID3Frame("SYLT", [0, 1, 2])])
    // The times of the lyrics refer to the whole file, not to a clip of it.
    let session = try ExportSession(
      input: scratch.path("a.wav"), preset: try Pipeline.preset("wav"), registry: Pipeline.registry)
    session.timeRange = TimeRange(
      start: MediaTime(value: 1, timescale: 10), end: MediaTime(value: 5, timescale: 10))
    let part = try session.exportAndWait(to: scratch.path("b.wav"))
    #expect(part.losses.contains { $0.contains("synchronized lyrics") }, "\(part.losses)")
    let rest = try media(scratch.path("b.wav")).sideData.flatMap { ID3Frame.frames(in: $0) }
    #expect(rest == [file])
  }

  @Test func `a tag of version 1 adds missing values`() throws {
    func field(_ text: String, _ count: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
    }
    var old = Array("TAG".utf8) + field("Cut off ti", 30) + field("Ann", 30)
    old += field("Album", 30) + field("1999", 4) + field("", 28) + [0, 7, 17]
    let sound = try sound("plain.mp3", "-id3v2_version", "0")
    let source = try write(id3([text("TIT2", "Cut off title")]) + sound + old, "both.mp3")
    #expect(
      try entries(source) == [
        MetadataEntry("title", "Cut off title"), MetadataEntry("artist", "Ann"),
        MetadataEntry("album", "Album"), MetadataEntry("date", "1999"),
        MetadataEntry("track", "7"), MetadataEntry("genre", "Rock"),
      ])
  }

  /// An image may be an address; no player of another format would find it.
  @Test func `linked images are named`() throws {
    let link = FLACPicture(mimeType: "-->", data: Array("http://example.org/a.jpg".utf8))
    let source = scratch.path("link.opus")
    let field = "\(VorbisComments.pictureField)=\(Base64.encode(link.block))"
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("speech.wav"), "-metadata", field, "-c:a", "libopus",
        source,
      ])
    let losses = try Pipeline.export(source, "remux-mkv", to: scratch.path("link.mka")).losses
    #expect(losses == ["lost: the linked picture"])

    var flac = try sound("plain.flac")
    let block = link.block
    flac.insert(
      contentsOf: [6, 0, UInt8(block.count >> 8), UInt8(block.count & 0xFF)] + block, at: 42)
    let song = try write(flac, "link.flac")
    #expect(
      try Pipeline.export(song, "remux-mkv", to: scratch.path("flac.mka")).losses
        == ["lost: the linked picture"])
  }

  /// Ambisonic audio has no loudspeakers (RFC 8486).
  @Test func `ambisonic audio is kept or named`() throws {
    let source = scratch.path("field.opus")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "aevalsrc=sin(440*t)|0|sin(660*t)|0:d=0.5:c=ambisonic 1",
        "-c:a", "libopus", "-mapping_family", "2", source,
      ])
    for (preset, name) in [("remux-mkv", "a.mka"), ("remux-mp4", "a.mp4")] {
      #expect(try Pipeline.export(source, preset, to: scratch.path(name)).losses == [])
    }
    #expect(
      try Pipeline.export(source, "wav", to: scratch.path("a.wav")).losses
        == ["changed: the channel layout of track 1 from ambisonic 1 to 4.0"])
  }

  @Test func `blocks of FLAC are kept or named`() throws {
    var flac = try sound("plain.flac")
    func block(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
      [type, UInt8(body.count >> 16), UInt8(body.count >> 8 & 0xFF), UInt8(body.count & 0xFF)]
        + body
    }
    let comments = VorbisComments(
      vendor: "",
      fields: [
        MetadataEntry("ARTIST", "Ann"), MetadataEntry("ARTIST", "Bob"),
        MetadataEntry("COMMENT", "a comment"), MetadataEntry("DESCRIPTION", "a description"),
      ])
    // The new blocks go after STREAMINFO and replace the comments and padding that FFmpeg wrote.
    let rest = flac[42...].firstRange(of: [0xFF, 0xF8])?.lowerBound ?? 42
    flac =
      Array(flac[..<42]) + block(2, Array("riffdata".utf8)) + block(0x84, comments.bytes)
      + flac[rest...]
    let source = try write(id3([text("TALB", "Album")]) + flac, "song.flac")
    let wanted: Set<MetadataEntry> = [
      MetadataEntry("artist", "Ann;Bob"), MetadataEntry("comment", "a comment"),
      MetadataEntry("description", "a description"), MetadataEntry("album", "Album"),
    ]
    #expect(try entries(source) == wanted)
    for (preset, name) in [("remux-mkv", "a.mkv"), ("opus-128k", "a.opus"), ("remux-mp4", "a.mp4")]
    {
      let report = try Pipeline.export(source, preset, to: scratch.path(name))
      let found = try entries(scratch.path(name))
      #expect(wanted.isSubset(of: found), "\(name): \(found)")
      #expect(report.losses.count == 1, "\(report.losses)")
      #expect(report.losses.contains { $0.contains("application block 'riff' of FLAC") })
    }
    #expect(try values("artist", scratch.path("a.opus")) == ["Ann", "Bob"])
  }

  @Test func `chunks of AIFF are kept or named`() throws {
    var aiff = try sound("plain.aiff")
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      let size = withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) }
      return Array(name.utf8) + size + body + (body.count % 2 == 1 ? [0] : [])
    }
    func marker(_ id: UInt8, _ sample: [UInt8], _ name: String) -> [UInt8] {
      [0, id] + sample + [UInt8(name.utf8.count)] + Array(name.utf8)
        + (name.utf8.count % 2 == 0 ? [0] : [])
    }
    aiff += chunk("ANNO", Array("one".utf8)) + chunk("ANNO", Array("two".utf8))
    aiff += chunk("COMT", [0, 1, 0, 0, 0, 0, 0, 0, 0, 5] + Array("three".utf8) + [0])
    aiff += chunk(
      "MARK",
      [0, 3] + marker(1, [0, 0, 0, 0], "Start") + marker(2, [0, 0, 0x0F, 0xA0], "Loop")
        + marker(3, [0, 0, 0x1F, 0x40], "Half"))
    aiff += chunk("INST", [60, 0, 0, 127, 0, 127, 0, 0, 0, 1, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0])
    let size = UInt32(aiff.count - 8)
    aiff.replaceSubrange(4..<8, with: withUnsafeBytes(of: size.bigEndian) { Array($0) })
    let source = try write(aiff, "song.aiff")
    let comments = try entries(source).filter { $0.name == "comment" }.map(\.value).sorted()
    #expect(comments == ["one", "three", "two"])
    let chapters = try media(source).chapters
    #expect(chapters.map(\.title) == ["Start", "Half"])
    let report = try Pipeline.export(source, "remux-mkv", to: scratch.path("a.mkv"))
    #expect(report.losses.count == 1, "\(report.losses)")
    #expect(report.losses.contains { $0.contains("chunk 'INST' of AIFF") })
    #expect(try media(scratch.path("a.mkv")).chapters.map(\.start) == chapters.map(\.start))
  }

  /// A tag at the end of the file has a footer; a second tag may have other values for the same items.
  @Test func `tags after the audio are read or named`() throws {
    var tag = id3([text("TALB", "Album"), text("TIT2", "Title")])
    tag[5] = 0x10
    let foot = Array("3DI".utf8) + tag[3..<10]
    let sound = try sound("plain.mp3", "-id3v2_version", "0")
    let source = try write(sound + tag + foot, "appended.mp3")
    #expect(
      try entries(source) == [MetadataEntry("album", "Album"), MetadataEntry("title", "Title")])

    func item(_ name: String, _ value: [UInt8], _ flags: UInt8) -> [UInt8] {
      [UInt8(value.count), 0, 0, 0, flags, 0, 0, 0] + Array(name.utf8) + [0] + value
    }
    let items =
      item("Artist", Array("Ann\0Bob".utf8), 0) + item("Title", Array("Other".utf8), 0)
      + item("Cover Art (Front)", [1, 2, 3], 2)
    let end =
      Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, UInt8(items.count + 32), 0, 0, 0, 3, 0, 0, 0]
      + [UInt8](repeating: 0, count: 12)
    let both = try write(id3([text("TIT2", "Title")]) + sound + items + end, "ape.mp3")
    let report = try Pipeline.export(both, "remux-mkv", to: scratch.path("ape.mkv"))
    #expect(
      report.losses == [
        "lost: the item Cover Art (Front) of the APEv2 tag",
        "lost: the other title of the APEv2 tag",
      ])
    let kept = try entries(scratch.path("ape.mkv"))
    #expect(kept.contains(MetadataEntry("artist", "Ann;Bob")), "\(kept)")
  }

  @Test func `a Lyrics3 tag is named`() throws {
    let sound = try sound("plain.mp3", "-id3v2_version", "0")
    let tag = Array("LYRICSBEGININD00002".utf8) + Array("00LYR00009La la la!000037LYRICS200".utf8)
    let source = try write(sound + tag, "lyrics.mp3")
    let report = try Pipeline.export(source, "remux-mkv", to: scratch.path("lyrics.mkv"))
    #expect(report.losses == ["lost: the Lyrics3 tag"])
  }

  /// FFmpeg maps both fields of Ogg Vorbis to one comment.
  @Test func `comment and description of Vorbis are two tags`() throws {
    let path = scratch.path("plain.ogg")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "libvorbis"]
        + ["-metadata", "REMARKS=a comment", "-metadata", "SUMMARY=a description", path])
    var file = try bytes(path)
    // FFmpeg would write both as one field, so they get their names here.
    for (made, wanted) in [
      ("SUMMARY=a description", "DESCRIPTION=a summary"), ("REMARKS=a", "COMMENT=a"),
    ] {
      let place = try #require(file.firstRange(of: Array(made.utf8)))
      file.replaceSubrange(place, with: Array(wanted.utf8))
    }
    // The comments are in the second page. Its checksum uses the polynomial of RFC 3533 6.
    let page = try #require(file[4...].firstRange(of: Array("OggS".utf8))).lowerBound
    let head = page + 27 + Int(file[page + 26])
    let end = file[(page + 27)..<head].reduce(head) { $0 + Int($1) }
    file.replaceSubrange((page + 22)..<(page + 26), with: [0, 0, 0, 0])
    var sum: UInt32 = 0
    for byte in file[page..<end] {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum >> 31 == 1 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
    let stored = withUnsafeBytes(of: sum.littleEndian) { Array($0) }
    file.replaceSubrange((page + 22)..<(page + 26), with: stored)
    let source = try write(file, "both.ogg")
    let found = try entries(source).filter { ["comment", "description"].contains($0.name) }
    #expect(
      found == [
        MetadataEntry("comment", "a comment"), MetadataEntry("description", "a summary"),
      ], "\(found)")
  }

  /// Opus keeps the picture type and description of a cover; other containers cannot store the type.
  @Test func `kinds and descriptions of covers are kept or named`() throws {
    let image = try bytes(Pipeline.clip("still.png"))
    let body = [0] + Array("image/png\0".utf8) + [4] + Array("Behind\0".utf8) + image
    let sound = try sound("plain.mp3", "-id3v2_version", "0")
    let source = try write(id3([ID3Frame("APIC", body)]) + sound, "cover.mp3")
    #expect(try Pipeline.export(source, "opus-128k", to: scratch.path("a.opus")).losses == [])
    let covers = try media(scratch.path("a.opus")).tracks.filter {
      $0.disposition.contains(.attachedPicture)
    }
    #expect(covers.map { PictureKind.number(in: $0.metadata) } == [4])
    #expect(covers.flatMap(\.metadata).contains(MetadataEntry("title", "Behind")))
    let mkv = try Pipeline.export(source, "remux-mkv", to: scratch.path("a.mkv"))
    #expect(mkv.losses == ["lost: the kind of a cover (Cover (back))"])
    let mp4 = try Pipeline.export(source, "remux-mp4", to: scratch.path("a.mp4"))
    #expect(mp4.losses.count == 2, "\(mp4.losses)")
  }

  @Test func `an excessive number of comments is rejected`() throws {
    let flac = try sound("plain.flac")
    let comments = VorbisComments(
      vendor: "", fields: (0..<60_000).map { MetadataEntry("A\($0)", "b") })
    let count = comments.bytes.count
    let head = [4, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    let source = try write(Array(flac[..<42]) + head + comments.bytes + flac[42...], "many.flac")
    let error = #expect(throws: MediaError.self) { try media(source) }
    #expect(error?.message.contains("60000 comments") == true, "\(String(describing: error))")
  }
}
