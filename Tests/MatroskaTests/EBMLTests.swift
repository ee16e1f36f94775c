import RespoolPlugin
import Testing

@testable import Matroska

extension EBMLElement {
  /// Returns the children in file order.
  fileprivate func children() throws(MediaError) -> [EBMLElement] {
    var result: [EBMLElement] = []
    try forEachChild { result.append($0) }
    return result
  }
}

@Suite struct EBMLTests {
  private func element(_ fill: (inout EBMLWriter) -> Void) -> EBMLElement {
    var writer = EBMLWriter()
    fill(&writer)
    return EBMLElement(.info, in: "Segment", payload: ByteReader(writer.bytes, origin: 100))
  }

  @Test(arguments: [0, 1, 126, 127, 128, 16382, 16383, 1 << 21, 1 << 35])
  func `sizes are read as they are written`(value: Int) throws {
    var reader = ByteReader([0xEC] + EBMLWriter.size(value))
    let header = try EBMLHeader(from: &reader)
    #expect(header.id == .void)
    #expect(header.size == Int64(value))
    #expect(reader.isAtEnd)
  }

  @Test func `all ones is an unknown size in every width`() throws {
    for width in 1...8 {
      let bytes =
        [UInt8(truncatingIfNeeded: 0x1FF >> width)] + [UInt8](repeating: 0xFF, count: width - 1)
      var reader = ByteReader([0xEC] + bytes)
      #expect(try EBMLHeader(from: &reader).size == nil)
    }
  }

  @Test func `values are read as they are written`() throws {
    let record = element { writer in
      writer.unsigned(.timestampScale, 1_000_000)
      writer.signed(.dateUTC, -5)
      writer.float(.duration, 12.5)
      writer.text(.title, "Zürich")
      writer.binary(.segmentUUID, [1, 2, 3])
    }
    let children = try record.children()
    #expect(try children[0].unsigned == 1_000_000)
    #expect(try children[1].signed == -5)
    #expect(try children[2].float == 12.5)
    #expect(children[3].text == "Zürich")
    #expect(children[4].binary == [1, 2, 3])
    #expect(children[4].path == "Segment/Info/SegmentUUID")
  }

  @Test func `every truncation of an element throws with its path`() throws {
    let whole = element { writer in
      writer.unsigned(.timestampScale, 1_000_000)
      writer.text(.title, "Film")
    }
    for count in 1..<whole.payload.count {
      // A cut between two elements leaves both whole.
      guard count != 7 else { continue }
      let cut = EBMLElement(
        .info, in: "Segment", payload: ByteReader(Array(whole.payload.bytes.prefix(count))))
      let error = #expect(throws: MediaError.self) { try cut.children() }
      #expect(error?.code == .malformed)
      #expect(error?.path?.hasPrefix("Segment/Info") == true)
      #expect(error?.offset != nil)
    }
  }

  @Test func `numbers and fractions of impossible lengths are rejected`() throws {
    let record = element { writer in
      writer.binary(.timestampScale, [UInt8](repeating: 1, count: 9))
      writer.binary(.duration, [1, 2, 3])
    }
    let children = try record.children()
    #expect(throws: MediaError.self) { try children[0].unsigned }
    #expect(throws: MediaError.self) { try children[1].float }
  }

  @Test func `chapters are moved in every edition and at every depth`() throws {
    var writer = EBMLWriter()
    writer.master(.editionEntry) { edition in
      edition.unsigned(.editionFlagDefault, 1)
      edition.master(.chapterAtom) { atom in
        atom.unsigned(.chapterTimeStart, 5_000)
        atom.master(.chapterAtom) { inner in
          inner.unsigned(.chapterTimeStart, 6_000)
          inner.unsigned(.chapterTimeEnd, 7_000)
        }
      }
    }
    let moved = try ChapterRecord.moved(ByteReader(writer.bytes), by: -1_000)
    let edition = try EBMLElement(.chapters, in: "", payload: ByteReader(moved)).children()[0]
    let atom = try edition.children()[1].children()
    #expect(try atom[0].unsigned == 4_000)
    #expect(try atom[1].children().map { try $0.unsigned } == [5_000, 6_000])
    #expect(try ChapterRecord.moved(ByteReader(writer.bytes), by: 0) == writer.bytes)
  }

  @Test func `mastering displays and light levels keep their values`() throws {
    let body: [UInt8] = [
      0x33, 0xC2, 0x86, 0xC4, 0x1D, 0x4C, 0x0B, 0xB8, 0x84, 0xD0, 0x3E, 0x80, 0x3D, 0x13, 0x40,
      0x42, 0, 0x98, 0x96, 0x80, 0, 0, 0, 0x32,
    ]
    let records = [SideData("mdcv", body), SideData("clli", [0x03, 0xE8, 0x01, 0x90])]
    var writer = EBMLWriter()
    MasteringMetadata(records).write(to: &writer)
    var read = MasteringMetadata()
    try EBMLElement(.colour, in: "", payload: ByteReader(writer.bytes)).forEachChild {
      (child) throws(MediaError) in
      if child.id == .maxCLL { read.maxCLL = try child.clampedInteger }
      if child.id == .maxFALL { read.maxFALL = try child.clampedInteger }
      if child.id == .masteringMetadata { try read.read(child) }
    }
    #expect(read.sideData == records)
    #expect(read.luminanceMax == 1000)
  }

  @Test(
    arguments: [
      ("eng", "en", "eng"), ("ger", "de-CH", "de-CH"), ("und", nil, nil), ("fre", nil, "fre"),
      ("mul", "zh-Hant", "zh-Hant"), ("und", "und", nil),
    ] as [(String, String?, String?)])
  func `of two forms of a language the more specific one is used`(
    iso639: String, bcp47: String?, spoken: String?
  ) {
    #expect(LanguageTag.spoken(iso639: iso639, bcp47: bcp47) == spoken)
  }
}
