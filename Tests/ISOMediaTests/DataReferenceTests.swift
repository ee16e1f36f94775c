import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

@Suite struct DataReferenceTests {
  private func bytes(_ alias: AliasRecord) -> [UInt8] {
    var writer = BoxWriter()
    alias.write(to: &writer)
    return writer.bytes
  }

  @Test(arguments: ["/clip.mov", "/a folder/clips/é.mov", "clip.mov", "clips/odd.mov", "a/b/c/d"])
  func `an alias round-trips, and damage does no harm`(path: String) throws {
    let bytes = bytes(try AliasRecord(path: path))
    // The record stores its own size.
    #expect(Int(bytes[4]) << 8 | Int(bytes[5]) == bytes.count)
    var reader = ByteReader(bytes)
    #expect(try AliasRecord(from: &reader)?.path == path)
    for count in 0..<bytes.count {
      var part = ByteReader(Array(bytes.prefix(count)))
      _ = try? AliasRecord(from: &part)
    }
    var reference = BoxWriter()
    reference.zeros(8)
    reference.box("alis") {
      $0.zeros(4)
      $0.raw(bytes)
    }
    for count in 0..<reference.bytes.count {
      #expect(DataReferences(ByteReader(Array(reference.bytes.prefix(count)))).files.count <= 1)
    }
    #expect(DataReferences(ByteReader(reference.bytes)).files == [path])
  }

  @Test func `a path that an alias cannot store is rejected`() {
    for path in ["/a:b", "/a\0b", String(repeating: "/long", count: 8000)] {
      #expect(throws: MediaError.self) { try AliasRecord(path: path) }
    }
  }

  @Test func `entries of this file and of others are distinguished`() {
    var writer = BoxWriter()
    writer.zeros(8)
    writer.box("url ") { $0.versionAndFlags(0, 1) }
    writer.box("alis") { $0.versionAndFlags(0, 1) }
    writer.box("url ") {
      $0.versionAndFlags(0)
      $0.raw("file:///etc/passwd\0".utf8)
    }
    // Careless writers store empty entries.
    writer.box("url ") { $0.versionAndFlags(0) }
    writer.box("alis") { $0.versionAndFlags(0) }
    writer.box("rsrc") { $0.versionAndFlags(0) }
    #expect(
      DataReferences(ByteReader(writer.bytes)).files
        == [nil, nil, "file:///etc/passwd", nil, nil, nil])
  }

  @Test func `URNs and entries of unknown types are not treated as this file`() {
    var writer = BoxWriter()
    writer.zeros(8)
    writer.box("urn ") {
      $0.versionAndFlags(0)
      $0.raw("urn:uuid:1\0http://example.org/a\0".utf8)
    }
    writer.box("urn ") { $0.versionAndFlags(0) }
    writer.box("urn ") { $0.versionAndFlags(0, 1) }
    writer.box("imdt") { $0.versionAndFlags(0) }
    let files = DataReferences(ByteReader(writer.bytes)).files
    #expect(files.map { $0 != nil } == [true, true, false, true])
    #expect(files.first == "urn:uuid:1 http://example.org/a")
  }

  @Test(arguments: [false, true])
  func `a track whose media is in another file is rejected`(isFragmented: Bool) throws {
    let file = isFragmented ? MemoryFile() : try SyntheticMovie().file()
    if isFragmented { file.bytes = FragmentedMovie.bytes(reference: "urn ") }
    // Replaces the entry for this file, 12 bytes with flag 1, with an empty urn for another file.
    for place in file.bytes.indices.dropLast(12)
    where file.bytes[place..<place + 12].elementsEqual([0, 0, 0, 12] + "url ".utf8 + [0, 0, 0, 1]) {
      file.bytes.replaceSubrange(place + 4..<place + 12, with: "urn ".utf8 + [0, 0, 0, 0])
    }
    let demuxer = try ISOMediaDemuxer(source: file.byteSource, settings: .init())
    let error = #expect(throws: MediaError.self) { try demuxer.read() }
    #expect(error?.code == .unsupported && error?.path?.hasSuffix("dref") == true)
  }

  /// Returns a movie whose odd-numbered frames are in another file, from `offset` on.
  private func mixed(at offset: Int64) throws -> MemoryFile {
    var movie = SyntheticMovie()
    movie.media.chapters = []
    for (number, index) in movie.packets.indices.filter({ movie.packets[$0].track == 0 })
      .enumerated() where number % 2 == 1
    {
      let reference = MediaReference(
        path: "other.bin", offset: offset + Int64(number) * 100,
        length: Int64(movie.packets[index].size))
      movie.packets[index].payload = .bytes(MediaBuffer(reference.payload))
      movie.packets[index].flags.insert(.isReference)
    }
    return try movie.file(MOVMuxer.self)
  }

  @Test(arguments: [(1000, "stco"), (5 << 30, "co64")] as [(Int64, String)])
  func `media of this file and of another are stored in one track`(offset: Int64, table: String)
    throws
  {
    let file = try mixed(at: offset)
    let text = String(decoding: file.bytes, as: Unicode.ASCII.self)
    #expect(text.contains(table) && text.contains("Volume:other.bin"))
    let box = try #require(
      file.bytes.indices.dropLast(4).first {
        file.bytes[$0..<$0 + 4].elementsEqual(table.utf8)
      })
    var reader = ByteReader(file.bytes[(box + 8)...])
    let count = Int(try reader.big(UInt32.self))
    var offsets: [Int64] = []
    for _ in 0..<count {
      offsets.append(
        table == "co64" ? try reader.big() : Int64(try reader.big(UInt32.self)))
    }
    let foreign = (0..<30).filter { $0 % 2 == 1 }.map { offset + Int64($0) * 100 }
    try #require(offsets.filter { foreign.contains($0) } == foreign)
    #expect(count == 30)
    // The offsets of this file's own frames are right although the movie box was inserted before them.
    let own = SyntheticMovie().packets.filter { $0.track == 0 }.enumerated()
      .filter { $0.offset % 2 == 0 }.map { $0.element.buffer.map { Array($0.readOnly) } ?? [] }
    let places = offsets.filter { !foreign.contains($0) }.map(Int.init)
    #expect(zip(places, own).map { Array(file.bytes[$0..<$0 + $1.count]) } == own)

    let demuxer = try ISOMediaDemuxer(source: file.byteSource, settings: .init())
    let error = #expect(throws: MediaError.self) { while try demuxer.read() != nil {} }
    #expect(error?.message.contains("other.bin") == true)
  }

  @Test func `a reference without a location is rejected`() throws {
    for reference in [
      MediaReference(path: "", offset: 0, length: 1), .init(path: "a", offset: -1, length: 1),
      .init(path: "a", offset: 0, length: 0), .init(path: "a", offset: .max, length: 1),
      .init(path: "a", offset: 0, length: 1 << 40),
    ] {
      var movie = SyntheticMovie()
      movie.packets[0].payload = .bytes(MediaBuffer(reference.payload))
      movie.packets[0].flags.insert(.isReference)
      #expect(throws: MediaError.self) { try movie.file(MOVMuxer.self) }
    }
  }
}
