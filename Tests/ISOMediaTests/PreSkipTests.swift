import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

@Suite struct PreSkipTests {
  /// Returns ten packets of 20 ms from a file without an edit list.
  ///
  /// The Opus header has a pre-skip of `preSkip` audio samples.
  private func packets(preSkip: UInt16, options: [PluginOption] = []) throws -> (
    MediaDescription, [Packet]
  ) {
    var track = TrackDescription(kind: .audio, codec: "opus", timeBase: Rational(1, 48000))
    (track.sampleRate, track.channelLayout, track.frameSize) = (48000, .mono, 960)
    track.extradata = OpusConfiguration(channelCount: 1, preSkip: preSkip).head
    var media = MediaDescription(format: "mp4")
    media.tracks = [track]
    let file = MemoryFile()
    let muxer = try MP4Muxer(
      media: media, sink: file.byteSink, settings: MuxerSettings(options: options))
    for number in 0..<10 {
      let payload = [UInt8](repeating: 0xFC, count: 20).withUnsafeBytes { MediaBuffer(copying: $0) }
      try muxer.write(
        Packet(
          track: 0, pts: Int64(number) * 960, dts: Int64(number) * 960, duration: 960, flags: .key,
          payload: .bytes(payload)))
    }
    try muxer.finish(media)
    let (description, back) = try ISOMediaTests.packets(of: file)
    return (description, back.map(\.0))
  }

  @Test(arguments: [[], [PluginOption("fragment-interval", "0.05")]])
  func `without an edit list pre-skip is dropped and times stay`(options: [PluginOption]) throws {
    let (media, packets) = try packets(preSkip: 2000, options: options)
    #expect(packets.map(\.pts) == (0..<10).map { Int64($0) * 960 })
    #expect(packets.prefix(2).allSatisfy { $0.flags.contains(.discard) })
    #expect(packets[2].trimStart == 80)
    #expect(packets.dropFirst(3).allSatisfy { $0.trimStart == 0 && !$0.flags.contains(.discard) })
    #expect(media.tracks[0].start == 2000)
  }

  @Test func `without pre-skip nothing is dropped`() throws {
    let (media, packets) = try packets(preSkip: 0)
    #expect(packets.allSatisfy { $0.trimStart == 0 && !$0.flags.contains(.discard) })
    #expect(media.tracks[0].start == 0)
  }
}
