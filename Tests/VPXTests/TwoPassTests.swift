import RespoolPlugin
import Testing

@testable import VPX

@Suite struct TwoPassTests {
  private func settings(_ codec: String, _ options: [MetadataEntry]) -> EncoderSettings {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
    (track.width, track.height) = (64, 48)
    track.pixelFormat = .yuv420p
    track.frameRate = Rational(25, 1)
    return EncoderSettings(
      track: track, bitRate: 100_000, options: options + [MetadataEntry("cpu-used", "5")])
  }

  /// Encodes thirty frames, with much more detail in the second half, and returns the packets.
  private func run(_ settings: EncoderSettings) throws -> [Packet] {
    let encoder = try VPXEncoder(settings: settings)
    var packets: [Packet] = []
    func takeAll() throws {
      while case .value(let packet) = try encoder.receive() { packets.append(packet) }
    }
    for number in 0..<30 {
      let frame = try #require(
        Frame(pixelFormat: .yuv420p, width: 64, height: 48, pts: Int64(number)))
      let bytes = frame.buffer.bytes
      for index in bytes.indices {
        bytes[index] = UInt8(number < 15 ? 60 : index / 7 % 48 + number * 4)
      }
      _ = try encoder.send(frame)
      try takeAll()
    }
    _ = try encoder.send(nil)
    try takeAll()
    return packets
  }

  @Test(arguments: ["vp8", "vp9"])
  func theLastPassGoesByWhatTheFirstFound(codec: String) throws {
    let found = try run(settings(codec, [MetadataEntry("pass", "first")]))
    #expect(found.count >= 30)
    let statistics = found.flatMap { $0.buffer.map { Array($0.readOnly) } ?? [] }
    let digits = statistics.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let options = [MetadataEntry("pass", "last"), MetadataEntry("first-pass", digits)]
    let coded = try run(settings(codec, options))
    // Alternate reference frames of VP8 are separate packets.
    #expect(Set(coded.map(\.pts)).isSuperset(of: (0..<30).map { Int64($0) }))
    let single = try run(settings(codec, []))
    #expect(coded.map(\.size) != single.map(\.size))
  }

  @Test(arguments: [
    [MetadataEntry("pass", "last")], [MetadataEntry("first-pass", "00")],
    [MetadataEntry("pass", "last"), MetadataEntry("first-pass", "0g")],
    [MetadataEntry("pass", "last"), MetadataEntry("first-pass", "0")],
  ])
  func aLastPassNeedsStatistics(options: [MetadataEntry]) {
    #expect(throws: MediaError.self) { try VPXEncoder(settings: settings("vp9", options)) }
  }
}
