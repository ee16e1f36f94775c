import PluginHost
import RespoolMedia
import Testing

@Suite struct OggTests {
  @Test func `packets round-trip with their times`() throws {
    var packets = opusPackets(120)
    packets[119].trimEnd = 500
    let bytes = try oggFile(packets, metadata: [MetadataEntry("title", "Tïtle")])
    let demuxer = try openOgg(bytes)
    let track = try #require(demuxer.media.tracks.first)
    #expect(track.codec == "opus")
    #expect(track.initialPadding == 312)
    #expect(track.duration == Int64(120 * 960 - 312 - 500))
    #expect(demuxer.media.metadata == [MetadataEntry("title", "Tïtle")])
    let back = try demuxer.readAll()
    #expect(back.map(\.pts) == packets.map(\.pts))
    #expect(
      back.map { $0.buffer.map { Array($0.readOnly) } }
        == packets.map { $0.buffer.map { Array($0.readOnly) } })
    #expect(back.first?.trimStart == 312)
    #expect(back.last?.trimEnd == 500)
    #expect(back.dropFirst().dropLast().allSatisfy { $0.trimStart == 0 && $0.trimEnd == 0 })
  }

  @Test func `pages last a second and the last one ends the stream`() throws {
    let pages = try pages(try oggFile(opusPackets(120)))
    #expect(pages.map(\.flags) == [2, 0, 0, 0, 4])
    #expect(pages.map(\.granule) == [0, 0, 48000, 96000, 115200])
  }

  @Test(arguments: [10, 120])
  func `a truncated file ends early`(count: Int) throws {
    let whole = try oggFile(opusPackets(count))
    #expect(try !openOgg(whole).media.endsEarly)
    #expect(try openOgg(Array(whole.dropLast(300))).media.endsEarly)
  }

  @Test func `chapters are comments`() throws {
    let chapters = [
      MediaDescription.Chapter(id: 1, start: 0, end: 1_500_000_000, title: "One"),
      MediaDescription.Chapter(id: 2, start: 1_500_000_000, end: 2_380_000_000, title: ""),
    ]
    let file = MemoryFile(name: "test.opus")
    let media = MediaDescription(format: "ogg", tracks: [opusTrack()], chapters: chapters)
    let muxer = try OpenMuxer(try LoadedPlugin("Ogg"), "ogg", media, file)
    for packet in opusPackets(120) { try muxer.write(packet) }
    try muxer.finish(media)
    let back = try openOgg(file.bytes).media
    #expect(back.chapters.map(\.start) == chapters.map(\.start))
    #expect(back.chapters.map(\.title) == ["One", ""])
    #expect(back.chapters.first?.end == 1_500_000_000)
    #expect(back.metadata == [])
  }

  @Test func `the same input gives the same bytes`() throws {
    #expect(try oggFile(opusPackets(10)) == oggFile(opusPackets(10)))
  }

  @Test func `a first time below the encoder's delay is hidden`() throws {
    // Like an edit list that hides more than the encoder delay, which makes the pre-skip larger.
    let demuxer = try openOgg(try oggFile(opusPackets(10, from: -2000)))
    #expect(demuxer.media.tracks[0].initialPadding == 2000)
    let back = try demuxer.readAll()
    #expect(back.prefix(2).allSatisfy { $0.flags.contains(.discard) })
    #expect(back[2].trimStart == 80)
  }

  @Test func `a late start and gaps are filled with silence`() throws {
    var packets = opusPackets(4, from: 9600 - 312)
    packets[3].pts = packets[3].pts.map { $0 + 1920 }
    let back = try openOgg(try oggFile(packets)).readAll()
    #expect(back.count == 10 + 3 + 2 + 1)
    #expect(back.prefix(10).allSatisfy { $0.size == 1 })
    #expect(back[10].pts == packets[0].pts)
    #expect(back.last?.pts == packets[3].pts)
  }

  @Test func `covers are stored in the comments`() throws {
    var cover = TrackDescription(kind: .video, codec: "png", timeBase: Rational(1, 1000))
    cover.disposition = .attachedPicture
    cover.width = 4
    cover.height = 3
    let picture = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let packet = Packet(
      track: 1, pts: 0, dts: 0, flags: .key, payload: .bytes(MediaBuffer(picture)))
    let demuxer = try openOgg(try oggFile(opusPackets(3) + [packet], tracks: [opusTrack(), cover]))
    #expect(demuxer.media.tracks.map(\.codec) == ["opus", "png"])
    #expect(demuxer.media.tracks[1].width == 4)
    let back = try demuxer.readAll()
    #expect(back.first { $0.track == 1 }?.buffer.map { Array($0.readOnly) } == picture)
  }

  @Test func `chained streams follow one another`() throws {
    let one = try oggFile(opusPackets(10))
    let two = try oggFile(opusPackets(5))
    let demuxer = try openOgg(one + two)
    let back = try demuxer.readAll()
    #expect(back.count == 15)
    #expect(back[10].flags.contains(.discontinuity))
    #expect(back[10].pts == Int64(10 * 960 - 312 - 312))
    #expect(back[10].trimStart == 312)
  }

  @Test func `seeking stops before the time with pre-roll`() throws {
    let demuxer = try openOgg(try oggFile(opusPackets(1000)))
    let all = try openOgg(try oggFile(opusPackets(1000))).readAll().compactMap(\.pts)
    for time: Int64 in [0, 1, 48000, 500_000, 900_000] {
      try demuxer.seek(track: 0, to: time)
      let first = try #require(try demuxer.read()?.pts)
      #expect(all.contains(first))
      #expect(first <= max(-312, time - 3840))
      #expect(first > time - 3840 - 2 * 48000 - 960)
    }
  }

  @Test func `junk between pages is skipped`() throws {
    let packets = opusPackets(120)
    let whole = try oggFile(packets)
    let boundary = try #require(
      (0..<whole.count - 4).filter { Array(whole[$0..<$0 + 4]) == Array("OggS".utf8) }.last)
    var damaged = whole
    damaged.insert(contentsOf: Array("OggS junk".utf8), at: boundary)
    #expect(try openOgg(damaged).readAll().count == 120)
  }

  /// A damaged page is left out as a whole, and another one takes its place.
  @Test func `audio after a damaged comment header is read, and the damage is reported`() throws {
    let packets = opusPackets(100)
    var bytes = try oggFile(packets, metadata: [MetadataEntry("title", "Song")])
    let title = Array("Song".utf8)
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: title) })
    bytes[place] ^= 1
    let demuxer = try openOgg(bytes)
    #expect(
      try demuxer.media.metadata.isEmpty
        && demuxer.media.duration == openOgg(oggFile(packets)).media.duration)
    let error = #expect(throws: MediaError.self) { try demuxer.read() }
    #expect(
      error?.message.contains("no complete comment header") == true, "\(String(describing: error))")
    var count = 0
    while try demuxer.read() != nil { count += 1 }
    #expect(count == packets.count)
  }

  @Test func `truncated files end cleanly`() throws {
    let whole = try oggFile(opusPackets(60, size: 20))
    var counts: Set<Int> = []
    for length in stride(from: 0, to: whole.count, by: 7) {
      do throws(MediaError) {
        let file = MemoryFile(Array(whole.prefix(length)), name: "test.opus")
        let demuxer = try OpenDemuxer(try LoadedPlugin("Ogg"), "ogg", file)
        counts.insert(try demuxer.readAll().count)
      } catch {
        #expect(error.code == .malformed)
      }
    }
    #expect(counts == [0, 50])
  }

  @Test func `damaged files do not trap`() throws {
    let whole = try oggFile(opusPackets(8, size: 12))
    var read = 0
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 0xFF
      do throws(MediaError) {
        let file = MemoryFile(bytes, name: "test.opus")
        let demuxer = try OpenDemuxer(try LoadedPlugin("Ogg"), "ogg", file)
        read += try demuxer.readAll().count
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
    // The demuxer skips pages with a wrong checksum.
    #expect(read < 8 * whole.count)
  }

  @Test func `other codecs are rejected`() throws {
    var track = opusTrack()
    track.codec = "mp3"
    #expect(throws: MediaError.self) { try oggFile([], tracks: [track]) }
  }
}
