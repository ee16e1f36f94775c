import PluginHost
import RespoolPlugin
import Testing

@testable import VPX

@Suite struct TwoPassTests {
  private func settings(_ codec: String, _ pass: EncoderSettings.Pass)
    -> EncoderSettings
  {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
    (track.width, track.height) = (64, 48)
    track.pixelFormat = .yuv420p
    track.frameRate = Rational(25, 1)
    var settings = EncoderSettings(
      track: track, bitRate: 100_000, options: [PluginOption("cpu-used", "5")])
    settings.pass = pass
    return settings
  }

  /// Encodes thirty frames, with much more detail in the second half, and returns the packets.
  private func run(_ settings: EncoderSettings) throws -> [Packet] {
    let frames = try (0..<30).map { number in
      let frame = try #require(
        Frame(pixelFormat: .yuv420p, width: 64, height: 48, pts: Int64(number)))
      let bytes = frame.buffer.bytes
      for index in bytes.indices {
        bytes[index] = UInt8(number < 15 ? 60 : index / 7 % 48 + number * 4)
      }
      return frame
    }
    return try Coding.encode(frames, with: VPXEncoder(settings: settings))
  }

  @Test(arguments: ["vp8", "vp9"])
  func `the last pass uses the statistics of the first`(codec: String) throws {
    let found = try run(settings(codec, .first))
    #expect(found.count >= 30)
    let statistics = found.flatMap(\.bytes)
    let coded = try run(settings(codec, .last(statistics: statistics)))
    // Alternate reference frames of VP8 are separate packets.
    #expect(Set(coded.map(\.pts)).isSuperset(of: (0..<30).map { Int64($0) }))
    let single = try run(settings(codec, .only))
    #expect(coded.map(\.size) != single.map(\.size))
  }

  @Test(arguments: [0, 1, 100])
  func `a last pass requires statistics of a first`(count: Int) {
    let statistics = [UInt8](repeating: 7, count: count)
    #expect(throws: MediaError.self) {
      try run(settings("vp9", .last(statistics: statistics)))
    }
  }
}
