import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

@Suite struct FragmentWritingTests {
  private static func options(_ seconds: String) -> [PluginOption] {
    [PluginOption("fragment-interval", seconds)]
  }

  /// Returns the types of a file's top-level boxes.
  private func types(_ file: MemoryFile) throws -> [String] {
    var reader = ByteReader(file.bytes)
    var types: [String] = []
    while let box = try reader.nextBox() { types.append("\(box.type)") }
    return types
  }

  @Test(arguments: ["0.25", "0.01", "60"], [0, 25600] as [Int64])
  func `every packet round-trips with its times`(interval: String, late: Int64) throws {
    let movie = SyntheticMovie(lateBy: late)
    let file = try movie.file(options: Self.options(interval))
    let (media, back) = try packets(of: file)
    for track in 0...1 {
      let written = movie.packets.filter { $0.track == track }
      let read = back.filter { $0.0.track == track }
      #expect(read.map(\.0.pts) == written.map(\.pts))
      #expect(read.map(\.0.dts) == written.map(\.dts))
      #expect(read.map(\.1) == written.map { $0.buffer.map { Array($0.readOnly) } ?? [] })
      #expect(read.map { $0.0.flags.contains(.key) } == written.map { $0.flags.contains(.key) })
    }
    #expect(media.tracks[0].displayMatrix.orientation.clockwiseDegrees == 90)
    #expect(media.tracks[0].extradata == movie.media.tracks[0].extradata)
    #expect(media.metadata.contains(MetadataEntry("title", "A título")))
    let types = try types(file)
    #expect(types.prefix(2) == ["ftyp", "moov"])
    #expect(types.last == "mfra")
    #expect(types.filter { $0 == "moof" }.count == (interval == "60" ? 1 : types.count / 2 - 1))
  }

  @Test func `a truncated file plays up to its end`() throws {
    let movie = SyntheticMovie()
    let file = MemoryFile()
    let muxer = try MP4Muxer(
      media: movie.media, sink: file.byteSink, settings: MuxerSettings(options: Self.options("0.2"))
    )
    for packet in movie.packets { try muxer.write(packet) }
    // The process dies before `finish`.
    let (_, back) = try packets(of: file)
    let pictures = back.filter { $0.0.track == 0 }
    #expect(pictures.count >= 20)
    #expect(pictures.count < 30)
    let written = movie.packets.filter { $0.track == 0 }.prefix(pictures.count)
    #expect(pictures.map(\.0.pts) == written.map(\.pts))
  }

  @Test func `the index points at fragments that begin with sync samples`() throws {
    let file = try SyntheticMovie().file(options: Self.options("0.2"))
    let code = Array("mfra".utf8)
    let place = (4..<file.bytes.count - 4).last { Array(file.bytes[$0..<$0 + 4]) == code }
    let start = try #require(place) - 4
    var mfra = ByteReader(file.bytes[(start + 8)...])
    var entries: [TrackFragmentRandomAccessBox] = []
    var size: UInt32 = 0
    while case (let type, var payload)? = try mfra.nextBox() {
      if type == TrackFragmentRandomAccessBox.type {
        entries.append(try TrackFragmentRandomAccessBox(from: &payload))
      } else {
        _ = try payload.versionAndFlags()
        size = try payload.big()
      }
    }
    #expect(Int(size) == file.bytes.count - start)
    #expect(entries.map(\.trackID) == [1, 2])
    for entry in entries.flatMap(\.entries) {
      let box = Array(file.bytes[Int(entry.offset) + 4..<Int(entry.offset) + 8])
      #expect(box == Array("moof".utf8))
    }
    // The sync samples are 0, 12 and 24 of 30.
    #expect(entries[0].entries.map(\.time) == [512, 512 * 13, 512 * 25])
  }

  @Test func `linear PCM is written in runs`() throws {
    var track = TrackDescription(kind: .audio, codec: "pcm_s16le", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    track.channelLayout = .mono
    let media = MediaDescription(format: "mov", tracks: [track])
    let file = MemoryFile()
    let muxer = try MOVMuxer(
      media: media, sink: file.byteSink, settings: MuxerSettings(options: Self.options("0.5")))
    var bytes: [UInt8] = []
    for number in 0..<20 {
      let part = (0..<2000).map { UInt8(truncatingIfNeeded: number &* 7 &+ $0) }
      bytes += part
      try muxer.write(
        Packet(
          track: 0, pts: Int64(number * 1000), dts: Int64(number * 1000), duration: 1000,
          flags: .key, payload: .bytes(MediaBuffer(part))))
    }
    try muxer.finish(media)
    let (_, back) = try packets(of: file)
    #expect(back.flatMap(\.1) == bytes)
    #expect(back.first?.0.pts == 0)
    #expect(back.last.map { ($0.0.pts ?? 0) + $0.0.duration } == 20000)
  }

  @Test func `a cover and an empty track do no harm`() throws {
    var movie = SyntheticMovie()
    movie.media.tracks[1].extradata = [0x11, 0x90]
    movie.packets.removeAll { $0.track == 1 }
    let (media, back) = try packets(of: try movie.file(options: Self.options("0.2")))
    #expect(media.tracks.count == 2)
    #expect(back.count == 30)
  }
}

@Suite struct MuxerSettingsTests {
  @Test func `all properties of a track are written`() throws {
    let movie = SyntheticMovie()
    let file = try movie.file { settings in
      settings.timeScale = 12345
      settings.tracks[0].timeScale = 2500
      settings.tracks[0].naturalSize = .init(width: 80, height: 60.5)
      settings.tracks[0].references = [.init(type: "fall", track: 1)]
      settings.tracks[1].volume = 0.5
      settings.tracks[1].alternateGroup = 7
      settings.tracks[1].isEnabled = false
    }
    func payload(_ type: String, _ occurrence: Int = 0) throws -> ByteReader {
      var places: [Int] = []
      let code = Array(type.utf8)
      for place in 0..<file.bytes.count - 4 where Array(file.bytes[place..<place + 4]) == code {
        places.append(place)
      }
      let start = places[occurrence] - 4
      let size = file.bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      return ByteReader(file.bytes[(start + 8)..<(start + size)])
    }
    var reader = try payload("mvhd")
    #expect(try MovieHeaderBox(from: &reader).timeScale == 12345)
    reader = try payload("tkhd", 0)
    let video = try TrackHeaderBox(from: &reader)
    #expect((video.width, video.height) == (80 << 16, 60 << 16 | 1 << 15))
    reader = try payload("tkhd", 1)
    let sound = try TrackHeaderBox(from: &reader)
    #expect((sound.volume, sound.alternateGroup) == (0x80, 7))
    #expect(sound.flags & TrackHeaderBox.enabled == 0)
    reader = try payload("mdhd", 0)
    #expect(try MediaHeaderBox(from: &reader).timeScale == 2500)
    reader = try payload("tref")
    #expect(
      try TrackReferenceBox(from: &reader).references == [.init(type: "fall", trackIDs: [2])])
  }

  /// A common multiple of the alignments must be small enough.
  @Test(arguments: [.max, 1 << 25, 16_777_213] as [Int64])
  func `alignments that are too large are rejected`(alignment: Int64) {
    #expect(throws: MediaError.self) {
      try SyntheticMovie().file {
        $0.tracks[0].chunkAlignment = alignment
        $0.tracks[1].chunkAlignment = 4096
      }
    }
  }

  @Test func `frames after the duration are hidden`() throws {
    var movie = SyntheticMovie()
    movie.media.duration = 600_000_000
    let whole = try packets(of: try movie.file()).0
    let cut = try packets(of: try movie.file { $0.cutsAtDuration = true }).0
    #expect((whole.duration ?? 0) > 900_000_000)
    #expect(cut.duration == 600_000_000)
  }

  @Test func `clean aperture round-trips`() throws {
    var movie = SyntheticMovie()
    let aperture = CleanAperture(width: 60, height: 44, horizontalOffset: -1, verticalOffset: 1)
    movie.media.tracks[0].cleanAperture = aperture
    let media = try packets(of: try movie.file()).0
    #expect(media.tracks[0].cleanAperture == aperture)
    // An aperture that extends beyond the frame is ignored.
    movie.media.tracks[0].cleanAperture = CleanAperture(width: 65, height: 44)
    #expect(try packets(of: try movie.file()).0.tracks[0].cleanAperture == nil)
  }
}
