import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import RespoolHost

@Suite struct FileSources {
  let fixtures: PluginWorkshop
  let bytes: [UInt8]
  let path: String

  init() throws {
    fixtures = try PluginWorkshop()
    bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) }
    path = fixtures.path("file.bin")
    try Data(bytes).write(to: URL(filePath: path))
  }

  private func read(_ source: FileSource, _ offset: Int64, _ count: Int) throws -> [UInt8] {
    let buffer = MediaBuffer(count: count)
    let got = try source.read(at: offset, into: buffer.bytes)
    return Array(buffer.readOnly.prefix(got))
  }

  @Test(arguments: [1, 8, 100, 8191, 8192, 70_000, 300_000, 400_000])
  func `reads of every size give the file's bytes`(count: Int) throws {
    let source = try FileSource(path: path)
    #expect(source.size == 300_000)
    #expect(source.name == "file.bin")
    for offset in [0, 1, 8191, 65_535, 65_536, 299_999] + stride(from: 0, to: 300_000, by: 33_331) {
      #expect(
        try read(source, Int64(offset), count)
          == Array(bytes[offset..<min(300_000, offset + count)]))
    }
  }

  @Test func `small reads in sequence and backwards agree with the file`() throws {
    let source = try FileSource(path: path)
    for offset in Array(stride(from: 0, to: 100_000, by: 8)) + stride(from: 99_000, to: 0, by: -8) {
      #expect(try read(source, Int64(offset), 8) == Array(bytes[offset..<offset + 8]))
    }
  }

  @Test func `at and after the end there is nothing`() throws {
    let source = try FileSource(path: path)
    #expect(try read(source, 300_000, 8) == [])
    #expect(try read(source, .max, 8) == [])
    #expect(throws: MediaError.self) { _ = try read(source, -1, 8) }
  }

  @Test func `a file that shrinks gives the bytes it has and an error for the others`() throws {
    let source = try FileSource(path: path)
    #expect(truncate(path, 100_000) == 0)
    #expect(try read(source, 99_992, 8) == Array(bytes[99_992..<100_000]))
    for count in [8, 50_000] {
      #expect { _ = try read(source, 100_000, count) } throws: {
        ($0 as? MediaError)?.code == .io
          && ($0 as? MediaError)?.message.contains("became shorter") == true
      }
    }
  }

  @Test func `a folder, a pipe and a missing file are rejected`() throws {
    #expect { _ = try FileSource(path: fixtures.folder.path) } throws: {
      ($0 as? MediaError)?.message == "is a folder; expected a file"
    }
    #expect(mkfifo(fixtures.path("pipe"), 0o600) == 0)
    #expect(throws: MediaError.self) { _ = try FileSource(path: fixtures.path("pipe")) }
    #expect { _ = try FileSource(path: fixtures.path("no")) } throws: {
      "\($0)" == "\(fixtures.path("no")): cannot be opened: no such file or directory"
    }
  }

  @Test func `the bytes of a range are read, and a range outside is rejected`() throws {
    let source = try FileSource(path: path)
    func packet(_ offset: Int64, _ length: Int64) -> Packet {
      Packet(track: 0, pts: 0, dts: 0, payload: .range(offset: offset, length: length))
    }
    let read = try source.bytes(of: packet(1000, 50_000))
    #expect(read.buffer?.readOnly.elementsEqual(bytes[1000..<51_000]) == true)
    for (offset, length) in [(-1, 4), (299_999, 2), (0, .max), (.max, .max), (4, -1)]
      as [(Int64, Int64)]
    {
      #expect(throws: MediaError.self) { _ = try source.bytes(of: packet(offset, length)) }
    }
  }
}
