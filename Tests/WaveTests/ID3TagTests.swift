import PluginHost
import RespoolMedia
import Testing

/// ID3v2 tags in their own chunk.
@Suite struct ID3TagTests {
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xD9]

  private static func little(_ count: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(body.count) + body + (body.count % 2 == 1 ? [0] : [])
  }

  private static func big(_ count: Int, bits: Int = 8, bytes: Int = 4) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(count >> (bits * $0) & (1 << bits - 1)) }
  }

  private static func frame(_ name: String, _ body: [UInt8], version: UInt8, flags: UInt8 = 0)
    -> [UInt8]
  {
    switch version {
    case 2: Array(name.utf8) + big(body.count, bytes: 3) + body
    case 3: Array(name.utf8) + big(body.count) + [0, flags] + body
    default: Array(name.utf8) + big(body.count, bits: 7) + [0, flags] + body
    }
  }

  private static func tag(_ version: UInt8, flags: UInt8 = 0, _ frames: [UInt8]...) -> [UInt8] {
    let body = frames.flatMap { $0 } + [UInt8](repeating: 0, count: 20)
    return Array("ID3".utf8) + [version, 0, flags] + big(body.count, bits: 7) + body
  }

  /// Returns a WAVE file of two audio samples, followed by the tag.
  private static func file(_ tag: [UInt8], list: [UInt8] = []) -> MemoryFile {
    let format = chunk("fmt ", [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0])
    let body =
      Array("WAVE".utf8) + format + chunk("data", [1, 2, 3, 4]) + list + chunk("id3 ", tag)
    return MemoryFile(chunk("RIFF", body), name: "test.wav")
  }

  private static func open(_ file: MemoryFile) throws -> OpenDemuxer {
    try OpenDemuxer(try LoadedPlugin("Wave"), "wav", file)
  }

  private static func tags(_ file: MemoryFile) throws -> [String: String] {
    Dictionary(try open(file).media.metadata.map { ($0.name, $0.value) }) { first, _ in first }
  }

  static let titles: [(String, [UInt8])] = [
    ("Café", [0, 0x43, 0x61, 0x66, 0xE9]),
    ("Ω1", [1, 0xFF, 0xFE, 0xA9, 0x03, 0x31, 0]),
    ("Ω1", [1, 0xFE, 0xFF, 0x03, 0xA9, 0, 0x31, 0, 0]),
    ("Ω1", [2, 0x03, 0xA9, 0, 0x31]),
    ("Ω1", [3, 0xCE, 0xA9, 0x31, 0]),
    ("Ω", [1, 0xFF, 0xFE, 0xA9, 0x03, 0x31]),
    ("one;two", [3] + Array("one\0two".utf8)),
  ]

  @Test(arguments: titles)
  func `texts are read in every encoding`(text: String, bytes: [UInt8]) throws {
    for version in [3, 4] as [UInt8] {
      let frame = Self.frame("TIT2", bytes, version: version)
      #expect(try Self.tags(Self.file(Self.tag(version, frame)))["title"] == text)
    }
    let short = Self.frame("TT2", bytes, version: 2)
    #expect(try Self.tags(Self.file(Self.tag(2, short)))["title"] == text)
  }

  @Test func `a comment with a description keeps its language`() throws {
    let tag = Self.tag(4, Self.frame("COMM", [3] + Array("frenote\0Bien".utf8), version: 4))
    let source = try Self.open(Self.file(tag)).media
    #expect(source.nativeTags.map(\.language) == ["fre"])
    let file = MemoryFile(name: "copy.wav")
    let muxer = try OpenMuxer(try LoadedPlugin("Wave"), "wav", source, file)
    try muxer.finish(source)
    let copy = try Self.open(file).media
    #expect(copy.nativeTags.map(\.name) == ["note"])
    #expect(copy.nativeTags.map(\.language) == ["fre"])
    #expect(copy.metadata == [MetadataEntry("note", "Bien")])
  }

  @Test func `frames with a description are read`() throws {
    let comment = Self.frame("COMM", [0] + Array("deu\0Gut".utf8), version: 3)
    let own = Self.frame("COMM", [0] + Array("engiTunNORM\0 0001".utf8), version: 3)
    let words = Self.frame("USLT", [3] + Array("engfirst\0La la".utf8), version: 3)
    let custom = Self.frame("TXXX", [0] + Array("MOOD\0calm".utf8), version: 3)
    let media = try Self.open(Self.file(Self.tag(3, comment, own, words, custom))).media
    let tags = Dictionary(media.metadata.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(tags == ["comment": "Gut", "iTunNORM": " 0001", "lyrics": "La la", "MOOD": "calm"])
    #expect(media.nativeTags.first?.language == "deu")
    #expect(media.nativeTags.map(\.key) == ["COMM", "COMM", "USLT:first", "TXXX:MOOD"])
    #expect(media.nativeTags.allSatisfy { $0.keySpace == "org.id3" })
  }

  @Test func `covers are tracks`() throws {
    let long = Self.frame(
      "APIC", [0] + Array("image/jpeg\0\u{3}front\0".utf8) + Self.jpeg, version: 4)
    let short = Self.frame("PIC", [0] + Array("JPG\u{3}\0".utf8) + Self.jpeg, version: 2)
    for tag in [Self.tag(4, long), Self.tag(2, short)] {
      let file = Self.file(tag)
      let demuxer = try Self.open(file)
      let media = demuxer.media
      #expect(media.tracks.map(\.codec) == ["pcm_s16le", "mjpeg"])
      #expect(media.tracks[1].disposition == .attachedPicture)
      let packets = try demuxer.readAll()
      #expect(packets.map(\.track) == [1, 0])
      #expect(file.payload(of: packets[0]) == Self.jpeg)
    }
  }

  @Test func `zeros that hide false frames are removed`() throws {
    let hidden: [UInt8] = [0, 0xFF, 0, 0xFB, 0xFF, 0, 0]
    let whole = Self.tag(3, flags: 0x80, Self.frame("TIT2", hidden, version: 3))
    // The frame stores its size without the inserted zeros.
    var corrected = whole
    corrected[17] = 5
    #expect(try Self.tags(Self.file(corrected))["title"] == "ÿûÿ")
    let part = Self.tag(4, Self.frame("TIT2", hidden, version: 4, flags: 0x02))
    #expect(try Self.tags(Self.file(part))["title"] == "ÿûÿ")
  }

  @Test func `damage loses only the damaged frame`() throws {
    let title = Self.frame("TIT2", [0] + Array("kept".utf8), version: 3)
    let late = Array("TALB".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0]
    #expect(try Self.tags(Self.file(Self.tag(3, title, late))) == ["title": "kept"])
    let packed = Self.frame("TALB", [0, 0, 0, 1, 7], version: 3, flags: 0x80)
    #expect(try Self.tags(Self.file(Self.tag(3, packed, title))) == ["title": "kept"])
    let whole = Self.tag(3, title)
    for count in 0..<whole.count {
      #expect(try Self.open(Self.file(Array(whole.prefix(count)))).media.tracks.count == 1)
    }
  }

  @Test func `the ID3 tag takes precedence over the list of texts`() throws {
    let list = Self.chunk(
      "LIST",
      Array("INFO".utf8) + Self.chunk("INAM", Array("short\0".utf8))
        + Self.chunk("ICOP", Array("mine\0".utf8)))
    let title = Self.frame("TIT2", [0] + Array("the whole title".utf8), version: 3)
    let media = try Self.open(Self.file(Self.tag(3, title), list: list)).media
    let names = media.metadata.map { "\($0.name)=\($0.value)" }.sorted()
    #expect(names == ["copyright=mine", "title=the whole title"])
    #expect(media.nativeTags.count == 3)
  }
}
