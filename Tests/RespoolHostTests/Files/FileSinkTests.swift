import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import RespoolHost

@Suite struct FileSinks {
  let fixtures: PluginWorkshop
  let source: FileSource
  let bytes: [UInt8]

  init() throws {
    fixtures = try PluginWorkshop()
    bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 * 13 + $0 >> 9) }
    try Data(bytes).write(to: URL(filePath: fixtures.path("source")))
    source = try FileSource(path: fixtures.path("source"))
  }

  private func contents(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: fixtures.path(name))))
  }

  private func write(_ sink: FileSink, _ bytes: [UInt8], at offset: Int64) throws {
    try bytes.withUnsafeBytes { try sink.write($0, at: offset) }
  }

  private func insert(_ sink: FileSink, _ bytes: [UInt8], at offset: Int64) throws {
    try bytes.withUnsafeBytes { try sink.insert($0, at: offset) }
  }

  @Test(arguments: [false, true])
  func `appending, ranges, overwriting and inserting agree with a model`(copiesInKernel: Bool)
    throws
  {
    let sink = try FileSink(path: fixtures.path("out"), source: source)
    sink.copiesInKernel = copiesInKernel
    var model: [UInt8] = []
    var state: UInt64 = 42
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, bound)
    }
    for step in 0..<300 {
      let count = [3, 500, 70_000, 300_000][next(step % 16 == 0 ? 4 : 3)]
      let offset = next(bytes.count - count)
      let part = Array(bytes[offset..<offset + count])
      switch next(5) {
      case 0, 1:
        try sink.write(part)
        model += part
      case 2:
        try sink.copy(rangeAt: Int64(offset), length: Int64(count))
        model += part
      case 3 where model.count >= count:
        let place = next(model.count - count + 1)
        try write(sink, part, at: Int64(place))
        model.replaceSubrange(place..<place + count, with: part)
      default:
        if model.count > 5_000_000 { continue }
        let place = next(model.count + 1)
        try insert(sink, part, at: Int64(place))
        model.insert(contentsOf: part, at: place)
      }
      #expect(sink.size == Int64(model.count))
    }
    try sink.finish()
    #expect(try contents("out") == model)
  }

  @Test(arguments: [4096, 12288, 4097], [0, 28, 4100])
  func `whole blocks inserted in front of much data are like any bytes`(count: Int, at place: Int)
    throws
  {
    let name = "front-\(count)-\(place)"
    let sink = try FileSink(path: fixtures.path(name), source: source)
    var model: [UInt8] = []
    while model.count < 20_000_000 {
      try sink.write(bytes)
      model += bytes
    }
    let part = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    try insert(sink, part, at: Int64(place))
    model.insert(contentsOf: part, at: place)
    try sink.write([1, 2, 3])
    model += [1, 2, 3]
    #expect(sink.size == Int64(model.count))
    try sink.finish()
    #expect(try contents(name) == model)
  }

  @Test func `space that was reserved for a long file and is not needed is released`() throws {
    let sink = try FileSink(path: fixtures.path("out"), source: source)
    while sink.size < 2 * FileSink.stride + 5000 { try sink.write(bytes) }
    var status = stat()
    stat(fixtures.path("out"), &status)
    #expect(Int64(status.st_size) <= sink.size, "only space is reserved, the file grows by writing")
    try sink.finish()
    stat(fixtures.path("out"), &status)
    #expect(Int64(status.st_size) == sink.size)
    #expect(Int64(status.st_blocks) * 512 <= sink.size + 1 << 20)
  }

  @Test func `an existing file is unchanged`() throws {
    #expect { _ = try FileSink(path: fixtures.path("source")) } throws: {
      ($0 as? MediaError)?.message == "cannot be created: file exists"
    }
    #expect(try contents("source") == bytes)
  }

  @Test func `a sink that is abandoned or forgotten leaves nothing`() throws {
    let sink = try FileSink(path: fixtures.path("a"))
    try sink.write([1, 2, 3])
    sink.abandon()
    #expect(throws: MediaError.self) { try sink.write([4]) }
    do {
      let forgotten = try FileSink(path: fixtures.path("b"))
      try forgotten.write([1])
    }
    #expect(access(fixtures.path("a"), F_OK) != 0)
    #expect(access(fixtures.path("b"), F_OK) != 0)
  }

  @Test func `bytes after the end can be neither overwritten nor inserted`() throws {
    let sink = try FileSink(path: fixtures.path("out"))
    try sink.write([1, 2, 3])
    #expect(throws: MediaError.self) { try write(sink, [9, 9], at: 2) }
    #expect(throws: MediaError.self) { try write(sink, [9], at: -1) }
    #expect(throws: MediaError.self) { try write(sink, [9], at: .max) }
    #expect(throws: MediaError.self) { try insert(sink, [9], at: 4) }
    try sink.finish()
    #expect(try contents("out") == [1, 2, 3])
  }

  @Test func `a full device is named as such`() {
    let error = MediaError.system("cannot be written", ENOSPC, file: "out.mp4")
    #expect("\(error)" == "out.mp4: cannot be written: no space left on the device")
  }
}
