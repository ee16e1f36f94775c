import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Durations that a header or a frame declares without the media for them.
@Suite struct LyingDurations {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `a track without packets has no duration`() throws {
    let path = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=2", "-c:v", "libx264"]
        + ["-movflags", "faststart", path])
    var bytes = try Data(contentsOf: URL(filePath: path))
    let media = try #require(bytes.range(of: Data("mdat".utf8)))
    bytes = bytes.prefix(media.upperBound)
    try bytes.write(to: URL(filePath: path))
    let asset = Asset(
      path: path, registry: Pipeline.registry, prefersPreciseDurationAndTiming: true)
    #expect(try asset.duration() == .zero)
    do {
      _ = try ClipSequence([asset, asset])
      Issue.record("clips without packets were joined")
    } catch {
      #expect(error.message.contains("no packet"), "\(error)")
    }
  }

  private final class Counter: Stage {
    var samples = 0
    func consume(_ frame: Frame) throws(MediaError) { samples += frame.sampleCount }
    func finish() {}
  }

  /// A damaged FLAC frame can state another sample rate and then last minutes.
  @Test func `a frame that lasts much longer than its packet is damage`() throws {
    var track = TrackDescription(kind: .audio, codec: "pcm_s16le", timeBase: Rational(1, 48000))
    (track.sampleRate, track.channelLayout, track.sampleFormat) = (48000, .mono, .s16)
    let counter = Counter()
    let stage = try DecodeStage(
      track, of: try FileSource(path: Pipeline.clip("speech-opus.opus")),
      registry: Pipeline.registry,
      threads: 1, to: counter)
    func packet(_ time: Int64, samples: Int, lasting duration: Int64) -> Packet {
      Packet(
        track: 0, pts: time, dts: time, duration: duration, flags: .key,
        payload: .bytes(MediaBuffer([UInt8](repeating: 0, count: 2 * samples))))
    }
    try stage.consume(packet(0, samples: 480, lasting: 480))
    try stage.consume(packet(480, samples: 480_000, lasting: 480))
    try stage.consume(packet(960, samples: 480, lasting: 480))
    try stage.finish()
    #expect(counter.samples == 960)
    #expect(stage.damagedPackets == 1)
    #expect(stage.firstDamage?.message.contains("longer than its 10 ms") == true)
  }

  @Test func `a header that libavformat rejects is named with what was expected`() throws {
    // An Ogg page with a truncated FLAC header packet.
    var page: [UInt8] = Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 8)
    page +=
      [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9] + [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1]
    let path = scratch.path("cut.ogg")
    try Data(page).write(to: URL(filePath: path))
    do {
      try Pipeline.export(path, "opus-128k", to: scratch.path("out.opus"))
      Issue.record("it was converted")
    } catch let error as MediaError {
      #expect(!"\(error)".contains("Unknown error"), "\(error)")
    }
  }
}
