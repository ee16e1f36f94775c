import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Chunks of Broadcast Wave files that a conversion copies or reports as lost.
@Suite struct BroadcastWaveTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let size = withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) }
    return Array(name.utf8) + size + body + (body.count % 2 == 1 ? [0] : [])
  }

  private func number(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private func text(_ text: String, _ count: Int) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
  }

  /// The version, UMID and loudness, which follow the time reference.
  private let coded: [UInt8] =
    [2, 0] + (0..<64).map { UInt8($0) } + [0x9C, 0xFF] + .init(repeating: 7, count: 188)
  private let xml = "<BWFXML><SCENE>12A</SCENE></BWFXML>"

  /// Writes four seconds of silence at 48 kHz with every chunk that recorders write, and returns the path.
  private func recording() throws -> String {
    let broadcast =
      text("Scene 12A", 256) + text("ZOOM F8", 32) + text("REF1", 32) + text("2024-05-06", 10)
      + text("10:11:12", 8) + number(48_000 * 100) + number(0) + coded
      + Array("A=PCM,F=48000,W=16\r\n".utf8)
    let point = number(1) + number(48_000) + Array("data".utf8) + number(0) + number(0)
    let list =
      Array("INFO".utf8) + chunk("ITCH", Array("Somebody".utf8) + [0])
      + chunk("ICRD", Array("2023\0".utf8))
    let labels =
      Array("adtl".utf8) + chunk("labl", number(1) + Array("Here\0".utf8))
      + chunk("note", number(1) + Array("a long note\0".utf8))
    let format: [UInt8] = [1, 0, 1, 0] + number(48_000) + number(96_000) + [2, 0, 16, 0]
    var body = chunk("fmt ", format) + chunk("bext", broadcast) + chunk("LIST", list)
    body += chunk("cue ", number(1) + point + number(48_000)) + chunk("LIST", labels)
    body += chunk("data", [UInt8](repeating: 0, count: 48_000 * 2 * 4))
    body += chunk("iXML", Array(xml.utf8)) + chunk("inst", [60, 0, 0, 0, 127, 0, 127])
    let path = scratch.path("take.wav")
    try Data(Array("RIFF".utf8) + number(UInt32(4 + body.count)) + Array("WAVE".utf8) + body)
      .write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Returns the bodies of a file's chunks by chunk name, and those of lists by list type.
  private func chunks(_ path: String) throws -> [String: [UInt8]] {
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var (chunks, place) = ([String: [UInt8]](), 12)
    while place + 8 <= file.count {
      let size = (0..<4).reduce(0) { $0 | Int(file[place + 4 + $1]) << (8 * $1) }
      let body = Array(file[place + 8..<min(file.count, place + 8 + size)])
      var name = String(decoding: file[place..<place + 4], as: UTF8.self)
      if name == "LIST" { name = String(decoding: body.prefix(4), as: UTF8.self) }
      chunks[name] = body
      place += 8 + size + size % 2
    }
    return chunks
  }

  @Test func `all fields are copied from WAV to WAV`() throws {
    let source = try recording()
    let output = scratch.path("copy.wav")
    let report = try Pipeline.export(source, "wav", to: output)
    #expect(report.losses == [])
    let (before, after) = (try chunks(source), try chunks(output))
    for name in ["bext", "iXML", "inst", "cue ", "adtl"] {
      #expect(after[name] == before[name], "\(name)")
    }
    let list = String(decoding: after["INFO"] ?? [], as: UTF8.self)
    #expect(list.contains("Somebody") && list.contains("2023"))
  }

  @Test func `fields that other containers cannot store are named`() throws {
    let source = try recording()
    let report = try Pipeline.export(source, "opus-128k", to: scratch.path("take.opus"))
    for word in ["chunk 'iXML'", "chunk 'inst'", "chunk 'bext'", "notes"] {
      #expect(report.losses.contains { $0.contains(word) }, "\(word): \(report.losses)")
    }
  }

  /// The time reference counts samples of the output and is later in a clip that starts later.
  @Test func `a part has its own time reference`() throws {
    let session = try ExportSession(
      asset: Asset(path: try recording(), registry: Pipeline.registry),
      preset: try Pipeline.preset("wav"), registry: Pipeline.registry, threads: 1)
    session.timeRange = TimeRange(
      start: MediaTime(value: 1, timescale: 1), duration: MediaTime(value: 2, timescale: 1))
    let output = scratch.path("part.wav")
    let report = try session.exportAndWait(to: output)
    #expect(report.losses.contains { $0.contains("lost: the notes") }, "\(report.losses)")
    let after = try chunks(output)
    let reference = try #require(after["bext"])[338..<346]
    #expect(Array(reference) == number(48_000 * 101) + number(0))
    #expect(after["iXML"] == Array(xml.utf8))
    // The numbers in this chunk count samples of the whole file.
    #expect(after["adtl"].map { String(decoding: $0, as: UTF8.self).contains("note") } != true)
  }
}
