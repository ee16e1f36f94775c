import RespoolMedia
import TestFixtures
import Testing

@testable import Respool
@testable import RespoolPipeline

/// Comparisons of a decoded output with what was written.
@Suite struct OutputVerificationTests {
  /// Returns a track of the output as it was written.
  private func written(_ kind: TrackDescription.Kind, _ codec: String, encoded: [Frame])
    -> WrittenTrack
  {
    var track = TrackDescription(kind: kind, codec: codec, timeBase: Rational(1, 1000))
    track.kind = kind
    var written = WrittenTrack(track, timeBase: Rational(1, 1000))
    var digest = TrackDigest()
    for frame in encoded { digest.add(frame) }
    written.digest = digest
    return written
  }

  @Test func `missing frames and audio samples of an output are found`() throws {
    let image = try #require(Frame(pixelFormat: .yuv420p, width: 16, height: 16, pts: 0))
    let sound = try #require(
      Frame(
        sampleFormat: .s16, channelLayout: .mono, sampleRate: 8000, sampleCount: 8000))
    let check = WholeOutputCheck(
      path: "a.mp4",
      written: [
        written(.video, "h264", encoded: [image, image, image]),
        written(.audio, "flac", encoded: [sound]),
      ], registry: Pipeline.registry, threads: 1)
    func difference(_ frames: Int64, _ seconds: Double) -> String? {
      check.difference(from: [
        FileCheck.Track(
          kind: .video, isCover: false, packetCount: 3, frameCount: frames, audioSeconds: 0),
        FileCheck.Track(
          kind: .audio, isCover: false, packetCount: 9, frameCount: 9, sampleCount: 8000,
          audioSeconds: seconds),
      ])
    }
    #expect(difference(3, 1) == nil)
    #expect(difference(2, 1)?.contains("track 1 is decoded to 2 frames; 3 were encoded") == true)
    #expect(
      difference(3, 0.9)
        == "is not what was written: track 2 is decoded to 0.9 s of audio; 1 s were encoded")
  }
}
