import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Tracks with several sample descriptions, used one after the other.
@Suite struct SampleFormatsTests {
  /// Returns a movie whose video track has two formats with twelve frames each.
  private func movie() -> SyntheticMovie {
    var movie = SyntheticMovie(pictures: 24, sounds: 4)
    var wide = movie.media.tracks[0]
    (wide.width, wide.height, wide.extradata) = (128, 48, [0, 0, 1, 0xB0, 2])
    wide.sampleAspect = Rational(1, 1)
    movie.media.tracks[0].furtherSampleDescriptions = [wide]
    for index in movie.packets.indices
    where movie.packets[index].track == 0 && movie.packets[index].dts ?? 0 >= 11 * 512 {
      movie.packets[index].sampleDescriptionIndex = 1
    }
    return movie
  }

  @Test(arguments: ["mp4", "mov"])
  func `each packet round-trips with its sample description`(flavor: String) throws {
    let movie = movie()
    let file = try flavor == "mov" ? movie.file(MOVMuxer.self) : movie.file()
    let (media, back) = try packets(of: file)
    let formats = media.tracks[0].sampleDescriptions
    #expect(formats.map(\.width) == [64, 128])
    #expect(formats.map(\.extradata) == [[0, 0, 1, 0xB0, 1], [0, 0, 1, 0xB0, 2]])
    #expect(formats.map(\.sampleAspect) == [Rational(4, 3), Rational(1, 1)])
    #expect(formats[1].displayMatrix == formats[0].displayMatrix && formats[1].id == formats[0].id)
    #expect(media.tracks[1].furtherSampleDescriptions.isEmpty)
    let pictures = back.filter { $0.0.track == 0 }
    #expect(
      pictures.map(\.0.sampleDescriptionIndex)
        == [Int](repeating: 0, count: 12) + [Int](repeating: 1, count: 12))
    let written = movie.packets.filter { $0.track == 0 }
    #expect(
      pictures.map(\.1) == written.map { Array($0.buffer?.readOnly ?? .init(start: nil, count: 0)) }
    )
    #expect(back.filter { $0.0.track == 1 }.allSatisfy { $0.0.sampleDescriptionIndex == 0 })
  }

  @Test func `the sample description is also reported after a seek`() throws {
    let file = try movie().file()
    let demuxer = try ISOMediaDemuxer(source: file.byteSource, settings: .init())
    try demuxer.select([true, false])
    try demuxer.seek(track: 0, to: 12 * 512)
    #expect(try demuxer.read()?.sampleDescriptionIndex == 1)
    try demuxer.seek(track: 0, to: 0)
    #expect(try demuxer.read()?.sampleDescriptionIndex == 0)
  }

  @Test func `equal sample descriptions are one`() throws {
    var movie = movie()
    movie.media.tracks[0].furtherSampleDescriptions = [movie.media.tracks[0].sampleDescriptions[0]]
    let (media, back) = try packets(of: try movie.file())
    #expect(media.tracks[0].furtherSampleDescriptions.isEmpty)
    #expect(back.allSatisfy { $0.0.sampleDescriptionIndex == 0 })
  }

  /// Sample descriptions that no sample uses are ignored, even the first.
  @Test func `the description of the first sample is that of the track`() throws {
    var movie = movie()
    for index in movie.packets.indices where movie.packets[index].track == 0 {
      movie.packets[index].sampleDescriptionIndex = 1
    }
    let (media, back) = try packets(of: try movie.file())
    #expect(media.tracks[0].width == 128 && media.tracks[0].furtherSampleDescriptions.isEmpty)
    #expect(back.allSatisfy { $0.0.sampleDescriptionIndex == 0 })
  }

  @Test func `packets with a sample description of another track are rejected`() throws {
    var movie = movie()
    movie.packets[0].sampleDescriptionIndex = 2
    let error = #expect(throws: MediaError.self) { try movie.file() }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `fragments name the sample description of their samples`() throws {
    let bytes = FragmentedMovie.bytes(configurations: [[0x11, 0x90], [0x12, 0x10]])
    let (media, back) = try packets(of: MemoryFile(bytes))
    #expect(media.tracks[0].sampleDescriptions.map(\.extradata) == [[0x11, 0x90], [0x12, 0x10]])
    #expect(back.map(\.0.sampleDescriptionIndex) == [0, 0, 0, 1, 1, 1])
  }

  /// Streaming services start with some seconds that are not encrypted.
  @Test func `samples that are encrypted later are reported and ignored`() throws {
    let bytes = FragmentedMovie.bytes(
      configurations: [[0x11, 0x90], [0x12, 0x10]], format: "enca")
    let file = MemoryFile(bytes)
    let demuxer = try ISOMediaDemuxer(source: file.byteSource, settings: .init())
    let error = #expect(throws: MediaError.self) { try demuxer.read() }
    #expect(error?.message.contains("encrypted") == true)
    var count = 0
    while try demuxer.read() != nil { count += 1 }
    #expect(count == 3)
  }

  @Test func `fragments with several sample descriptions are not written`() throws {
    let error = #expect(throws: MediaError.self) {
      try movie().file(options: [PluginOption("fragment-interval", "1")])
    }
    #expect(error?.code == .unsupported && error?.track == 0, "\(String(describing: error))")
  }

  /// Every index of a sample description is replaced with one that does not exist.
  @Test(arguments: [0, 3, UInt32.max])
  func `an index without a description means that of the track`(index: UInt32) throws {
    var bytes = try movie().file().bytes
    let table = try #require(bytes.firstRange(of: Array("stsc".utf8))?.upperBound)
    let count = Int(bytes[table + 7])
    for run in 0..<count {
      bytes.replaceSubrange(
        (table + 16 + 12 * run)..<(table + 20 + 12 * run), with: index.bigEndianBytes)
    }
    let (media, back) = try packets(of: MemoryFile(bytes))
    #expect(media.tracks[0].width == 64 && media.tracks[0].furtherSampleDescriptions.isEmpty)
    #expect(back.count == 28 && back.allSatisfy { $0.0.sampleDescriptionIndex == 0 })
  }
}
