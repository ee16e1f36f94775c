import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Timed metadata tracks that the muxers write and the demuxer reads.
@Suite struct TimedMetadataTests {
  static let table = MetadataKeyTable(keys: [
    .init(localID: 1, namespace: "mdta", name: Array("org.example.a".utf8), dataType: .wellKnown(1))
  ])

  /// Returns a movie with about one second of video and audio, and metadata as its third track.
  private func movie(_ times: [(start: Int64, duration: Int64)]) -> SyntheticMovie {
    var movie = SyntheticMovie()
    movie.media.chapters = []
    var track = TrackDescription(kind: .data, codec: "mebx", timeBase: Rational(1, 12800))
    track.extradata = Self.table.extradata
    movie.media.tracks.append(track)
    for (number, time) in times.enumerated() {
      movie.packets.append(
        Packet(
          track: 2, pts: time.start, dts: time.start, duration: time.duration, flags: .key,
          payload: .bytes(MediaBuffer(Self.sample(number)))))
    }
    let bases = movie.media.tracks.map(\.timeBase.doubleValue)
    movie.packets.sort {
      Double($0.dts ?? 0) * bases[$0.track] < Double($1.dts ?? 0) * bases[$1.track]
    }
    return movie
  }

  private static func sample(_ number: Int) -> [UInt8] {
    MetadataSample(values: [.init(localID: 1, bytes: Array("\(number)".utf8))]).bytes
  }

  private func place(of text: String, _ bytes: [UInt8]) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: text.utf8) }
  }

  private func contains(_ text: String, _ bytes: [UInt8]) -> Bool { place(of: text, bytes) != nil }

  private struct Read: Equatable {
    var start: Int64?
    var duration: Int64
    var texts: [String]

    init(_ start: Int64, _ duration: Int64, _ texts: [String]) {
      (self.start, self.duration, self.texts) = (start, duration, texts)
    }

    init(_ packet: Packet, _ bytes: [UInt8]) {
      (start, duration) = (packet.pts, packet.duration)
      texts = MetadataSample(bytes).values.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
  }

  private func read(_ file: MemoryFile) throws -> (TrackDescription, [Read]) {
    let (media, back) = try packets(of: file)
    let index = try #require(media.tracks.firstIndex { $0.codec == "mebx" })
    return (
      media.tracks[index],
      back.filter { $0.0.track == index && !$0.0.flags.contains(.discard) }.map { Read($0, $1) }
    )
  }

  @Test(arguments: ["mp4", "mov"])
  func `samples round-trip with their times and the table of keys`(flavor: String) throws {
    let movie = movie([(0, 3200), (3200, 6400)])
    let file = try flavor == "mov" ? movie.file(MOVMuxer.self) : movie.file()
    let (track, samples) = try read(file)
    #expect(track.kind == .data && track.isTimedMetadata)
    #expect(track.extradata == Self.table.extradata)
    #expect(samples == [Read(0, 3200, ["0"]), Read(3200, 6400, ["1"])])
    // The media header for media without a specific header differs between the formats.
    #expect((contains("nmhd", file.bytes)) == (flavor == "mp4"))
    #expect((contains("gmhd", file.bytes)) == (flavor == "mov"))
    #expect(contains("meta", file.bytes))
  }

  @Test(arguments: [false, true])
  func `a gap is an empty sample`(isFragmented: Bool) throws {
    let movie = movie([(1280, 1280), (6400, 1280), (7680, 1280)])
    let options = isFragmented ? [PluginOption("fragment-interval", "0.2")] : []
    let (track, samples) = try read(try movie.file(options: options))
    #expect(track.start == 1280)
    #expect(
      samples == [
        Read(1280, 1280, ["0"]), Read(2560, 3840, []), Read(6400, 1280, ["1"]),
        Read(7680, 1280, ["2"]),
      ])
  }

  @Test(arguments: [false, true])
  func `a sample without a duration lasts until the next one or the end`(isFragmented: Bool)
    throws
  {
    let movie = movie([(0, 0), (2560, 0)])
    let options = isFragmented ? [PluginOption("fragment-interval", "0.2")] : []
    let file = try movie.file(options: options)
    let (_, samples) = try read(file)
    // The video lasts 30 times 512 units.
    #expect(samples == [Read(0, 2560, ["0"]), Read(2560, 12800, ["1"])])
  }

  @Test func `samples that begin before the movie are read from its start`() throws {
    let (track, samples) = try read(try movie([(-1280, 3840), (2560, 1280)]).file())
    #expect(track.start == 0)
    #expect(samples == [Read(0, 2560, ["0"]), Read(2560, 1280, ["1"])])
  }

  @Test func `samples that last beyond their edit are read until its end`() throws {
    var movie = movie([(0, 15360)])
    movie.media.duration = 500_000_000
    let file = try movie.file { $0.cutsAtDuration = true }
    #expect(try read(file).1 == [Read(0, 6400, ["0"])])
  }

  @Test func `a reference to the described track round-trips`() throws {
    let movie = movie([(0, 1280)])
    let file = try movie.file {
      $0.tracks[2].references = [.init(type: "cdsc", track: 0), .init(type: "cdep", track: 1)]
    }
    let (media, _) = try packets(of: file)
    #expect(
      media.references == [
        .init(track: 2, type: "cdsc", trackID: 1), .init(track: 2, type: "cdep", trackID: 2),
      ])
  }

  @Test func `a track without a table of keys is rejected with a reason`() {
    var track = TrackDescription(kind: .data, codec: "mebx", timeBase: Rational(1, 600))
    track.extradata = [0, 0, 0, 8] + Array("keys".utf8)
    let error = #expect(throws: MediaError.self) { try MP4Muxer.check(track) }
    #expect(error?.message.contains("keys") == true)
    track.extradata = Self.table.extradata
    #expect(throws: MediaError.self) { try M4AMuxer.check(track) }
    #expect(throws: Never.self) { try MOVMuxer.check(track) }
  }

  /// Returns a movie whose track has several sample entries, with the same sample for each entry in `used`.
  private func movie(of tables: [MetadataKeyTable], used: [UInt32] = [1]) -> MemoryFile {
    let bytes = Self.sample(0)
    func file(_ place: UInt32) -> [UInt8] {
      var writer = BoxWriter()
      writer.write(FileTypeBox(majorBrand: "qt  ", minorVersion: 0, compatibleBrands: ["qt  "]))
      writer.box("moov") { moov in
        moov.write(MovieHeaderBox(timeScale: 600, duration: 600, nextTrackID: 2))
        moov.box("trak") { trak in
          trak.write(TrackHeaderBox(trackID: 1, duration: 600))
          trak.box("mdia") { mdia in
            mdia.write(MediaHeaderBox(timeScale: 600, duration: 600))
            mdia.write(HandlerBox(handlerType: "meta", name: ""))
            mdia.box("minf") { minf in
              minf.box("stbl") { table in
                let head: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
                table.write(
                  SampleDescriptionBox(
                    entries: tables.map { .init(format: "mebx", payload: head + $0.extradata) }))
                let count = UInt32(used.count)
                table.write(TimeToSampleBox(runs: [.init(count: count, duration: 600)]))
                table.write(
                  SampleToChunkBox(
                    runs: used.enumerated().map {
                      .init(
                        firstChunk: UInt32($0 + 1), samplesPerChunk: 1, descriptionIndex: $1)
                    }))
                table.write(SampleSizeBox(sizes: used.map { _ in UInt32(bytes.count) }))
                table.write(ChunkOffsetBox(offsets: used.map { _ in place }))
              }
            }
          }
        }
      }
      return writer.bytes
    }
    return MemoryFile(file(UInt32(file(0).count)) + bytes)
  }

  @Test func `several tables of keys in a track are several sample descriptions`() throws {
    let other = MetadataKeyTable(keys: [
      .init(localID: 1, namespace: "mdta", name: [0x62], dataType: .wellKnown(1))
    ])
    let (track, samples) = try read(movie(of: [Self.table, Self.table]))
    #expect(track.extradata == Self.table.extradata && samples == [Read(0, 600, ["0"])])
    // A sample entry that no sample uses is ignored.
    let (media, _) = try packets(of: movie(of: [Self.table, other]))
    #expect(media.tracks.map(\.furtherSampleDescriptions) == [[]])
    let (used, first) = try packets(of: movie(of: [Self.table, other], used: [2, 1]))
    #expect(
      used.tracks[0].extradata == other.extradata && first.first?.0.sampleDescriptionIndex == 0)
    #expect(
      used.tracks[0].sampleDescriptions.map(\.extradata) == [other, Self.table].map(\.extradata))
    #expect(first.map(\.0.sampleDescriptionIndex) == [0, 1])
  }

  /// Each byte of the track's boxes is changed; the samples of files that still open are parsed and checked.
  @Test func `changed bytes of a track end in an error or in samples`() throws {
    let whole = try movie([(0, 1280), (2560, 1280)]).file().bytes
    let entry = try #require(place(of: "mebx", whole))
    var opened = 0
    for place in entry - 20..<entry + 80 {
      for value: UInt8 in [0, 1, 7, 0x7F, 0xFF] {
        var bytes = whole
        bytes[place] = value
        let file = MemoryFile(bytes)
        guard let (media, back) = try? packets(of: file) else { continue }
        opened += 1
        for (packet, bytes) in back where media.tracks[packet.track].codec == "mebx" {
          #expect(MetadataSample(bytes).values.count <= 2)
        }
        for track in media.tracks where track.codec == "mebx" { try? MP4Muxer.check(track) }
      }
    }
    #expect(opened > 100)
  }
}
