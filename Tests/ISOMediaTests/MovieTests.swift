import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

@Suite struct MovieTests {
  @Test(arguments: [true, false])
  func `every packet round-trips with its times`(isFirst: Bool) throws {
    let movie = SyntheticMovie()
    let file = try movie.file(options: [PluginOption("faststart", "\(isFirst)")])
    let (_, back) = try packets(of: file)
    for track in 0...1 {
      let written = movie.packets.filter { $0.track == track }
      let read = back.filter { $0.0.track == track }
      #expect(read.map(\.0.pts) == written.map(\.pts))
      #expect(read.map(\.0.dts) == written.map(\.dts))
      #expect(read.map(\.1) == written.map { $0.buffer.map { Array($0.readOnly) } ?? [] })
      #expect(
        read.map { $0.0.flags.contains(.key) } == written.map { $0.flags.contains(.key) })
    }
    let moov = try #require(place(of: "moov", in: file.bytes))
    let mdat = try #require(place(of: "mdat", in: file.bytes))
    #expect((moov < mdat) == isFirst)
  }

  @Test(arguments: ["0", "0.2"])
  func `the media of an edit at another rate keeps its times`(interval: String) throws {
    var movie = SyntheticMovie()
    for track in 0...1 {
      movie.media.tracks[track].edits = [
        .init(presentationStart: 0, duration: 1, mediaStart: 0, rate: 2)
      ]
    }
    // The muxer takes the times in half the units of the media.
    let base = SyntheticMovie().packets
    let file = try movie.file(options: [PluginOption("fragment-interval", interval)])
    let (media, back) = try packets(of: file)
    #expect(media.tracks.map(\.timeBase) == [Rational(1, 25600), Rational(1, 96000)])
    #expect(media.tracks.map { $0.edits.map(\.rate) } == [[2], [2]])
    #expect(media.tracks[0].frameRate == Rational(50, 1))
    for track in 0...1 {
      let written = base.filter { $0.track == track }
      let read = back.filter { $0.0.track == track }
      #expect(read.map(\.0.pts) == written.map(\.pts))
      #expect(read.map(\.1) == written.map { $0.buffer.map { Array($0.readOnly) } ?? [] })
    }
  }

  @Test func `track descriptions round-trip`() throws {
    let movie = SyntheticMovie()
    let (media, back) = try packets(of: try movie.file())
    let video = media.tracks[0]
    #expect(video.codec == "mpeg4")
    #expect(video.extradata == movie.media.tracks[0].extradata)
    #expect(video.displayMatrix.orientation.clockwiseDegrees == 90)
    #expect(video.sampleAspect == Rational(4, 3))
    #expect(video.color == .bt709)
    #expect(video.frameRate == Rational(25, 1))
    let sound = media.tracks[1]
    #expect(sound.initialPadding == 1024)
    #expect(sound.language == "deu")
    #expect(sound.extradata == [0x11, 0x90])
    #expect(media.chapters.map(\.title) == ["One", "Two"])
    #expect(media.chapters.map(\.start) == [0, 500_000_000])
    let names = Dictionary(media.metadata.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(names["title"] == "A título")
    #expect(names["track"] == "3/12")
    #expect(names["mine"] == "kept")
    // The encoder delay is decoded and discarded.
    #expect(back.first { $0.0.track == 1 }?.0.flags.contains(.discard) == true)
  }

  @Test func `dates of the movie and of its tracks round-trip, and no clock is read`() throws {
    var movie = SyntheticMovie()
    let (first, second) = ("2013-06-01T17:37:26.000000Z", "2033-05-18T03:33:20.000000Z")
    // A tag stores the fraction and the time zone, which the headers cannot store.
    let told = "2013-06-01T19:37:26.5+02:00"
    movie.media.metadata.append(MetadataEntry("creation_time", told))
    movie.media.tracks[1].metadata.append(MetadataEntry("CREATION_TIME", second))
    for type in [MP4Muxer.self, MOVMuxer.self, M4AMuxer.self] as [any Muxer.Type] {
      let (media, _) = try packets(of: try movie.file(type))
      let dates = ([media.metadata] + media.tracks.map(\.metadata)).map { entries in
        entries.filter { $0.name == "creation_time" }.map(\.value)
      }
      #expect(dates.prefix(3) == [[told], [first], [second]])
    }
    let (undated, _) = try packets(of: try SyntheticMovie().file())
    let all = undated.metadata + undated.tracks.flatMap(\.metadata)
    #expect(!all.contains { $0.name == "creation_time" })
  }

  @Test(arguments: ["true", "false"])
  func `chapters round-trip`(asTrack: String) throws {
    let file = try SyntheticMovie().file(options: [PluginOption("chapter-track", asTrack)])
    let (media, _) = try packets(of: file)
    #expect(media.tracks.count == (asTrack == "true" ? 3 : 2))
    #expect(media.chapters.map(\.title) == ["One", "Two"])
    #expect(media.chapters.map(\.start) == [0, 500_000_000])
  }

  /// AAC decodes to whole frames, so the last one is trimmed; the last ALAC frame stores its own length.
  @Test(arguments: [("aac", 324), ("alac", 0)])
  func `the last sample is cut if it decodes to more`(codec: String, trimmed: Int64) throws {
    var movie = SyntheticMovie(pictures: 0)
    movie.media.tracks.remove(at: 0)
    movie.media.chapters = []
    if codec == "alac" {
      movie.media.tracks[0].codec = codec
      // The magic cookie: 1024 audio samples per frame, 16 bits, 2 channels, 48,000 Hz.
      movie.media.tracks[0].extradata =
        [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0, 0, 0, 4, 0, 0, 16, 40, 10, 14, 2]
        + [0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xBB, 0x80]
    }
    for index in movie.packets.indices { movie.packets[index].track = 0 }
    movie.packets[movie.packets.count - 1].duration = 700
    let (media, back) = try packets(
      of: try movie.file(), timing: .exactEnd)
    #expect(media.tracks[0].codec == codec)
    #expect(back.last?.0.trimEnd == trimmed)
  }

  @Test func `a late track stays late`() throws {
    let (media, back) = try packets(of: try SyntheticMovie(lateBy: 12800).file())
    #expect(media.tracks[0].start == 12800)
    #expect(back.filter { $0.0.track == 0 }.compactMap(\.0.pts).min() == 12800)
    #expect(back.filter { $0.0.track == 1 }.compactMap(\.0.pts).min() == -1024)
  }

  @Test func `the same input gives the same bytes`() throws {
    #expect(try SyntheticMovie().file().bytes == SyntheticMovie().file().bytes)
  }

  @Test func `seeking stops at the sync sample before`() throws {
    let file = try SyntheticMovie().file()
    let demuxer = try ISOMediaDemuxer(source: file.byteSource, settings: .init())
    try demuxer.select([true, false] + demuxer.media.tracks.dropFirst(2).map { _ in false })
    try demuxer.seek(track: 0, to: 14 * 512)
    let first = try #require(try demuxer.read())
    #expect(first.pts == Int64(6144))
    #expect(first.flags.contains(.key))
  }

  @Test func `audio is stored exactly in QuickTime`() throws {
    var movie = SyntheticMovie()
    var sound = TrackDescription(kind: .audio, codec: "pcm_s24le", timeBase: Rational(1, 44100))
    sound.sampleRate = 44100
    sound.channelLayout = .stereo
    movie.media.tracks = [sound]
    movie.media.chapters = []
    let bytes = (0..<6 * 3000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    movie.packets = [
      Packet(
        track: 0, pts: 0, dts: 0, duration: 3000, flags: .key,
        payload: .bytes(MediaBuffer(bytes)))
    ]
    let (media, back) = try packets(of: try movie.file(MOVMuxer.self))
    #expect(media.tracks[0].codec == "pcm_s24le")
    #expect(media.tracks[0].duration == 3000)
    #expect(back.flatMap(\.1) == bytes)
    #expect(back.map(\.0.pts) == [0, 1024, 2048])
  }

  @Test func `a codec that does not fit is rejected with a reason`() {
    var track = TrackDescription(kind: .audio, codec: "vorbis", timeBase: Rational(1, 48000))
    track.sampleRate = 48000
    track.channelLayout = .stereo
    #expect(throws: MediaError.self) { try MP4Muxer.check(track) }
    track.codec = "aac"
    #expect(throws: Never.self) { try MP4Muxer.check(track) }
  }

  @Test func `files are recognized by their boxes`() throws {
    let file = try SyntheticMovie().file()
    #expect(file.bytes.withUnsafeBytes { ISOMediaDemuxer.probe($0, name: "a") } == 100)
    let text = Array("<html>nothing of the kind</html>".utf8)
    #expect(text.withUnsafeBytes { ISOMediaDemuxer.probe($0, name: "a.mp4") } == 0)
  }

  /// Returns the offset of a top-level box.
  private func place(of type: FourCC, in bytes: [UInt8]) -> Int? {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      let start = reader.position
      guard let box = try? reader.nextBox() else { return nil }
      if box.type == type { return start }
    }
    return nil
  }
}
