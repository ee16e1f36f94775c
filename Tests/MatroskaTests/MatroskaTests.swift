import PluginHost
import RespoolMedia
import Testing

private let segment: UInt32 = 0x1853_8067
private let tracks: UInt32 = 0x1654_AE6B
private let cluster: UInt32 = 0x1F43_B675

private func video(_ codec: String = "vp9") -> TrackDescription {
  var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
  track.width = 64
  track.height = 48
  track.frameRate = Rational(25, 1)
  track.baseFrameRate = Rational(25, 1)
  return track
}

private func opus() -> TrackDescription {
  var track = TrackDescription(kind: .audio, codec: "opus", timeBase: Rational(1, 48000))
  track.extradata = OpusConfiguration(channelCount: 2, preSkip: 312).head
  track.sampleRate = 48000
  track.channelLayout = .stereo
  track.initialPadding = 312
  return track
}

private func packet(
  _ track: Int, _ time: Int64, _ duration: Int64, key: Bool = true, _ bytes: [UInt8] = [1, 2, 3]
) -> Packet {
  Packet(
    track: track, pts: time, dts: time, duration: duration, flags: key ? .key : [],
    payload: .bytes(MediaBuffer(bytes)))
}

private func write(
  _ media: MediaDescription, _ packets: [Packet], as name: String = "matroska",
  isStream: Bool = false
) throws -> [UInt8] {
  let file = MemoryFile(name: "test.mkv")
  file.isStream = isStream
  let muxer = try OpenMuxer(try LoadedPlugin("Matroska"), name, media, file)
  for packet in packets { try muxer.write(packet) }
  try muxer.finish(media)
  return file.bytes
}

private func pictures(_ count: Int, from start: Int64 = 0) -> [Packet] {
  (0..<count).map { packet(0, start + Int64($0), 1, key: $0 % 50 == 0) }
}

@Suite struct MatroskaTests {
  @Test func `sizes and positions are those of the file`() throws {
    let media = MediaDescription(
      format: "matroska", tracks: [video()], duration: 12_000_000_000)
    let elements = try Element.parse(try write(media, pictures(300)))
    #expect(elements.map(\.id) == [0x1A45_DFA3, segment])
    #expect(elements.all(0x1A45_DFA3, 0x4282).map(\.text) == ["matroska"])
    let origin = try #require(elements.all(segment).first?.children.first?.offset)
    for seek in elements.all(segment, 0x114D_9B74, 0x4DBB) {
      let id = UInt32(seek.children.filter { $0.id == 0x53AB }[0].number)
      let position = seek.children.filter { $0.id == 0x53AC }[0].number
      #expect(elements.all(segment, id).first?.offset == origin + position)
    }
    #expect(elements.all(segment, 0x1549_A966, 0x4489).map(\.double) == [12000])
    let clusters = elements.all(segment, cluster)
    #expect(clusters.count == 6)
    let cues = elements.all(segment, 0x1C53_BB6B, 0xBB)
    #expect(cues.all(0xBB, 0xB3).map(\.number) == [0, 2000, 4000, 6000, 8000, 10000])
    #expect(cues.all(0xBB, 0xB7, 0xF1).map { $0.number + origin } == clusters.map(\.offset))
    // The cues are before the clusters, so that a player finds them with one read.
    let cuesOffset = try #require(elements.all(segment, 0x1C53_BB6B).first?.offset)
    #expect(cuesOffset < clusters[0].offset)
    #expect(clusters.all(cluster, 0xA3).count == 300)
    #expect(elements.all(segment, tracks, 0xAE, 0x23E383).map(\.number) == [40_000_000])
  }

  @Test func `cues that do not fit move the clusters`() throws {
    // The duration is unknown, and there are many key frames.
    let media = MediaDescription(format: "matroska", tracks: [video()])
    let packets = (0..<500).map { packet(0, Int64($0) * 25, 25) }
    let elements = try Element.parse(try write(media, packets))
    let origin = try #require(elements.all(segment).first?.children.first?.offset)
    let clusters = elements.all(segment, cluster)
    let positions = elements.all(segment, 0x1C53_BB6B, 0xBB, 0xB7, 0xF1)
    #expect(positions.count == 500)
    #expect(positions.map { $0.number + origin } == clusters.map(\.offset))
  }

  @Test func `encoder delay and padding of audio are exact`() throws {
    let media = MediaDescription(format: "webm", tracks: [opus()])
    var packets = (0..<50).map { packet(0, Int64($0) * 960 - 312, 960) }
    packets[49].trimEnd = 648
    let elements = try Element.parse(try write(media, packets, as: "webm"))
    #expect(elements.all(0x1A45_DFA3, 0x4282).map(\.text) == ["webm"])
    #expect(elements.all(segment, tracks, 0xAE, 0x56AA).map(\.number) == [6_500_000])
    #expect(elements.all(segment, tracks, 0xAE, 0x56BB).map(\.number) == [80_000_000])
    let group = elements.all(segment, cluster, 0xA0)
    #expect(group.all(0xA0, 0x75A2).map(\.number) == [13_500_000])
    #expect(
      elements.all(segment, 0x1549_A966, 0x4489).map(\.double) == [979.9999999999999]
        || elements.all(segment, 0x1549_A966, 0x4489).map(\.double) == [980])
    // The first block is at 0: CodecDelay stores the encoder delay.
    #expect(elements.all(segment, cluster, 0xA3).first?.payload.prefix(4) == [0x81, 0, 0, 0x80])
  }

  @Test func `frames before zero move all tracks`() throws {
    let media = MediaDescription(format: "matroska", tracks: [video(), opus()])
    let sound = (0..<50).map { packet(1, Int64($0) * 960 - 312, 960) }
    let elements = try Element.parse(try write(media, pictures(25, from: -2) + sound))
    let blocks = elements.all(segment, cluster, 0xA3)
    let first = blocks.first { $0.payload[0] == 0x82 }
    // 2 frames of 40 ms come before 0.
    #expect(first?.payload[1...2] == [0, 80])
  }

  @Test func `frames without a successor state their duration`() throws {
    let media = MediaDescription(format: "webm", tracks: [video("vp8")])
    // The unit is 40 ms. A frame lasts one unit if no duration is stored.
    let packets = [packet(0, 0, 1), packet(0, 1, 100), packet(0, 101, 1), packet(0, 102, 3)]
    let elements = try Element.parse(try write(media, packets, as: "webm"))
    #expect(elements.all(segment, cluster, 0xA0, 0x9B).map(\.number) == [4000, 120])
    #expect(elements.all(segment, cluster, 0xA3).count == 2)
  }

  @Test(arguments: [([2], [80_000_000]), ([2, 1], [])] as [([Int64], [Int])])
  func `a single frame states its duration in its track`(
    durations: [Int64], told: [Int]
  ) throws {
    var track = video("vp8")
    track.frameRate = .unknown
    let media = MediaDescription(format: "webm", tracks: [track])
    let packets = durations.enumerated().map { packet(0, Int64($0.offset) * 2, $0.element) }
    let elements = try Element.parse(try write(media, packets, as: "webm"))
    #expect(elements.all(segment, 0x1654_AE6B, 0xAE, 0x23E383).map(\.number) == told)
  }

  @Test func `a byte stream gets lengths and its configuration record`() throws {
    let parameters: [UInt8] = [
      0, 0, 0, 1, 0x67, 0x7A, 0, 0x0B, 0xB6, 0xCD, 0x94, 0x2C, 0xDE, 0x22, 0x7C, 0x04, 0x40, 0, 0,
      3,
      0, 0x40, 0, 0, 0x0C, 0x83, 0xC5, 0x0A, 0x65, 0x80, 0, 0, 0, 1, 0x68, 0xEB, 0xE3, 0xCB,
    ]
    let media = MediaDescription(format: "matroska", tracks: [video("h264")])
    let elements = try Element.parse(
      try write(media, [packet(0, 0, 1, parameters + [0, 0, 1, 0x65, 7])]))
    let record = try #require(elements.all(segment, tracks, 0xAE, 0x63A2).first)
    #expect(try AVCConfiguration(record.payload).profile == 122)
    let block = elements.all(segment, cluster, 0xA3)[0].payload
    #expect(block.suffix(6) == [0, 0, 0, 2, 0x65, 7])
  }

  @Test func `tags, chapters and covers are written`() throws {
    var cover = TrackDescription(kind: .video, codec: "mjpeg", timeBase: Rational(1, 1000))
    cover.disposition = .attachedPicture
    var sound = opus()
    sound.language = "de-CH"
    sound.metadata = [MetadataEntry("title", "Ton")]
    let media = MediaDescription(
      format: "matroska", tracks: [cover, sound],
      metadata: [MetadataEntry("title", "Film"), MetadataEntry("artist", "Wer")],
      chapters: [.init(id: 7, start: 0, end: 5_000_000_000, title: "Eins", language: "de")])
    let packets = [packet(0, 0, 0, [0xFF, 0xD8]), packet(1, -312, 960)]
    let elements = try Element.parse(try write(media, packets))
    #expect(elements.all(segment, 0x1549_A966, 0x7BA9).map(\.text) == ["Film"])
    #expect(elements.all(segment, 0x1254_C367, 0x7373, 0x67C8, 0x45A3).map(\.text) == ["ARTIST"])
    let chapter = elements.all(segment, 0x1043_A770, 0x45B9, 0xB6)
    #expect(chapter.all(0xB6, 0x92).map(\.number) == [5_000_000_000])
    #expect(chapter.all(0xB6, 0x80, 0x437C).map(\.text) == ["ger"])
    #expect(elements.all(segment, 0x1941_A469, 0x61A7, 0x466E).map(\.text) == ["cover.jpg"])
    #expect(elements.all(segment, tracks, 0xAE, 0x536E).map(\.text) == ["Ton"])
    #expect(elements.all(segment, tracks, 0xAE, 0x22B59D).map(\.text) == ["de-CH"])
    #expect(elements.all(segment, tracks, 0xAE).count == 1)
  }

  @Test func `tags state their language`() throws {
    var cover = TrackDescription(kind: .video, codec: "mjpeg", timeBase: Rational(1, 1000))
    cover.disposition = .attachedPicture
    var sound = opus()
    sound.metadata = [MetadataEntry("comment", "Ton")]
    var media = MediaDescription(
      format: "matroska", tracks: [cover, sound],
      metadata: [
        MetadataEntry("title", "Film"), MetadataEntry("artist", "Wer"), MetadataEntry("date", "1"),
      ])
    media.nativeTags = [
      NativeTag(keySpace: "comn", key: "title", name: "title", value: "Film", language: "de-CH"),
      NativeTag(keySpace: "comn", key: "artist", name: "artist", value: "Wer", language: "fra"),
      NativeTag(
        keySpace: "comn", key: "c", name: "comment", value: "Ton", language: "en", track: 1),
      NativeTag(
        keySpace: "comn", key: "c", name: "comment", value: "Ton", language: "it", track: 0),
    ]
    let packets = [packet(0, 0, 0, [0xFF, 0xD8]), packet(1, -312, 960)]
    let elements = try Element.parse(try write(media, packets))
    let tags = elements.all(segment, 0x1254_C367, 0x7373, 0x67C8)
    let told = tags.map { tag in
      [0x45A3, 0x447A, 0x447B, 0x4487].map { id in
        tag.children.first { $0.id == id }?.text
      }
    }
    #expect(
      told == [
        ["TITLE", "ger", "de-CH", "Film"], ["ARTIST", "fre", "fr", "Wer"], ["DATE", nil, nil, "1"],
        ["COMMENT", "eng", "en", "Ton"],
      ])
    #expect(elements.all(segment, 0x1549_A966, 0x7BA9).map(\.text) == ["Film"])
  }

  @Test func `alpha is stored in block additions`() throws {
    var first = packet(0, 0, 1)
    first.sideData = [9, 8, 7]
    let media = MediaDescription(format: "webm", tracks: [video("vp8")])
    let elements = try Element.parse(try write(media, [first], as: "webm"))
    #expect(elements.all(segment, tracks, 0xAE, 0xE0, 0x53C0).map(\.number) == [1])
    let more = elements.all(segment, cluster, 0xA0, 0x75A1, 0xA6)
    #expect(more.all(0xA6, 0xA5).map(\.payload) == [[9, 8, 7]])
  }

  @Test(arguments: ["h264", "aac", "mp3"]) func `WebM rejects other codecs`(codec: String) throws {
    let media = MediaDescription(format: "webm", tracks: [video(codec)])
    #expect(throws: MediaError.self) { try write(media, [], as: "webm") }
  }

  @Test func `sinks that cannot seek get a segment of unknown size`() throws {
    let media = MediaDescription(format: "matroska", tracks: [video()])
    let bytes = try write(media, pictures(30), isStream: true)
    let unknown: [UInt8] = [0x18, 0x53, 0x80, 0x67, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    let start = try #require((0..<100).first { Array(bytes[$0..<$0 + 12]) == unknown })
    let inside = try Element.parse(Array(bytes[(start + 12)...]))
    #expect(inside.map(\.id).filter { $0 == cluster }.count == 1)
  }
}
