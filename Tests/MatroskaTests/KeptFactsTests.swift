import PluginHost
import RespoolPlugin
import Testing

@testable import Matroska

/// Round trips through the muxer and the demuxer, which must not change any fact of a file.
@Suite struct KeptFactsTests {
  private func packet(_ track: Int, _ time: Int64, _ bytes: [UInt8] = [1, 2, 3]) -> Packet {
    Packet(
      track: track, pts: time, dts: time, duration: 40, flags: .key,
      payload: .bytes(MediaBuffer(bytes)))
  }

  /// Writes a file with one video track, changed by `change`, and returns the description and packets read from it.
  private func kept(
    _ change: (inout MediaDescription) -> Void
  ) throws -> (media: MediaDescription, packets: [Packet]) {
    var track = TrackDescription(kind: .video, codec: "vp8", timeBase: Rational(1, 1000))
    (track.width, track.height) = (64, 48)
    (track.frameRate, track.baseFrameRate) = (Rational(25, 1), Rational(25, 1))
    var media = MediaDescription(format: "matroska", tracks: [track])
    change(&media)
    let file = MemoryFile(name: "kept.mkv")
    let plugin = try LoadedPlugin("Matroska")
    let muxer = try OpenMuxer(plugin, "matroska", media, file)
    for index in media.tracks.indices where media.tracks[index].disposition == .attachedPicture {
      try muxer.write(packet(index, 0, [0xFF, 0xD8, 0xFF, 0xD9]))
    }
    for time in 0..<25 { try muxer.write(packet(0, Int64(time) * 40)) }
    try muxer.finish(media)
    let demuxer = try OpenDemuxer(plugin, "matroska", MemoryFile(file.bytes, name: "kept.mkv"))
    return (demuxer.media, try demuxer.readAll())
  }

  @Test(arguments: [0, 90, 180, 270]) func `rotation is kept`(degrees: Int) throws {
    let media = try kept { $0.tracks[0].displayMatrix = DisplayMatrix(clockwiseDegrees: degrees) }
      .media
    #expect(media.tracks[0].displayMatrix.orientation.clockwiseDegrees == degrees)
  }

  @Test func `dates, title and tags are kept`() throws {
    let media = try kept {
      $0.metadata = [
        MetadataEntry("title", "Film"),
        MetadataEntry("creation_time", "2021-04-23T16:23:09.250000Z"),
        MetadataEntry("com.apple.quicktime.location.ISO6709", "+47.3700+008.5400/"),
        MetadataEntry("com.apple.quicktime.make", "Apple"), MetadataEntry("location", "+47+8/"),
      ]
    }.media
    #expect(media.metadata.contains(MetadataEntry("title", "Film")))
    #expect(media.metadata.contains(MetadataEntry("creation_time", "2021-04-23T16:23:09.250000Z")))
    #expect(
      media.metadata.contains(
        MetadataEntry("com.apple.quicktime.location.ISO6709", "+47.3700+008.5400/")))
    #expect(media.metadata.contains { $0.name == "LOCATION" && $0.value == "+47+8/" })
  }

  @Test func `a date in another spelling is kept as it is`() throws {
    let date = MetadataEntry("CREATION_TIME", "2016-05-31 17:01:35")
    let media = try kept { $0.metadata = [date] }.media
    #expect(media.metadata.filter { $0.name.lowercased() == "creation_time" } == [date])
  }

  @Test(arguments: ["png", "webp", "gif", "bmp", "tiff"])
  func `covers of every kind that readers know are kept`(codec: String) throws {
    let media = try kept { media in
      var cover = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 90000))
      cover.disposition = .attachedPicture
      media.tracks.append(cover)
    }.media
    let cover = try #require(media.tracks.first { $0.disposition == .attachedPicture })
    #expect(cover.codec == codec)
    #expect(cover.metadata.map(\.value) == ["cover.\(codec)", "image/\(codec)"])
  }

  @Test func `attached files and covers are kept with names and descriptions`() throws {
    let media = try kept { media in
      var cover = TrackDescription(kind: .video, codec: "mjpeg", timeBase: Rational(1, 90000))
      cover.disposition = .attachedPicture
      cover.metadata = [MetadataEntry("filename", "front.jpg"), MetadataEntry("title", "Front")]
      var font = TrackDescription(kind: .attachment, codec: "ttf", timeBase: Rational(1, 1000))
      font.extradata = [0, 1, 0, 0, 9]
      font.metadata = [
        MetadataEntry("filename", "A font.ttf"),
        MetadataEntry("mimetype", "application/x-truetype-font"),
        MetadataEntry("title", "for signs"),
      ]
      media.tracks += [cover, font]
    }.media
    let files = media.tracks.filter { $0.kind != .video || $0.disposition == .attachedPicture }
    #expect(files.map(\.codec) == ["mjpeg", "ttf"])
    #expect(files[1].extradata == [0, 1, 0, 0, 9])
    #expect(
      files[1].metadata.map(\.value) == ["A font.ttf", "application/x-truetype-font", "for signs"])
    #expect(files[0].metadata.map(\.value) == ["front.jpg", "image/jpeg", "Front"])
  }

  @Test func `languages, name and flags of a track are kept`() throws {
    let flags: TrackDescription.Disposition = [
      .forced, .original, .commentary, .hearingImpaired, .visualImpaired,
    ]
    let track = try kept {
      $0.tracks[0].language = "zh-Hant"
      $0.tracks[0].metadata = [MetadataEntry("title", "Bild")]
      $0.tracks[0].disposition = flags
    }.media.tracks[0]
    #expect(track.language == "zh-Hant")
    #expect(track.metadata == [MetadataEntry("title", "Bild")])
    #expect(track.disposition == flags)
  }

  @Test func `color, mastering display, light levels and Dolby Vision configuration are kept`()
    throws
  {
    let records = [
      SideData("mdcv", (0..<24).map { UInt8($0) }), SideData("clli", [3, 232, 1, 144]),
      SideData("dvcC", [1, 0, 16, 9] + [UInt8](repeating: 0, count: 20)),
    ]
    let color = ColorDescription(
      primaries: 9, transfer: 16, matrix: 9, range: .limited, chromaLocation: .topLeft)
    let track = try kept {
      $0.tracks[0].color = color
      $0.tracks[0].sideData = records
    }.media.tracks[0]
    #expect(track.color == color)
    #expect(track.sideData.filter { $0.type != "MKdd" } == records)
  }

  @Test func `field order, pixel aspect ratio, cropping and frame rate are kept`() throws {
    let track = try kept {
      $0.tracks[0].fieldOrder = .bottomFirst
      $0.tracks[0].sampleAspect = Rational(4, 3)
      $0.tracks[0].cleanAperture = CleanAperture(width: 60, height: 48, horizontalOffset: 1)
    }.media.tracks[0]
    #expect(track.fieldOrder == .bottomFirst)
    #expect(track.sampleAspect == Rational(4, 3))
    #expect(track.cleanAperture?.width == Rational(60, 1))
    #expect(track.frameRate == Rational(25, 1))
    #expect(track.baseFrameRate == Rational(25, 1))
  }

  @Test func `elements that only Matroska has are kept`() throws {
    var durations = EBMLWriter()
    durations.unsigned(.defaultDuration, UInt64(39_999_999), length: nil)
    durations.unsigned(.defaultDecodedFieldDuration, UInt64(20_000_000), length: nil)
    var additions = EBMLWriter()
    additions.master(.blockAdditionMapping) { element in
      element.unsigned(.blockAddIDValue, 4)
      element.unsigned(.blockAddIDType, 5)
    }
    var copied = EBMLWriter()
    copied.master(.trackEntry) { $0.unsigned(.minCache, 1) }
    copied.master(.colour) { $0.unsigned(.bitsPerChannel, 8) }
    let records = [
      SideData("MKdd", durations.bytes), SideData("MKcn", Array("Codec of somebody".utf8)),
      SideData("MKtd", [1]), SideData("MKdu", [1]), SideData("MKsm", [3]),
      SideData("MKba", additions.bytes),
      SideData("MKel", copied.bytes),
    ]
    let track = try kept { $0.tracks[0].sideData = records }.media.tracks[0]
    #expect(track.sideData == records)
  }

  @Test func `an element that is stored twice is written once`() throws {
    func copied(_ values: [UInt64]) -> SideData {
      var writer = EBMLWriter()
      writer.master(.trackEntry) { for value in values { $0.unsigned(.minCache, value) } }
      return SideData("MKel", writer.bytes)
    }
    var elements = CopiedElements([copied([1, 2])])
    #expect(elements.record == copied([1]))
    elements.add(CopiedElements([copied([3])]))
    #expect(elements.record == copied([1]))
  }

  @Test(arguments: ["WEBVTT\n\nSTYLE\n::cue { color: red }\n", "WEBVTT\n"])
  func `the header of WebVTT is kept`(header: String) throws {
    let media = try kept {
      var text = TrackDescription(
        kind: .subtitle, codec: "webvtt", timeBase: Rational(1, 1000))
      text.extradata = Array(header.utf8)
      $0.tracks.append(text)
    }.media
    let text = try #require(media.tracks.first { $0.kind == .subtitle })
    #expect(text.codec == "webvtt")
    // FFmpeg supports only the form without a header.
    #expect(text.extradata == (header.contains("STYLE") ? Array(header.utf8) : []))
  }

  @Test func `timestamps in cues are stored relative to the block`() throws {
    func text(_ time: String) -> [UInt8] { Array("a <\(time)>b <i>c</i> <x".utf8) }
    #expect(CueTimestamps.moved(text("00:01.500"), by: 500) == text("00:00:02.000"))
    #expect(CueTimestamps.moved(text("01:00:01.500"), by: -500) == text("01:00:01.000"))
    #expect(CueTimestamps.moved(text("00:01.500"), by: -2000) == text("00:00:00.000"))
    #expect(CueTimestamps.moved(text("00:01.500"), by: 0) == text("00:01.500"))
    for other in ["1", "a:01.000", "00:01", "00:01.5", "-1:00:00.000"] {
      #expect(CueTimestamps.moved(text(other), by: 500) == text(other))
    }
  }

  @Test func `a projection that is not flat and an alpha channel are kept`() throws {
    var writer = EBMLWriter()
    writer.unsigned(.projectionType, 1)
    writer.float(.projectionPoseYaw, 10)
    let record = SideData("MKpj", writer.bytes)
    let track = try kept { $0.tracks[0].sideData = [record] }.media.tracks[0]
    #expect(track.sideData.filter { $0.type != "MKdd" } == [record])
  }

  @Test func `the title of the file beside the title of a tag is kept`() throws {
    let titles = [MetadataEntry("SegmentTitle", "Movie"), MetadataEntry("title", "Film")]
    let media = try kept { $0.metadata = titles }.media
    let stated = Dictionary(
      uniqueKeysWithValues: media.metadata.map { ($0.name.lowercased(), $0.value) })
    #expect(stated["segmenttitle"] == "Movie" && stated["title"] == "Film")
  }

  /// The default frame duration is also stored for video with a variable frame rate.
  @Test func `the default duration of a variable frame rate is kept`() throws {
    var durations = EBMLWriter()
    durations.unsigned(.defaultDuration, UInt64(40_000_000), length: nil)
    let record = SideData("MKdd", durations.bytes)
    let track = try kept {
      $0.tracks[0].baseFrameRate = .unknown
      $0.tracks[0].sideData = [record]
    }.media.tracks[0]
    #expect(track.sideData == [record])
    // Video encoded at another frame rate does not keep the stored duration.
    let other = try kept {
      ($0.tracks[0].frameRate, $0.tracks[0].baseFrameRate) = (Rational(15, 1), .unknown)
      $0.tracks[0].sideData = [record]
    }.media.tracks[0]
    #expect(other.sideData.isEmpty)
  }

  @Test func `the date of the file beside the date of a tag is kept`() throws {
    let dates = [
      MetadataEntry("DateUTC", "2025-08-14T13:06:12.000000Z"),
      MetadataEntry("creation_time", "2016-05-31 17:01:35"),
    ]
    let media = try kept { $0.metadata = dates }.media
    func stated(_ media: MediaDescription) -> [String: String] {
      Dictionary(uniqueKeysWithValues: media.metadata.map { ($0.name.lowercased(), $0.value) })
    }
    #expect(stated(media)["dateutc"] == dates[0].value)
    #expect(stated(media)["creation_time"] == dates[1].value)
    let one = try kept { $0.metadata = [dates[1]] }.media
    #expect(stated(one)["dateutc"] == nil && stated(one)["creation_time"] == dates[1].value)
  }

  @Test func `nested chapters in two languages, editions and their tags are kept`() throws {
    var chapters = EBMLWriter()
    chapters.master(.editionEntry) { edition in
      edition.unsigned(.editionUID, 11)
      edition.unsigned(.editionFlagDefault, 1)
      edition.master(.chapterAtom) { atom in
        atom.unsigned(.chapterUID, 21)
        atom.unsigned(.chapterTimeStart, 0)
        atom.unsigned(.chapterTimeEnd, 500_000_000)
        for (title, language) in [("One", "eng"), ("Eins", "ger")] {
          atom.master(.chapterDisplay) { display in
            display.text(.chapString, title)
            display.text(.chapLanguage, language)
          }
        }
        atom.master(.chapterAtom) { inner in
          inner.unsigned(.chapterUID, 22)
          inner.unsigned(.chapterTimeStart, 200_000_000)
        }
      }
    }
    var tags = EBMLWriter()
    tags.master(.tag) { tag in
      tag.master(.targets) { $0.unsigned(.tagChapterUID, 21) }
      tag.master(.simpleTag) { simple in
        simple.text(.tagName, "ACTOR")
        simple.text(.tagString, "Anna")
      }
    }
    let records = [
      SideData(.matroskaChapters, chapters.bytes), SideData(.matroskaChapterTags, tags.bytes),
    ]
    let list = [
      MediaDescription.Chapter(id: 21, start: 0, end: 500_000_000, title: "One", language: "eng")
    ]
    let media = try kept {
      $0.chapters = list
      $0.sideData = records
    }.media
    #expect(media.chapters == list)
    #expect(media.sideData == records)
  }

  @Test func `a flat list of chapters is kept`() throws {
    let list = [
      MediaDescription.Chapter(id: 1, start: 0, end: 400_000_000, title: "Eins", language: "de-CH"),
      MediaDescription.Chapter(
        id: 2, start: 400_000_000, end: 900_000_000, title: "Zwei", language: "fre"),
    ]
    let media = try kept { $0.chapters = list }.media
    #expect(media.chapters == list)
    #expect(media.sideData.isEmpty)
  }

  @Test func `titles of several languages are kept, with their default`() throws {
    let tags = [("Standard", nil), ("Le titre", "fre"), ("Il titolo", "it-CH")].map {
      NativeTag(keySpace: "x", key: "k", name: "title", value: $0.0, language: $0.1)
    }
    let media = try kept {
      $0.metadata = tags.map { MetadataEntry("title", $0.value) }
      $0.nativeTags = tags
    }.media
    #expect(
      media.metadata.filter { $0.name.lowercased() == "title" }.map(\.value)
        == tags.map(\.value))
    #expect(media.nativeTags.map(\.language) == [nil, "fre", "it-CH"])
  }

  @Test func `a text that is not the default comes after others of its name`() throws {
    var writer = EBMLWriter()
    writer.master(.tag) { tag in
      for (text, isDefault) in [("Le titre", 0), ("Il titolo", 1)] {
        tag.master(.simpleTag) {
          $0.text(.tagName, "TITLE")
          $0.text(.tagString, text)
          $0.unsigned(.tagDefault, isDefault)
        }
      }
    }
    var reader = TagReader()
    #expect(reader.read([EBMLElement(.tags, in: "", payload: ByteReader(writer.bytes))]) == nil)
    var media = MediaDescription(format: "matroska")
    media.add(reader, tracks: [:], attachments: [:])
    #expect(media.metadata.map(\.value) == ["Il titolo", "Le titre"])
  }
}
