import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Facts of whole files that a conversion keeps or reports as lost.
@Suite struct KeptFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  /// MP4 does not store the bit depth of ProRes; the first frame does.
  @Test func `a bit depth that only the frame states is kept`() throws {
    let source = scratch.path("deep.mov")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.4", "-c:v",
        "prores_ks", "-pix_fmt", "yuv422p10le", source,
      ])
    #expect(try media(source).tracks[0].pixelFormat.layout == nil)
    let report = try Pipeline.export(source, "remux-mp4", to: scratch.path("deep.mp4"))
    let track = try media(scratch.path("deep.mp4")).tracks[0]
    #expect(track.codec == "h264" && track.pixelFormat == .yuv422p10le)
    #expect(report.losses.count { $0.contains("encoded again") } == 1, "\(report.losses)")
    #expect(!report.losses.contains { $0.contains("depth") || $0.contains("tapt") })
  }

  /// Loudness in the LAME header becomes ReplayGain tags in other containers.
  @Test func `the gain of an MP3 header is kept`() throws {
    let source = scratch.path("gain.mp3")
    try PluginWorkshop.run("ffmpeg", ["-v", "error", "-i", Pipeline.clip("speech.wav"), source])
    var file = try Data(contentsOf: URL(fileURLWithPath: source))
    let tag = try #require(file.range(of: Data("Info".utf8)) ?? file.range(of: Data("Xing".utf8)))
    // The encoder name, revision and lowpass follow the tag, flags, counts and table. Then come the peak and the
    // track gain of -3.2 dB, which the encoder determined.
    let place = tag.lowerBound + 120 + 9 + 2
    file.replaceSubrange(place..<place + 6, with: [0, 0x40, 0, 0, 0b0010_1110, 32])
    // A 16-bit checksum of the frame up to here ends the header. Its polynomial is x16 + x15 + x2 + 1.
    let start = try #require(file[..<tag.lowerBound].lastIndex(of: 0xFF))
    let end = tag.lowerBound + 120 + 34
    var sum: UInt16 = 0
    for byte in file[start..<end] {
      sum ^= UInt16(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
    }
    file.replaceSubrange(end..<end + 2, with: [UInt8(sum >> 8), UInt8(sum & 0xFF)])
    try file.write(to: URL(fileURLWithPath: source))
    for (preset, name) in [("remux-mp4", "gain.mp4"), ("remux-mkv", "gain.mkv")] {
      let report = try Pipeline.export(source, preset, to: scratch.path(name))
      let tags = try media(scratch.path(name)).metadata
      let gain = tags.first { $0.name.uppercased() == "REPLAYGAIN_TRACK_GAIN" }
      let peak = tags.first { $0.name.uppercased() == "REPLAYGAIN_TRACK_PEAK" }
      #expect(gain?.value == "-3.20 dB", "\(tags)")
      #expect(peak?.value.hasPrefix("0.5") == true, "\(tags)")
      #expect(report.losses == [])
    }
  }

  /// libavformat drops a cover of an unknown image format without a message.
  @Test func `a cover of an unknown format is kept as a file or named`() throws {
    let source = scratch.path("song.flac")
    try PluginWorkshop.run("ffmpeg", ["-v", "error", "-i", Pipeline.clip("speech.wav"), source])
    var file = try Data(contentsOf: URL(fileURLWithPath: source))
    func number(_ value: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    let (type, picture) = (Array("image/avif".utf8), Array("a picture".utf8))
    var block = number(3) + number(type.count) + type + number(0)
    block += [UInt8](repeating: 0, count: 16) + number(picture.count) + picture
    // The new block goes after STREAMINFO, the first block.
    file.insert(contentsOf: [6] + number(block.count).dropFirst() + block, at: 42)
    try file.write(to: URL(fileURLWithPath: source))

    let kept = try Pipeline.export(source, "remux-mkv", to: scratch.path("song.mkv"))
    #expect(kept.losses == [])
    let attached = try media(scratch.path("song.mkv")).tracks.first { $0.kind == .attachment }
    #expect(attached?.extradata == picture)
    #expect(attached?.metadata.contains(MetadataEntry("mimetype", "image/avif")) == true)
    let comment = try Pipeline.export(source, "opus-128k", to: scratch.path("song.opus"))
    #expect(comment.losses == [])
    let read = try media(scratch.path("song.opus")).tracks.first { $0.kind == .attachment }
    #expect(read?.extradata == picture)
    let dropped = try Pipeline.export(source, "aac-160k", to: scratch.path("song.m4a"))
    #expect(
      dropped.losses.contains { $0.contains("image/avif") && $0.contains("attached files") },
      "\(dropped.losses)")
  }

  @Test func `an image of an unknown format in an ID3 tag is kept as a file`() throws {
    let source = scratch.path("song.mp3")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("speech.wav"), "-map_metadata", "-1", "-id3v2_version",
        "0", "-fflags", "+bitexact", source,
      ])
    let picture = Array("a picture".utf8)
    let body = [0] + Array("image/webp".utf8) + [0, 3] + Array("Front".utf8) + [0] + picture
    func number(_ value: Int) -> [UInt8] {
      [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: value >> $0) & 0x7F }
    }
    let frame = Array("APIC".utf8) + number(body.count) + [0, 0] + body
    let tag = Array("ID3".utf8) + [4, 0, 0] + number(frame.count) + frame
    let sound = try Data(contentsOf: URL(fileURLWithPath: source))
    try (Data(tag) + sound).write(to: URL(fileURLWithPath: source))

    let attached = try media(source).tracks.filter { $0.kind == .attachment }
    #expect(attached.map(\.extradata) == [picture])
    let copy = try Pipeline.export(source, "remux-mkv", to: scratch.path("song.mkv"))
    #expect(copy.losses == [])
    let kept = try media(scratch.path("song.mkv")).tracks.filter { $0.kind != .audio }
    #expect(kept.count == 1 && kept[0].codec == "webp", "\(kept)")
    let report = try Pipeline.export(source, "opus-128k", to: scratch.path("song.opus"))
    #expect(report.losses.contains { $0.contains("image/webp") }, "\(report.losses)")
  }

  /// Premiere and other programs store XMP in a box; content credentials are signed for the bytes of their file.
  @Test func `boxes of other systems are kept or named`() throws {
    let xmp: [UInt8] =
      [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF,
        0xAC,
      ] + Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    let signed: [UInt8] = [
      0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4,
      0x81, 7,
    ]
    func box(_ payload: [UInt8]) -> [UInt8] {
      [0, 0, 0, UInt8(payload.count + 8)] + Array("uuid".utf8) + payload
    }
    let clip = try Data(contentsOf: URL(fileURLWithPath: Pipeline.clip("pattern-h264.mp4")))
    let source = scratch.path("boxes.mp4")
    try (clip + Data(box(xmp) + box(signed))).write(to: URL(fileURLWithPath: source))

    let kept = try Pipeline.export(source, "remux-mp4", to: scratch.path("copy.mp4"))
    #expect(kept.losses.count == 1, "\(kept.losses)")
    #expect(kept.losses.contains { $0.contains("content credentials") })
    let copy = try Data(contentsOf: URL(fileURLWithPath: scratch.path("copy.mp4")))
    #expect(copy.range(of: Data(box(xmp))) != nil)
    #expect(try media(scratch.path("copy.mp4")).sideData == [SideData(.xmp, xmp)])
    let named = try Pipeline.export(source, "remux-mkv", to: scratch.path("copy.mkv"))
    #expect(named.losses.contains { $0.contains("XMP packet") }, "\(named.losses)")
  }

  /// Cameras of Sony store XML in a box `meta` of the file.
  @Test func `metadata of cameras is kept or named`() throws {
    func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
      [0, 0, 0, UInt8(body.count + 8)] + Array(type.utf8) + body
    }
    let handler = box(
      "hdlr",
      [UInt8](repeating: 0, count: 8) + Array("nrtm".utf8) + [UInt8](repeating: 0, count: 13))
    let xml = box("xml ", [0, 0, 0, 0] + Array("<NonRealTimeMeta/>".utf8))
    let meta = box("meta", [0, 0, 0, 0] + handler + xml)
    let source = scratch.path("camera.mp4")
    let clip = try Data(contentsOf: URL(fileURLWithPath: Pipeline.clip("pattern-h264.mp4")))
    try (clip + Data(meta)).write(to: URL(fileURLWithPath: source))
    let copy = scratch.path("copy.mp4")
    #expect(try Pipeline.export(source, "remux-mp4", to: copy).losses == [])
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).range(of: Data(meta)) != nil)
    let named = try Pipeline.export(source, "remux-mkv", to: scratch.path("copy.mkv"))
    #expect(named.losses.count == 1 && named.losses[0].contains("metadata of a camera"))
  }

  /// A place name stored as coordinates would be shown as a wrong position.
  @Test func `place names are no coordinates`() throws {
    let (source, copy) = (scratch.path("place.flac"), scratch.path("place.m4a"))
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-metadata", "location=Studio 3, Berlin"]
        + [source])
    #expect(try Pipeline.export(source, "aac-160k", to: copy).losses == [])
    let tags = try media(copy)
    #expect(tags.metadata.first { $0.name.lowercased() == "location" }?.value == "Studio 3, Berlin")
    #expect(!tags.nativeTags.contains { $0.key == "\u{A9}xyz" })
  }

  /// Cameras store their firmware in the box in which FFmpeg stores its own name.
  @Test func `firmware is kept`() throws {
    let (source, copy) = (scratch.path("camera.mov"), scratch.path("copy.mp4"))
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy", source])
    var file = try Data(contentsOf: URL(fileURLWithPath: source))
    let name = try #require(file.range(of: Data("Lavf".utf8)))
    file.replaceSubrange(name, with: Data("Firm".utf8))
    try file.write(to: URL(fileURLWithPath: source))
    #expect(try Pipeline.export(source, "remux-mp4", to: copy).losses == [])
    let software = try media(copy).metadata.first { $0.name == "software" }
    #expect(software?.value.hasPrefix("Firm") == true)
  }

  /// Statistics of packets that mkvmerge writes are wrong for other packets.
  @Test func `statistics of packets are not copied to others`() throws {
    let source = scratch.path("film.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-metadata:s:a:0", "BPS=99"]
        + ["-metadata:s:a:0", "NUMBER_OF_FRAMES-eng=7", source])
    try Pipeline.export(source, "opus-128k", to: scratch.path("film.opus"))
    for tags in try [media(scratch.path("film.opus"))].flatMap({
      $0.tracks[0].metadata + $0.metadata
    }) {
      #expect(!tags.isStatistic, "\(tags)")
    }
  }

  /// The movie header stores whole seconds of UTC, so a tag also stores the date as it was given.
  @Test(arguments: ["2016-05-31 17:01:35", "2016-05-31T19:01:35.250+02:00"])
  func `a date keeps its spelling`(date: String) throws {
    let source = scratch.path("dated.mkv")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "libopus", source])
    let session = try ExportSession(
      input: source, preset: try Pipeline.preset("remux-mp4"), registry: Pipeline.registry)
    session.metadata = [
      // Matroska writes tag names in capital letters.
      MetadataItem(name: "CREATION_TIME", date), MetadataItem(name: "title", "A"),
    ]
    #expect(try session.exportAndWait(to: scratch.path("dated.mp4")).losses == [])
    let dates = try media(scratch.path("dated.mp4")).metadata.filter {
      $0.name == "creation_time"
    }
    #expect(dates.map(\.value) == [date])
    let text = try Writing.probe(
      scratch.path("dated.mp4"), ["-show_format", "-of", "default"])
    #expect(text.contains("TAG:creation_time=\(date)"), "\(text)")
  }

  /// mkvtoolnix numbers the levels of tags, such as movie, season and chapter, and nests tags.
  @Test func `levels and nested tags of Matroska stay`() throws {
    let (source, list) = (scratch.path("levels.mka"), scratch.path("levels.xml"))
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-map_metadata", "-1", "-c:a", "libopus"]
        + [source])
    func tag(_ level: Int, _ tags: String) -> String {
      "<Tag><Targets><TargetTypeValue>\(level)</TargetTypeValue></Targets>\(tags)</Tag>"
    }
    func simple(_ name: String, _ value: String, _ inner: String = "") -> String {
      "<Simple><Name>\(name)</Name><String>\(value)</String>\(inner)</Simple>"
    }
    let artist = simple("ARTIST", "Ann", simple("INSTRUMENTS", "Flute", simple("URL", "a.example")))
    let tags =
      tag(60, simple("PART_NUMBER", "2")) + tag(50, simple("TITLE", "Album"))
      + tag(30, simple("TITLE", "Song") + artist + simple("PART_NUMBER", "3") + simple("BPM", "90"))
    try Data("<Tags>\(tags)</Tags>".utf8).write(to: URL(filePath: list))
    try PluginWorkshop.run("mkvpropedit", ["-q", source, "--tags", "global:\(list)"])
    let names = Set(try media(source).metadata.filter { !$0.describesSourceFile }.map(\.name))
    #expect(names.isSuperset(of: ["ALBUM/TITLE", "TITLE", "EDITION/PART_NUMBER", "track"]))

    let session = try ExportSession(
      input: source, preset: try Pipeline.preset("remux-mkv"), registry: Pipeline.registry)
    #expect(try session.exportAndWait(to: scratch.path("out.mka")).losses == [])
    func levels(_ path: String) throws -> [String: Set<String>] {
      let text = try PluginWorkshop.run("mkvextract", [path, "tags"])
      var (level, depth, name, found) = ("", 0, "", [String: Set<String>]())
      for line in text.split(separator: "\n") {
        func value(_ element: String) -> String? {
          line.contains("<\(element)>")
            ? String(line.split(separator: ">")[1].prefix { $0 != "<" }) : nil
        }
        if line.contains("<Tag>") { level = "50" }
        if line.contains("<TrackUID>") { level = "" }
        if line.contains("<Simple>") { depth += 1 }
        if line.contains("</Simple>") { depth -= 1 }
        level = value("TargetTypeValue") ?? level
        name = value("Name") ?? name
        if let text = value("String"), level != "" {
          found[level, default: []].insert("\(depth) \(name) \(text)")
        }
      }
      return found
    }
    let before = try levels(source)
    #expect(before["30"]?.contains("3 URL a.example") == true)
    let after = try levels(scratch.path("out.mka"))
    #expect(after == before, "\(after), \(before)")
  }

  /// mkvtoolnix reads only dates of 8 bytes (RFC 8794 7.6).
  @Test func `dates near the epoch of Matroska are whole`() throws {
    let (source, out) = (scratch.path("d.mka"), scratch.path("d.mkv"))
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "libopus", source])
    try PluginWorkshop.run(
      "mkvpropedit", ["-q", source, "-e", "info", "-s", "date=2001-06-02T03:04:05Z"])
    #expect(try Pipeline.export(source, "remux-mkv", to: out).losses == [])
    #expect(try PluginWorkshop.run("mkvmerge", ["-J", out]).contains("2001-06-02T03:04:05Z"))
  }

  @Test func `the language of an audio file is that of the track`() throws {
    let source = scratch.path("l.flac")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-metadata", "LANGUAGE=fra", source])
    for (preset, name) in [("remux-mkv", "l.mkv"), ("opus-128k", "l.opus"), ("wav", "l.wav")] {
      let report = try Pipeline.export(source, preset, to: scratch.path(name))
      #expect(report.losses == [], "\(name)")
      let track = try media(scratch.path(name)).tracks[0]
      #expect(LanguageCode(track.language ?? "") == LanguageCode("fr"), "\(name)")
    }
    let out = try PluginWorkshop.run("mkvmerge", ["-J", scratch.path("l.mkv")])
    #expect(out.contains("\"language\": \"fre\""))
  }

  @Test func `chapters of FLAC keep their names beside a cue sheet`() throws {
    let source = scratch.path("cue.flac")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=duration=2:sample_rate=44100", "-metadata",
        "CHAPTER001=00:00:00.000", "-metadata", "CHAPTER001NAME=one", "-metadata",
        "CHAPTER002=00:00:01.000", "-metadata", "CHAPTER002NAME=two", source,
      ])
    // A cue sheet (RFC 9639 8.7) with two tracks and the lead-out track, placed before the other blocks.
    func track(_ number: UInt8, _ sample: UInt64, indexes: UInt8) -> [UInt8] {
      sample.bigEndianBytes + [number] + [UInt8](repeating: 0, count: 12 + 1 + 13) + [indexes]
        + (indexes == 0 ? [] : [UInt8](repeating: 0, count: 8) + [1, 0, 0, 0])
    }
    let sheet =
      [UInt8](repeating: 0, count: 128 + 8) + [0x80] + [UInt8](repeating: 0, count: 258) + [3]
      + track(1, 0, indexes: 1) + track(2, 44_100, indexes: 1) + track(170, 88_200, indexes: 0)
    var file = try Data(contentsOf: URL(fileURLWithPath: source))
    file.insert(contentsOf: [5, 0] + UInt16(sheet.count).bigEndianBytes + sheet, at: 42)
    try file.write(to: URL(fileURLWithPath: source))
    try Pipeline.export(source, "remux-mkv", to: scratch.path("cue.mkv"))
    #expect(try media(scratch.path("cue.mkv")).chapters.map(\.title) == ["one", "two"])
  }

  /// The location box of 3GPP also stores the name of the location (TS 26.244 8.12).
  @Test func `the name of a location is named`() throws {
    let source = scratch.path("place.3gp")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "aac", "-metadata"]
        + ["location=+51.5000-000.1200/London", source])
    let losses = try Pipeline.export(source, "remux-mp4", to: scratch.path("out.mp4")).losses
    #expect(losses == ["lost: the item 'loci' (London)"])
    let place = try media(scratch.path("out.mp4")).metadata.first { $0.name == "location" }
    #expect(place?.value == "+51.5000-000.1200/")
  }

  @Test func `links to other segments are named`() throws {
    let source = scratch.path("linked.mka")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "libopus", source])
    try PluginWorkshop.run(
      "mkvpropedit", ["-q", source, "-e", "info", "-s", "next-filename=second.mkv"])
    let losses = try Pipeline.export(source, "remux-mkv", to: scratch.path("out.mkv")).losses
    #expect(losses == ["lost: the links to other Matroska segments"])
  }

  @Test func `a disabled track stays disabled`() throws {
    let (source, out) = (scratch.path("off.mkv"), scratch.path("off.mp4"))
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-c", "copy", source])
    try PluginWorkshop.run(
      "mkvpropedit", ["-q", source, "-e", "track:a1", "-s", "flag-enabled=0"])
    try Pipeline.export(source, "remux-mp4", to: out)
    let sound = try #require(try media(out).tracks.first { $0.kind == .audio })
    #expect(sound.disposition.contains(.disabled))
  }
  @Test func `the chroma location is kept or named`() throws {
    let (film, copy) = (scratch.path("film.mp4"), scratch.path("film.mkv"))
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x96", "-frames:v", "3", "-pix_fmt"]
        + ["yuv420p", "-c:v", "libx264", "-x264-params", "chromaloc=2", film])
    #expect(try media(film).tracks[0].color.chromaLocation == .topLeft)
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try media(copy).tracks[0].color.chromaLocation == .topLeft)
    // These samples do not store the chroma location, and MP4 cannot store it.
    let plain = scratch.path("plain.mkv")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy", plain])
    try PluginWorkshop.run(
      "mkvpropedit",
      ["-q", plain, "-e", "track:v1", "-s", "chroma-siting-horizontal=2"]
        + ["-s", "chroma-siting-vertical=2"])
    let losses = try Pipeline.export(plain, "remux-mp4", to: scratch.path("out.mp4")).losses
    #expect(losses == ["lost: the position of chroma samples of track 1 (center)"])
  }

  @Test func `different dates of tracks are kept or named`() throws {
    let (film, copy) = (scratch.path("film.mp4"), scratch.path("film.mkv"))
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-c", "copy", "-metadata"]
        + ["creation_time=2021-05-06T07:08:09Z", film])
    // 2020-01-02T03:04:05Z in seconds from 1904.
    let date = UInt32(1_577_934_245 + 2_082_844_800).bigEndianBytes
    try Patch.apply(film, "mdhd", 1, at: 4, date)
    func dates(_ path: String) throws -> [String?] {
      try media(path).tracks.map { track in
        track.metadata.first { $0.name.lowercased() == "creation_time" }?.value
      }
    }
    #expect(try dates(film)[1] == "2020-01-02T03:04:05.000000Z")
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try dates(copy) == [nil, "2020-01-02T03:04:05.000000Z"])
    let back = scratch.path("back.mp4")
    #expect(try Pipeline.export(copy, "remux-mp4", to: back).losses == [])
    #expect(try dates(back) == dates(film))
    let losses = try Pipeline.export(film, "wav", to: scratch.path("out.wav")).losses
    #expect(losses.contains { $0.contains("2020-01-02") }, "\(losses)")
  }

  @Test func `layers are kept or named`() throws {
    let film = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy", film])
    try Patch.apply(film, "tkhd", 0, at: 32, [0xFF, 0xFF])
    #expect(try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4")).losses == [])
    let losses = try Pipeline.export(film, "remux-mkv", to: scratch.path("out.mkv")).losses
    #expect(losses == ["lost: the layer of the track (tkhd) of track 1"])
  }

  @Test func `languages of dual mono stay`() throws {
    let (stream, copy) = (scratch.path("dual.ts"), scratch.path("dual.mkv"))
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "mp2", "-metadata:s:a:0"]
        + ["language=ger,fre", stream])
    #expect(try Pipeline.export(stream, "remux-mkv", to: copy).losses == [])
    let track = try media(copy).tracks[0]
    #expect(track.language == "ger")
    #expect(track.metadata.contains { $0.value == "fre" })
  }

  @Test func `file names of covers are kept or named`() throws {
    let film = scratch.path("film.mkv")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy", film])
    try PluginWorkshop.run(
      "mkvpropedit",
      ["-q", film, "--attachment-name", "small_cover_land.png", "--add-attachment"]
        + [Pipeline.clip("still.png")])
    #expect(try Pipeline.export(film, "remux-mkv", to: scratch.path("out.mkv")).losses == [])
    let losses = try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4")).losses
    #expect(losses == ["lost: the file name of a cover (small_cover_land.png)"])
  }

  @Test func `progressive frames of codecs without field order stay so`() throws {
    let (film, out) = (scratch.path("film.mkv"), scratch.path("film.mp4"))
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x96", "-frames:v", "3", "-c:v"]
        + ["mjpeg", film])
    try PluginWorkshop.run("mkvpropedit", ["-q", film, "-e", "track:v1", "-s", "interlaced=2"])
    try Pipeline.export(film, "remux-mp4", to: out)
    #expect(try media(out).tracks[0].fieldOrder == .progressive)
  }

  /// A conversion keeps the location that a phone wrote in the user data and another one in the iTunes items.
  @Test func `two locations of one recording stay`() throws {
    let tagged = scratch.path("place.mov")
    // FFmpeg writes the movie box after the samples, so their offsets stay valid.
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "aac", "-metadata"]
        + ["location=+40.6800-074.5000/", tagged])
    // Inserts the item before the text and enlarges the boxes that contain it.
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: tagged)))
    let value = Array("+40.6892-074.0445+10.000/".utf8)
    func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
      UInt32(payload.count + 8).bigEndianBytes + type.unicodeScalars.map { UInt8($0.value) }
        + payload
    }
    let item = box("\u{A9}xyz", box("data", [0, 0, 0, 1, 0, 0, 0, 0] + value))
    let handler = box(
      "hdlr",
      [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8)
        + [UInt8](repeating: 0, count: 9))
    let meta = box("meta", [0, 0, 0, 0] + handler + box("ilst", item))
    let mark = Array("udta".utf8)
    let place = try #require(
      file.indices.first { file[$0...].starts(with: mark) })
    let movie = try #require(file.indices.first { file[$0...].starts(with: Array("moov".utf8)) })
    try #require(movie < place)
    for size in [place - 4, movie - 4] {
      let old = file[size..<size + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      file.replaceSubrange(size..<size + 4, with: (old + UInt32(meta.count)).bigEndianBytes)
    }
    file.insert(contentsOf: meta, at: place + 4)
    try Data(file).write(to: URL(fileURLWithPath: tagged))
    let out = scratch.path("out.m4a")
    let report = try Pipeline.export(tagged, "remux-mp4", to: out)
    #expect(!report.losses.contains { $0.contains("xyz") || $0.contains("location") })
    let made = try Data(contentsOf: URL(fileURLWithPath: out))
    for place in ["+40.6892-074.0445", "+40.6800-074.5000"] {
      #expect(made.range(of: Data(place.utf8)) != nil, "\(place)")
    }
    let named = try Pipeline.export(tagged, "wav", to: scratch.path("out.wav")).losses
    #expect(named.contains { $0.contains("xyz") }, "\(named)")
  }

  @Test func `the channel layout is a fact`() throws {
    var sound = TrackDescription(kind: .audio, codec: "flac", timeBase: Rational(1, 48_000))
    (sound.sampleRate, sound.channelLayout) = (48_000, ChannelLayout(mask: 0x60F))
    sound.sideData = [SideData("chan", [1]), SideData("tapt", [2])]
    let source = MediaDescription(format: "mov", tracks: [sound])
    var output = source
    output.tracks[0].sideData = []
    #expect(try losses(source, output) == [])
    // A pair of surround channels may be at the side or at the back, and added silent channels lose nothing.
    for mask: UInt64 in [0x3F, 0x63F] {
      output.tracks[0].channelLayout = ChannelLayout(mask: mask)
      #expect(try losses(source, output) == [])
    }
    output.tracks[0].channelLayout = .stereo
    #expect(
      try losses(source, output) == [
        "changed: the channel layout of track 1 from 5.1(side) to stereo"
      ])
  }

  @Test func `items, user data and further facts of chapters are named`() throws {
    var sound = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48_000))
    (sound.sampleRate, sound.channelLayout) = (48_000, .stereo)
    var source = MediaDescription(format: "mov", tracks: [sound])
    source.chapters = [
      .init(id: 1, start: 0, end: 5, title: "One", language: "eng"),
      .init(id: 2, start: 5, end: 9, title: "Zwei", language: "ger"),
    ]
    source.nativeTags = [NativeTag(keySpace: "itsk", key: "cnID", value: "12345", kind: .integer)]
    source.sideData = [
      SideData(.userData, [0, 0, 0, 12] + Array("SDLNplay".utf8)),
      SideData(.matroskaChapters, [1]),
    ]
    var output = source
    #expect(try losses(source, output) == [])
    output.chapters = source.chapters.map {
      .init(id: $0.id, start: $0.start, end: $0.end, title: $0.title)
    }
    (output.nativeTags, output.sideData) = ([], [])
    #expect(
      try losses(source, output) == [
        "lost: the chapter languages (eng | ger)",
        "lost: the editions, nesting and further titles of chapters",
        "lost: the item 'cnID' (12345)", "lost: the user data 'SDLN' (4 bytes)",
      ])
  }

  private func film(_ name: String, _ chapters: [(Int, Int)], _ arguments: [String] = []) throws
    -> String
  {
    let (path, list) = (scratch.path(name), scratch.path("chapters.txt"))
    var text = ";FFMETADATA1\n"
    for (start, end) in chapters {
      text += "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(start)\nEND=\(end)\ntitle=from \(start)\n"
    }
    try text.write(toFile: list, atomically: true, encoding: .utf8)
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=4", "-i", list,
        "-map_chapters", "1",
      ] + arguments + [path])
    return path
  }

  /// A movie that starts at 5 s starts at 0 in the output, and its chapters move with it.
  @Test func `chapters stay at their frames`() throws {
    let source = try film(
      "late.mp4", [(5000, 6000), (6000, 7000), (7000, 9000)], ["-output_ts_offset", "5"])
    #expect(try media(source).tracks[0].start ?? 0 > 0)
    for preset in ["remux-mkv", "remux-mp4"] {
      let output = scratch.path(preset)
      let report = try Pipeline.export(source, preset, to: output)
      let chapters = try media(output).chapters
      let starts = chapters.map { (Double($0.start) / 1e7).rounded() / 100 }
      #expect(starts == [0, 1, 2], "\(preset): \(chapters)")
      #expect(!report.losses.contains { $0.contains("chapter") }, "\(report.losses)")
    }
  }

  @Test(arguments: ["argb", "rgb24"])
  func `transparency that no format supports is named`(format: String) throws {
    let source = scratch.path("clear.mov")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "testsrc2=size=64x48:rate=25:duration=0.4,format=rgba,colorchannelmixer=aa=0.5", "-c:v",
        "qtrle", "-pix_fmt", format, source,
      ])
    let report = try Pipeline.export(source, "web-480p", to: scratch.path("out.mp4"))
    #expect(report.losses.contains { $0.contains("alpha channel is lost") } == (format == "argb"))
  }

  /// FFmpeg does not read APEv2 tags of MP3, where many programs store the loudness.
  @Test(arguments: [0, 128])
  func `tags after an MP3 are kept`(lengthOfID3v1: Int) throws {
    let source = scratch.path("song.mp3")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-write_xing", "0", source])
    func number(_ value: Int) -> [UInt8] {
      [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    let value = Array("-6.50 dB".utf8)
    let items = number(value.count) + number(0) + Array("REPLAYGAIN_ALBUM_GAIN\0".utf8) + value
    let foot = Array("APETAGEX".utf8) + number(2000) + number(items.count + 32) + number(1)
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source)))
    file += items + foot + number(0) + [UInt8](repeating: 0, count: 8)
    if lengthOfID3v1 > 0 { file += Array("TAG".utf8) + [UInt8](repeating: 0, count: 125) }
    try Data(file).write(to: URL(fileURLWithPath: source))
    let report = try Pipeline.export(source, "remux-mkv", to: scratch.path("song.mkv"))
    #expect(report.losses == [])
    let tags = try media(scratch.path("song.mkv")).metadata
    #expect(tags.contains(MetadataEntry("REPLAYGAIN_ALBUM_GAIN", "-6.50 dB")), "\(tags)")
  }

  @Test func `chapters of Opus are kept`() throws {
    let source = scratch.path("film.opus")
    let late = try film("film.mkv", [(0, 1000), (1000, 4000)], ["-f", "matroska"])
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("speech.wav"), "-i", late, "-map", "0:a",
        "-map_chapters", "1", "-c:a", "libopus", source,
      ])
    #expect(try media(source).chapters.map(\.title) == ["from 0", "from 1000"])
    for (preset, name) in [("remux-mkv", "out.mkv"), ("opus-128k", "out.opus")] {
      let report = try Pipeline.export(source, preset, to: scratch.path(name))
      #expect(report.losses == [])
      let chapters = try media(scratch.path(name)).chapters
      #expect(chapters.map(\.title) == ["from 0", "from 1000"])
      #expect(chapters.last?.start == 1_000_000_000)
    }
  }

  /// MP4 does not store the end of a chapter.
  @Test func `ends of chapters in front of gaps are kept or named`() throws {
    let source = try film("gaps.mkv", [(0, 1000), (1000, 1500), (2000, 4000)])
    let kept = try Pipeline.export(source, "remux-mkv", to: scratch.path("out.mkv"))
    #expect(kept.losses == [])
    let lost = try Pipeline.export(source, "remux-mp4", to: scratch.path("out.mp4"))
    #expect(lost.losses == ["lost: the ends of chapters before gaps (1.5)"])
  }

  private func losses(_ source: MediaDescription, _ output: MediaDescription) throws -> [String] {
    let preset = try Pipeline.preset("remux-mp4")
    let settings = try PresetResolver.resolve(
      preset: preset, source: source, available: Pipeline.registry.availablePlugins)
    return OutputCheck(
      source: source, settings: settings, tags: FileTags(of: source),
      trackTags: nil
    ).losses(in: output)
  }
}
