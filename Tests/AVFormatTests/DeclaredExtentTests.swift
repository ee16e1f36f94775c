import PluginHost
import RespoolPlugin
import Testing

@testable import AVFormat

/// Lengths that headers declare, compared with the bytes that are present.
@Suite struct DeclaredExtentTests {
  private func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  private func missing(_ bytes: [UInt8], _ format: String) throws -> String? {
    let memory = MemoryFile(bytes, name: "file")
    return try withExtendedLifetime(memory) {
      try DeclaredExtent.missing(in: memory.byteSource, format: format)
    }
  }

  @Test func `an AU file that lacks its end is reported by its demuxer`() throws {
    let whole = MadeFiles.au(samples: 5000)
    for (bytes, isCut) in [(whole, false), (whole.dropLast(4000), true)] {
      let memory = MemoryFile(Array(bytes), name: "a.au")
      try withExtendedLifetime(memory) {
        let media = try AVFormatDemuxer(source: memory.byteSource, settings: .init()).media
        #expect(media.endsEarly == isCut)
      }
    }
    #expect(
      try missing(whole.dropLast(4000), "au")
        == "the header declares 20000 bytes, but 16000 are present")
    #expect(try missing(Array(whole[..<8]) + [0xFF, 0xFF, 0xFF, 0xFF] + whole[12...], "au") == nil)
  }

  @Test func `sizes in headers of other formats are compared`() throws {
    let monkey =
      Array("MAC ".utf8) + little(3990, 2) + little(0, 2)
      + [52, 24, 8, 44, 100, 0].flatMap { little($0, 4) }
      + [UInt8](repeating: 0, count: 16 + 4 + 24 + 8 + 44)
    #expect(try missing(monkey + [UInt8](repeating: 1, count: 100), "ape") == nil)
    #expect(
      try missing(monkey + [UInt8](repeating: 1, count: 99), "ape")
        == "the descriptor declares 100 bytes, but 99 are present")
    // 46,080 samples at 44,100 Hz are one frame.
    let tta =
      Array("TTA1".utf8) + little(1, 2) + little(1, 2) + little(16, 2) + little(44_100, 4)
      + little(46_080, 4) + little(0, 4) + little(50, 4) + little(0, 4)
    #expect(try missing(tta + [UInt8](repeating: 1, count: 50), "tta") == nil)
    #expect(
      try missing(tta + [UInt8](repeating: 1, count: 20), "tta")
        == "the seek table declares 50 bytes, but 20 are present")
    let dsd = Array("DSD ".utf8) + little(28, 8) + little(60, 8)
    #expect(try missing(dsd + [UInt8](repeating: 1, count: 40), "dsf") == nil)
    #expect(
      try missing(dsd + [UInt8](repeating: 1, count: 39), "dsf")
        == "the DSD chunk declares 60 bytes, but 59 are present")
  }

  /// Returns an ASF file without streams, with a Data object that declares 100 bytes and has `present`.
  private func asf(date: UInt64, language: String, present: Int) -> [UInt8] {
    func object(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] {
      id + little(UInt64(body.count) + 24, 8) + body
    }
    let properties = object(
      [
        0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0, 0xC0, 0x0C, 0x20, 0x53, 0x65,
      ],
      [UInt8](repeating: 0, count: 24) + little(date, 8) + [UInt8](repeating: 0, count: 48))
    let units: [[UInt8]] = language.utf16.map { little(UInt64($0), 2) }
    let text = Array(units.joined()) + [0, 0]
    let list = object(
      [
        0xA9, 0x46, 0x43, 0x7C, 0xE0, 0xEF, 0xFC, 0x4B, 0xB2, 0x29, 0x39, 0x3E, 0xDE, 0x41, 0x5C,
        0x85,
      ], [1, 0, UInt8(text.count)] + text)
    let stream = object(
      [
        0xCB, 0xA5, 0xE6, 0x14, 0x72, 0xC6, 0x32, 0x43, 0x83, 0x99, 0xA9, 0x69, 0x52, 0x06, 0x5B,
        0x5A,
      ], [UInt8](repeating: 0, count: 48) + [2, 0, 0, 0] + [UInt8](repeating: 0, count: 12))
    let further = object(
      [0xB5, 3, 0xBF, 0x5F, 0x2E, 0xA9, 0xCF, 0x11, 0x8E, 0xE3, 0, 0xC0, 0x0C, 0x20, 0x53, 0x65],
      [UInt8](repeating: 0, count: 18) + little(UInt64(list.count + stream.count), 4) + list
        + stream)
    let id: [UInt8] = [
      0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0, 0xAA, 0, 0x62, 0xCE, 0x6C,
    ]
    let head = object([0x30, 0x26] + id, [2, 0, 0, 0, 1, 2] + properties + further)
    return head + [0x36, 0x26] + id + little(100, 8) + [UInt8](repeating: 0, count: present - 24)
  }

  private func header(_ bytes: [UInt8]) throws -> ASFHeader {
    let memory = MemoryFile(bytes, name: "file.wma")
    return try withExtendedLifetime(memory) { try ASFHeader(memory.byteSource) }
  }

  @Test func `the header of ASF states a date, languages and a size`() throws {
    let whole = try header(asf(date: 132_223_104_000_000_000, language: "en-us", present: 100))
    #expect(whole.creationTime == "2020-01-01T00:00:00.000000Z")
    #expect(whole.languages == [2: "en-us"])
    #expect(whole.missing == nil)
    // 1601 and 1970, which programs write that know no date.
    for date: UInt64 in [0, 116_444_736_000_000_000] {
      let cut = try header(asf(date: date, language: "de", present: 90))
      #expect(cut.creationTime == nil)
      #expect(cut.missing == "the Data object declares 100 bytes, but 90 are present")
    }
    let bytes = asf(date: 0, language: "en-us", present: 30)
    for count in bytes.indices { _ = try header(Array(bytes[..<count])) }
  }

  private func packet(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
    [0x06, 0x0E, 0x2B, 0x34] + key + [UInt8](repeating: 0, count: 12 - key.count)
      + [0x83, 0, 0, UInt8(value.count)] + value
  }

  private func partition(_ kind: UInt8, footer: Int) -> [UInt8] {
    packet(
      [2, 5, 1, 1, 0x0D, 1, 2, 1, 1, kind, 4],
      [UInt8](repeating: 0, count: 24) + little(UInt64(footer), 8).reversed()
        + [UInt8](repeating: 0, count: 56))
  }

  @Test func `an MXF file lacks its end if it has no footer`() throws {
    let essence = packet([1, 2, 1, 1], [UInt8](repeating: 1, count: 200))
    for runIn in [[], [UInt8](repeating: 9, count: 100)] {
      let length = partition(2, footer: 0).count + 3 * essence.count
      let known = runIn + partition(2, footer: length) + essence + essence + essence
      #expect(try missing(known + partition(4, footer: length), "mxf") == nil)
      #expect(
        try missing(known, "mxf")
          == "the header declares a footer at byte \(known.count), but \(known.count) bytes are present"
      )
      let piped = runIn + partition(1, footer: 0) + essence + essence
      #expect(try missing(piped + partition(4, footer: 0), "mxf") == nil)
      #expect(try missing(piped, "mxf") == "there is no footer partition")
      #expect(
        try missing(piped.dropLast(20), "mxf")?.hasSuffix("declares 200 bytes, but 180 are present")
          == true)
    }
    for count in 0..<120 { _ = try missing(Array(partition(1, footer: 9).prefix(count)), "mxf") }
  }

  /// Returns MP3 frames of 144 bytes: 48 kbit/s at 48 kHz in mono, the first with a Xing header if numbers are given.
  private func mp3(_ count: Int, frames: Int? = nil, bytes: Int? = nil, writer: String = "LAME")
    -> [UInt8]
  {
    let frame = [0xFF, 0xFB, 0x34, 0xC0] + [UInt8](repeating: 0, count: 140)
    var head = frame
    if let frames, let bytes {
      let fields = [3, frames, bytes].flatMap { number in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
      }
      let text = Array("Info".utf8) + fields + Array(writer.utf8)
      head.replaceSubrange(21..<21 + text.count, with: text)
    }
    return head + Array(repeatElement(frame, count: count - 1).joined())
  }

  @Test func `an MP3 file whose last frame is incomplete is cut off`() throws {
    let whole = mp3(10)
    #expect(try missing(whole, "mp3") == nil)
    #expect(
      try missing(whole.dropLast(100), "mp3")
        == "the last frame declares 144 bytes, but 44 are present")
    #expect(try missing(whole.dropLast(143), "mp3") == "the file ends within the header of a frame")
    let tag = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
    #expect(try missing(whole + tag, "mp3") == nil)
    #expect(
      try missing(whole.dropLast(100) + tag, "mp3")
        == "the last frame declares 144 bytes, but 44 are present")
    #expect(
      try missing(whole + tag.dropLast(28), "mp3")
        == "the ID3v1 tag declares 128 bytes, but 100 are present")
  }

  @Test func `an MP3 file with fewer bytes than its Xing header declares is cut off`() throws {
    let whole = mp3(10, frames: 9, bytes: 1440)
    #expect(try missing(whole, "mp3") == nil)
    for cut in [1, 100, 144] {
      #expect(
        try missing(whole.dropLast(cut), "mp3")
          == "the Xing or VBRI header declares 1440 bytes, but \(1440 - cut) are present")
    }
    // A writer that counts the header's frame twice.
    #expect(try missing(mp3(10, frames: 9, bytes: 1584), "mp3") == nil)
  }

  @Test func `an MP3 file with fewer frames than its header declares is damaged`() throws {
    func head(writer: String) -> [UInt8] {
      Array(mp3(10, frames: 9, bytes: 1440, writer: writer).prefix(LengthHeader.size))
    }
    let header = try #require(LengthHeader(head(writer: "LAME")))
    #expect(header.lack(of: 10) == nil)
    #expect(
      header.lack(of: 9) == "the Xing or VBRI header declares 9 frames, but 8 are present")
    let other = try #require(LengthHeader(head(writer: "Else")))
    #expect(other.lack(of: 9) == nil && other.lack(of: 8) != nil)
  }

  @Test func `tags that are cut off are reported`() throws {
    let tag =
      Array("APETAGEX".utf8) + little(2000, 4) + little(100, 4) + little(1, 4)
      + little(0xA000_0000, 4) + little(0, 8) + [UInt8](repeating: 1, count: 68)
      + Array("APETAGEX".utf8) + little(2000, 4) + little(100, 4) + little(1, 4)
      + little(0x8000_0000, 4) + little(0, 8)
    for format in ["wv", "mpc", "mp3"] {
      let media = format == "mp3" ? mp3(5) : [UInt8](repeating: 7, count: 500)
      #expect(try missing(media + tag, format) == nil)
      #expect(
        try missing(media + tag.dropLast(10), format)
          == "the APEv2 tag declares 100 bytes, but 90 are present")
    }
  }

  @Test func `frames, packets and segments that are cut off are reported`() throws {
    let y4m = MadeFiles.y4m(pictures: 3)
    #expect(try missing(y4m, "yuv4mpegpipe") == nil)
    #expect(
      try missing(y4m.dropLast(3), "yuv4mpegpipe")
        == "the last frame declares 18 bytes, but 15 are present")
    let obu: [UInt8] = [0x12, 0, 0x32, 3, 1, 2, 3]
    #expect(try missing(obu, "obu") == nil)
    #expect(
      try missing(obu.dropLast(), "obu") == "the last OBU declares 3 bytes, but 2 are present")
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 0, 0, 7, 0xFF, 0, 9, 0xFF, 0xD9, 1, 2]
    #expect(try missing(jpeg, "jpeg_pipe") == nil)
    #expect(
      try missing(jpeg.dropLast(3), "jpeg_pipe")
        == "the marker at the end of the JPEG image is missing")
    let pack: [UInt8] = [0, 0, 1, 0xBA, 0x44] + [UInt8](repeating: 0, count: 9)
    let packet = [0, 0, 1, 0xE0, 0, 20] + [UInt8](repeating: 9, count: 20)
    #expect(try missing(pack + packet + packet, "mpeg") == nil)
    #expect(try missing(pack + packet + [0, 0, 1, 0xB9], "mpeg") == nil)
    #expect(
      try missing(pack + packet + packet.dropLast(2), "mpeg")
        == "the last packet declares 26 bytes, but 24 are present")
    let aiff = Array("FORM".utf8) + [0, 0, 0, 20] + [UInt8](repeating: 0, count: 20)
    #expect(try missing(aiff, "aiff") == nil)
    #expect(
      try missing(aiff.dropLast(), "aiff")
        == "the FORM chunk declares 20 bytes, but 19 are present")
  }
}
