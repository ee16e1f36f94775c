import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Boxes that describe the media and are copied unchanged.
@Suite struct SideDataTests {
  private static let types: [any Muxer.Type] = [MP4Muxer.self, MOVMuxer.self, M4AMuxer.self]

  private func movie(_ codec: String, _ records: [SideData]) -> SyntheticMovie {
    var movie = SyntheticMovie()
    movie.media.tracks[0].codec = codec
    movie.media.tracks[0].sideData = records
    // The start of an hvcC record.
    if codec == "hevc" { movie.media.tracks[0].extradata = [1] + [UInt8](repeating: 0, count: 22) }
    return movie
  }

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) }
  }

  @Test(arguments: [false, true])
  func `records of a track round-trip`(inFragments: Bool) throws {
    let records = [
      SideData(.colorProfile, Array("prof".utf8) + bytes(300)),
      SideData(.masteringDisplay, bytes(24)), SideData(.contentLightLevel, bytes(4)),
      SideData(.ambientViewing, bytes(8)), SideData("dvvC", [1, 0, 0x10, 0x2D, 0x40] + bytes(19)),
      SideData("lhvC", bytes(30)), SideData("vexu", bytes(40)), SideData("hfov", bytes(4)),
      KindBox(scheme: "urn:mpeg:dash:role:2011", value: "dub").record,
      SideData(.trackLayer, [0xFF, 0xFE]),
      SideData(.userData, [0, 0, 0, 12] + Array("ludt".utf8) + bytes(4)),
    ]
    let options = inFragments ? [PluginOption("fragment-interval", "0.5")] : []
    for type in Self.types {
      let file = try movie("hevc", records + [SideData("none", [1])]).file(type, options: options)
      let (media, _) = try packets(of: file)
      #expect(media.tracks.first?.sideData == records)
      // The color description is stored beside the ICC profile.
      #expect(media.tracks.first?.color.primaries == 1)
    }
  }

  /// Groups of known types repeat what the samples say; others are named.
  @Test func `sample groups are read`() throws {
    let file = try SyntheticMovie().file()
    let code = try #require(file.bytes.firstRange(of: Array("sgpd".utf8)))
    #expect(Array(file.bytes[code.upperBound + 4..<code.upperBound + 8]) == Array("roll".utf8))
    let (plain, _) = try packets(of: file)
    #expect(plain.tracks[1].sideData == [])
    file.bytes.replaceSubrange(code.upperBound + 4..<code.upperBound + 8, with: "mine".utf8)
    let (media, _) = try packets(of: file)
    #expect(media.tracks[1].sideData.flatMap(\.unwrittenElements) == ["sample group 'mine'"])
  }

  @Test(arguments: [("aac", 1024, 1), ("opus", 960, 4), ("opus", 2880, 2), ("opus", 120, 32)])
  func `pre-roll of audio is stated`(codec: String, duration: UInt32, distance: Int) {
    let times = TimeToSampleBox(runs: [.init(count: 50, duration: duration)])
    let groups = PreRollGroups(codec: codec, times, timeBase: Rational(1, 48000))
    #expect(groups?.distance == distance)
    #expect(PreRollGroups(codec: "flac", times, timeBase: Rational(1, 48000)) == nil)
  }

  /// Viewers choose captions; a file may show none by default.
  @Test(arguments: [TrackDescription.Disposition.default, []])
  func `closed captions stay on or off`(disposition: TrackDescription.Disposition) throws {
    var movie = SyntheticMovie()
    var captions = TrackDescription(kind: .subtitle, codec: "mov_text", timeBase: Rational(1, 1000))
    captions.disposition = disposition
    movie.media.tracks.append(captions)
    movie.packets.append(
      Packet(
        track: 2, pts: 0, dts: 0, duration: 500, flags: .key,
        payload: .bytes(MediaBuffer([0, 1, 0x41]))))
    let (media, _) = try packets(of: movie.file())
    #expect(media.tracks[2].disposition == disposition)
  }

  @Test func `records of another codec are not written`() throws {
    let records = [SideData("dvvC", bytes(24)), SideData("lhvC", bytes(30)), SideData("avcE", [1])]
    let (media, _) = try packets(of: movie("mpeg4", records).file())
    #expect(media.tracks.first?.sideData == [])
  }

  /// A stream without a base layer for other decoders needs a sample entry of a Dolby Vision type.
  @Test(
    arguments: [(0x40, "", "hvc1"), (0x40, "dvh1", "dvh1"), (0, "", "dvh1"), (0, "hev1", "dvh1")]
      as [(UInt8, String, String)])
  func `Dolby Vision has its own sample entry`(compatibility: UInt8, told: String, written: String)
    throws
  {
    var movie = movie("hevc", [SideData("dvvC", [1, 0, 0x0A, 0x2D, compatibility] + bytes(19))])
    if !told.isEmpty { movie.media.tracks[0].codecTag = FourCC(told).tag }
    let file = try movie.file()
    let (media, _) = try packets(of: file)
    #expect(media.tracks.first?.codecTag == FourCC(written).tag)
    #expect(media.metadata.first { $0.name == "compatible_brands" }?.value.contains("dby1") == true)
  }

  @Test func `boxes of VP9 are read as those of ISO`() throws {
    var display = BoxWriter()
    display.versionAndFlags(0)
    for value in [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329] {
      display.u16(UInt16((value * 65536).rounded()))
    }
    display.u32(1000 * 256)
    display.u32(164)
    var reader = ByteReader(display.bytes)
    let record = SampleEntryRecords.record("SmDm", reader, of: [])
    #expect(record?.type == .masteringDisplay)
    let read = try #require(record.flatMap { MasteringDisplay($0.bytes) })
    #expect(
      read.red == .init(x: UInt16(34000), y: UInt16(16000))
        && read.whitePoint == .init(x: UInt16(15635), y: UInt16(16450)))
    #expect(read.maximumLuminance == 10_000_000 && read.minimumLuminance == 100)
    for count in 0..<display.bytes.count {
      let cut = ByteReader(Array(display.bytes.prefix(count)))
      #expect(SampleEntryRecords.record("SmDm", cut, of: []) == nil)
    }
    reader = ByteReader([0, 0, 0, 0, 3, 232, 1, 144])
    #expect(
      SampleEntryRecords.record("CoLL", reader, of: [])
        == SideData(.contentLightLevel, [3, 232, 1, 144]))
  }

  /// A single frame does not show the substreams and objects of E-AC-3.
  @Test func `the record of E-AC-3 stays as in the source`() throws {
    var movie = SyntheticMovie()
    movie.media.tracks[1].codec = "eac3"
    movie.media.tracks[1].extradata = []
    movie.media.tracks[1].sideData = [SideData("dec3", [0x0C, 0, 0x20, 0x0F, 0, 1, 0x10])]
    let (media, _) = try packets(of: movie.file())
    #expect(media.tracks[1].sideData == movie.media.tracks[1].sideData)
  }

  @Test func `unknown boxes of user data round-trip`() throws {
    var vendor = BoxWriter()
    vendor.box("smta") { $0.raw([1, 2, 3]) }
    vendor.box("XMP_") { $0.raw("<x/>".utf8) }
    var movie = SyntheticMovie()
    movie.media.sideData = [SideData(.userData, vendor.bytes), SideData("MKch", [7])]
    for type in Self.types {
      let (media, _) = try packets(of: movie.file(type))
      // MOV has its chapters as a text track, too.
      let chapters = type == MOVMuxer.self ? [SideData(.chapterTrack, [1])] : []
      #expect(media.sideData == [SideData(.userData, vendor.bytes)] + chapters)
    }
  }
}
