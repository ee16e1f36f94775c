import PluginHost
import RespoolPlugin
import Testing

@testable import AVFormat

/// Attributes, languages and names in the header of ASF.
@Suite struct ASFAttributesTests {
  private func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// Returns UTF-16 text that ends with 0.
  private func wide(_ text: String) -> [UInt8] { (text.utf16 + [0]).flatMap { little($0) } }

  /// Returns an object with an ID in the form of the specification.
  private func object(_ id: String, _ body: [UInt8]) -> [UInt8] {
    let digits = id.replacing("-", with: "")
    let bytes = stride(from: 0, to: 32, by: 2).map { place in
      let start = digits.index(digits.startIndex, offsetBy: place)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    return order.map { bytes[$0] } + little(UInt64(body.count) + 24) + body
  }

  private func attribute(
    _ name: String, _ type: UInt16, _ value: [UInt8], language: UInt16 = 0, stream: UInt16 = 0
  ) -> [UInt8] {
    little(language) + little(stream) + little(UInt16(wide(name).count)) + little(type)
      + little(UInt32(value.count)) + wide(name) + value
  }

  private func library(_ attributes: [[UInt8]]) -> [UInt8] {
    object(
      "44231C94-9498-49D1-A141-1D134E457054",
      little(UInt16(attributes.count)) + attributes.joined())
  }

  private func languages(_ tags: [String]) -> [UInt8] {
    object(
      "7C4346A9-EFE0-4BFC-B229-393EDE415C85",
      little(UInt16(tags.count)) + tags.flatMap { [UInt8(wide($0).count)] + wide($0) })
  }

  private func stream(_ number: UInt16, language: UInt16, names: [String] = []) -> [UInt8] {
    object(
      "14E6A5CB-C672-4332-8399-A96952065B5A",
      [UInt8](repeating: 0, count: 48) + little(number) + little(language)
        + [UInt8](repeating: 0, count: 8) + little(UInt16(names.count)) + [0, 0]
        + names.flatMap { [0, 0] + little(UInt16(wide($0).count)) + wide($0) })
  }

  private func file(_ objects: [[UInt8]], in further: [[UInt8]] = []) -> [UInt8] {
    let inner = Array(objects.joined())
    let header = object(
      "5FBF03B5-A92E-11CF-8EE3-00C00C205365",
      [UInt8](repeating: 0, count: 18) + little(UInt32(inner.count)) + inner)
    return object(
      "75B22630-668E-11CF-A6D9-00AA0062CE6C", [2, 0, 0, 0, 1, 2] + header + further.joined())
  }

  private func media(_ bytes: [UInt8], _ metadata: [MetadataEntry] = []) throws -> MediaDescription
  {
    let memory = MemoryFile(bytes, name: "file.wma")
    let header = try withExtendedLifetime(memory) { try ASFHeader(memory.byteSource) }
    var track = TrackDescription(kind: .audio, codec: "wmav2", timeBase: Rational(1, 1000))
    track.id = 1
    var media = MediaDescription(format: "asf", tracks: [track])
    media.metadata = metadata
    media.take(header)
    return media
  }

  @Test func `attributes have the languages of their indexes`() throws {
    let bytes = file([
      languages(["en-us", "fil", "de"]),
      library([
        attribute("WM/SubTitle", 0, wide("One"), language: 0),
        attribute("WM/SubTitle", 0, wide("Isa"), language: 1),
        attribute("WM/SubTitle", 0, wide("Eins"), language: 2),
      ]),
    ])
    let media = try media(bytes, [MetadataEntry("WM/SubTitle", "Eins")])
    #expect(media.metadata == [MetadataEntry("WM/SubTitle", "One;Isa;Eins")])
    #expect(media.nativeTags.map(\.value) == ["One", "Isa", "Eins"])
    #expect(media.nativeTags.map(\.language) == ["en-US", "fil", "de"])
    for count in bytes.indices { _ = try self.media(Array(bytes[..<count])) }
  }

  @Test func `every value of an attribute is kept`() throws {
    let media = try media(
      file([
        library([
          attribute("Author", 0, wide("A")), attribute("Author", 0, wide("B")),
          attribute("WM/Count", 3, little(UInt32(70_000))),
          attribute("WM/Class", 6, Array(0..<16)),
        ])
      ]), [MetadataEntry("artist", "B"), MetadataEntry("WM/Count", "70000")])
    #expect(
      media.metadata == [
        MetadataEntry("artist", "A;B"), MetadataEntry("WM/Count", "70000"),
        MetadataEntry("WM/Class", "03020100-0504-0706-0809-0A0B0C0D0E0F"),
      ])
  }

  /// Without several values, FFmpeg's tags say the same.
  @Test func `attributes that FFmpeg reads leave its tags as they are`() throws {
    let metadata = [MetadataEntry("artist", "A"), MetadataEntry("IsVBR", "1")]
    let media = try media(
      file([
        library([
          attribute("Author", 0, wide("A")), attribute("IsVBR", 2, [0, 0], stream: 1),
          attribute("IsVBR", 2, [1, 0], stream: 2),
        ])
      ]), metadata)
    #expect(media.metadata == metadata)
    #expect(media.nativeTags == [])
    #expect(media.tracks[0].metadata == [])
  }

  @Test func `a stream has its own name, attributes and language`() throws {
    let media = try media(
      file([
        languages(["en", "fil-ph"]), stream(1, language: 1, names: ["Pangunahin"]),
        library([attribute("Mood", 0, wide("calm"), stream: 1)]),
      ]), [MetadataEntry("Mood", "calm")])
    #expect(media.metadata == [])
    #expect(media.tracks[0].language == "fil-PH")
    #expect(
      media.tracks[0].metadata == [
        MetadataEntry("title", "Pangunahin"), MetadataEntry("Mood", "calm"),
      ])
    let plain = try self.media(file([languages(["fil"]), stream(1, language: 0)]))
    #expect(plain.tracks[0].language == "fil")
  }

  @Test func `objects and attributes that no muxer writes are named`() throws {
    let script = object(
      "1EFB1A30-0B62-11D0-A39B-00A0C90348F6",
      [UInt8](repeating: 0, count: 16) + [1, 0, 0, 0])
    let banner = object("2211B3FA-BD23-11D2-B4B7-00A0C955FC6E", [1, 0, 0, 0])
    let media = try media(
      file(
        [
          library([
            attribute("WM/MCDI", 1, [1, 2]), attribute("WM/Picture", 1, [3]),
          ]), stream(1, language: 0, names: ["A", "B"]),
        ], in: [script, banner]))
    #expect(
      media.sideData.flatMap(\.unwrittenElements) == [
        "further names of a stream of ASF", "script commands of ASF", "banner image of ASF",
        "attribute 'WM/MCDI' of ASF",
      ])
    #expect(media.tracks[0].metadata == [MetadataEntry("title", "A")])
  }
}
