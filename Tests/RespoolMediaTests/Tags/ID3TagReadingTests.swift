import RespoolMedia
import Testing

/// ID3v2 frames read as tags, and frames that are not tags.
@Suite struct ID3TagReadingTests {
  private func tag(_ frames: [ID3Frame], version: UInt8 = 4) -> [UInt8] {
    let body = frames.flatMap { $0.bytes ?? [] }
    return Array("ID3".utf8) + [version, 0, 0] + ID3Frame.syncSafe(body.count) + body
  }

  private func texts(_ frames: ID3Frame..., version: UInt8 = 4) -> [String] {
    ID3Tag(tag(frames, version: version)).texts.map { "\($0.name)=\($0.value)" }
  }

  private func text(_ name: String, _ values: String...) -> ID3Frame {
    ID3Frame(name, [3] + Array(values.joined(separator: "\0").utf8))
  }

  @Test func `each value is a tag`() {
    let tags = ID3Tag(tag([text("TPE1", "One", "Two"), text("TXXX", "MOOD", "calm", "sad")])).texts
    #expect(tags.map(\.value) == ["One", "Two", "calm", "sad"])
    #expect(tags.map(\.name) == ["artist", "artist", "MOOD", "MOOD"])
    #expect(
      NativeTag.entries(tags) == [
        MetadataEntry("artist", "One;Two"), MetadataEntry("MOOD", "calm;sad"),
      ])
  }

  @Test func `people have their roles`() {
    #expect(
      texts(
        text("TIPL", "producer", "Ann", "mix", "Bob"), text("TMCL", "guitar", "Cy", "vocals", "Di"))
        == ["producer=Ann", "mix=Bob", "performer=Cy (guitar)", "performer=Di (vocals)"])
  }

  @Test(
    arguments: [
      ("17", ["Rock"]), ("(17)", ["Rock"]), ("(4)Eurodisco", ["Disco", "Eurodisco"]),
      ("(51)(39)", ["Techno-Industrial", "Noise"]), ("((17) live)", ["(17) live)"]),
      ("RX", ["Remix"]), ("(CR)", ["Cover"]), ("Free Jazz", ["Free Jazz"]), ("255", ["255"]),
    ])
  func `genres have names`(text: String, names: [String]) {
    #expect(texts(self.text("TCON", text)) == names.map { "genre=\($0)" })
  }

  @Test func `the date of version 3 is one tag`() {
    let day = [text("TYER", "2003"), text("TDAT", "0105"), text("TIME", "1830")]
    #expect(ID3Tag(tag(day, version: 3)).texts.map(\.value) == ["2003-05-01 18:30"])
    #expect(texts(text("TDAT", "0105")) == ["TDAT=0105"])
    #expect(texts(text("TDRC", "2003"), text("TDRL", "2004")) == ["date=2003", "TDRL=2004"])
    #expect(texts(text("TDRL", "2004")) == ["date=2004"])
  }

  @Test func `numbers and links are texts`() {
    let identifier = ID3Frame("UFID", Array("http://musicbrainz.org\0abc".utf8))
    let rating = ID3Frame("POPM", Array("me@home\0".utf8) + [196, 0, 0, 0, 12])
    let count = ID3Frame("PCNT", [0, 0, 1, 2])
    let link = ID3Frame("WOAR", Array("http://a.example".utf8))
    let further = ID3Frame("WXXX", [0] + Array("shop\0http://b.example".utf8))
    #expect(
      texts(identifier, rating, count, link, further) == [
        "MUSICBRAINZ_TRACKID=abc", "POPM:me@home=196/12", "PCNT=258", "WOAR=http://a.example",
        "WXXX:shop=http://b.example",
      ])
  }

  @Test func `comments have their languages`() {
    let tags = ID3Tag(
      tag([
        ID3Frame("COMM", [3] + Array("deu\0Gut".utf8)),
        ID3Frame("COMM", [3] + Array("eng\0Good".utf8)),
        ID3Frame("COMM", [3] + Array("engiTunNORM\0 0001".utf8)),
      ])
    ).texts
    #expect(tags.map(\.name) == ["comment", "comment", "iTunNORM"])
    #expect(tags.map(\.language) == ["deu", "eng", nil])
  }

  /// Tags may have languages without a code of two letters.
  @Test func `comments and lyrics of any language keep it`() {
    let tags = ID3Tag(
      tag([
        ID3Frame("USLT", [3] + Array("fil\0Kanta".utf8)),
        ID3Frame("USLT", [3] + Array("XXX\0La la".utf8)),
        ID3Frame("USLT", [3, 0, 0, 0, 0] + Array("Na na".utf8)),
        ID3Frame("COMM", [3] + Array("frenote\0Bien".utf8)),
      ])
    ).texts
    #expect(tags.map(\.value) == ["Kanta", "La la", "Na na", "Bien"])
    #expect(tags.map(\.language) == ["fil", nil, nil, "fre"])
  }

  /// Frames other than text, picture and chapter are kept to be copied or reported, unless they describe the file.
  @Test func `other frames are not lost`() {
    let frames = [
      text("TIT2", "A"), ID3Frame("GEOB", [0, 1, 2]), ID3Frame("SYLT", [3]), ID3Frame("MLLT", [1]),
      ID3Frame("UFID", Array("me\0".utf8) + [0, 1]), ID3Frame("TALB", [1, 2], isCoded: true),
      text("TLEN", "1000"),
    ]
    let read = ID3Tag(tag(frames))
    #expect(read.others.map(\.name) == ["GEOB", "SYLT", "UFID", "TALB"])
    #expect(read.texts.map(\.value) == ["A"])
    let records = ID3Frame.records(read.others)
    #expect(records.map(\.type) == [.id3Frames, .id3Places])
    #expect(
      records.map { ID3Frame.frames(in: $0).map(\.name) } == [["GEOB", "UFID", "TALB"], ["SYLT"]])
    #expect(ID3Frame.frames(in: records[0]) == [read.others[0], read.others[2], read.others[3]])
  }

  @Test func `chapters have titles and may have more`() {
    let title = text("TIT2", "Start").bytes ?? []
    let link = ID3Frame("WXXX", [0, 0, 0x68]).bytes ?? []
    let times: [UInt8] = [0, 0, 3, 0xE8, 0, 0, 7, 0xD0] + [UInt8](repeating: 0xFF, count: 8)
    let plain = ID3Frame("CHAP", Array("a\0".utf8) + times + title)
    let rich = ID3Frame("CHAP", Array("b\0".utf8) + times + title + link)
    let read = ID3Tag(tag([plain, rich]))
    #expect(read.chapters.map(\.title) == ["Start", "Start"])
    #expect(read.chapters[0].start == 1_000_000_000 && read.chapters[0].end == 2_000_000_000)
    #expect(read.others.map(\.name) == ["CHAP"])
  }

  @Test func `only tables of contents with texts are kept`() {
    let plain = ID3Frame("CTOC", Array("toc\0".utf8) + [3, 2] + Array("a\0b\0".utf8))
    let titled = ID3Frame("CTOC", plain.body + (text("TIT2", "Toc").bytes ?? []))
    let read = ID3Tag(tag([plain, titled]))
    #expect(read.others == [titled])
    #expect(ID3Frame.records(read.others).map(\.type) == [.id3Places])
  }

  /// Some writers of version 2.4, such as old iTunes, store sizes as in 2.3.
  @Test func `sizes of version 3 are read in version 4`() {
    let long = [3] + [UInt8](repeating: 0x61, count: 199)
    let frame = Array("TIT2".utf8) + [0, 0, 0, 200, 0, 0] + long
    let wide = Array("TALB".utf8) + [0, 0, 1, 44, 0, 0, 3] + [UInt8](repeating: 0x62, count: 299)
    let body = frame + wide + (text("TPE1", "behind").bytes ?? [])
    let bytes = Array("ID3".utf8) + [4, 0, 0] + ID3Frame.syncSafe(body.count) + body
    #expect(ID3Tag(bytes).texts.map(\.value.count) == [199, 299, 6])
  }

  @Test func `frames of version 2 have their later names`() {
    func short(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0, 0, UInt8(body.count)] + body
    }
    let body =
      short("TP1", [0] + Array("Ann".utf8)) + short("TBP", [0] + Array("120".utf8))
      + short("PIC", [0] + Array("PNG".utf8) + [3, 0, 9, 9]) + short("GEO", [0, 1])
    let read = ID3Tag(Array("ID3".utf8) + [2, 0, 0] + ID3Frame.syncSafe(body.count) + body)
    #expect(read.texts.map(\.name) == ["artist", "TBPM"])
    #expect(read.pictures.map(\.mimeType) == ["image/png"])
    #expect(read.pictures.map { Array($0.file) } == [[9, 9]])
    #expect(read.others.map(\.name) == ["GEOB"])
  }

  @Test func `every truncation of a tag is read`() {
    let whole = tag([
      text("TPE1", "One", "Two"), ID3Frame("UFID", Array("a\0b".utf8)),
      ID3Frame("POPM", Array("m\0".utf8) + [1, 2]), text("TIPL", "a", "b"),
      ID3Frame("CHAP", Array("a\0".utf8) + [UInt8](repeating: 1, count: 16)),
      ID3Frame("APIC", [0] + Array("image/png\0".utf8) + [3, 0, 1, 2]),
    ])
    for count in 0..<whole.count {
      for body in [Array(whole.prefix(count)), Array(whole.prefix(count)) + [0, 0]] {
        let read = ID3Tag(body)
        #expect(read.texts.count <= 5 && read.pictures.count <= 1 && read.others.count <= 6)
        #expect(read.chapters.count <= 1)
      }
    }
  }
}
