import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// The edges of segments, media and instructions in compositions.
@Suite struct CompositionEdgesTests {
  let composition = MutableComposition()

  private func asset(_ path: String) -> Asset { Asset(path: path, registry: Pipeline.registry) }

  private func microseconds(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: MediaTime(value: start, timescale: 1_000_000),
      end: MediaTime(value: end, timescale: 1_000_000))
  }

  /// Joins segments whose source and target times both lie between two audio samples.
  @Test func `audio of clips is continuous after rounding`() throws {
    let speech = asset(Pipeline.clip("speech.wav"))
    var end: Int64 = 0
    for (start, length) in [
      (100_011, 100_013), (200_024, 100_017), (300_041, 99_991), (7, 250_003),
    ]
      as [(Int64, Int64)]
    {
      try composition.insertTimeRangeAndWait(
        microseconds(start, start + length), of: speech, at: .invalid)
      end += length
    }
    let rate = 48_000.0
    let blocks = try Pipeline.samples(
      of: composition, .audio, .audio(sampleFormat: .flt, sampleRate: Int(rate)))
    var next = MediaTime.zero
    for block in blocks {
      #expect(block.presentationTimeStamp == next)
      next = next + block.duration
    }
    #expect(next.value == Int64((Double(end) / 1e6 * rate).rounded()) && next.timescale == 48_000)
    // The first three also follow each other in the file: no audio sample is left out or repeated.
    let heard = try Sound(blocks).channels[0]
    let whole = try Pipeline.sound(Pipeline.clip("speech.wav"), rate: Int(rate)).channels[0]
    let first = Int((0.100011 * rate).rounded())
    let count = Int(0.300021 * rate) - 2
    let difference = zip(heard[0..<count], whole[first..<first + count]).map { abs($0 - $1) }.max()
    #expect((difference ?? 1) < 0.02, "\(String(describing: difference))")
  }

  @Test func `audio at inaudible speeds is silent`() throws {
    let speech = asset(Pipeline.clip("speech.wav"))
    try composition.insertTimeRangeAndWait(microseconds(0, 1_000_000), of: speech, at: .zero)
    composition.scaleTimeRange(
      microseconds(0, 500_000), toDuration: MediaTime(value: 1, timescale: 1000))
    let sound = try Sound(Pipeline.samples(of: composition, .audio, .audio(sampleFormat: .fltp)))
    let rate = Double(sound.rate)
    #expect(sound.count == Int((0.501 * rate).rounded()))
    #expect(sound.channels[0].prefix(Int(0.001 * rate)).allSatisfy { $0 == 0 })
    #expect(sound.channels[0].contains { abs($0) > 0.01 })
  }

  @Test func `the last frame of a file lasts to the end of its track`() throws {
    let scratch = try Scratch()
    let path = scratch.path("cover.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=0.04", "-f", "lavfi", "-i"]
        + ["sine=d=2", "-c:v", "mpeg4", "-c:a", "flac", path])
    let track = try #require(try asset(path).tracks(withMediaType: .video).first)
    try #require(track.timeRange.end >= MediaTime(value: 15, timescale: 10))
    let video = try #require(composition.addMutableTrack(withMediaType: .video))
    try video.insertTimeRange(microseconds(500_000, 1_500_000), of: track, at: .zero)
    let pictures = try Pipeline.samples(of: composition, .video, .video())
    #expect(pictures.map(\.presentationTimeStamp) == [.zero])
    #expect(abs((pictures.first?.duration.seconds ?? 0) - 1) < 0.002)
  }

  /// Uses an instruction much longer than the asset, as programs commonly do.
  @Test func `a composition ends with the asset, not with its instructions`() throws {
    let clip = asset(Pipeline.clip("clap-and-flash.mp4"))
    let track = try #require(try clip.tracks(withMediaType: .video).first)
    let pictures = MutableVideoComposition()
    pictures.renderSize = VideoDimensions(width: 160, height: 90)
    pictures.frameDuration = MediaTime(value: 1, timescale: 25)
    pictures.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: microseconds(0, 60_000_000),
        layerInstructions: [MutableVideoCompositionLayerInstruction(assetTrack: track)])
    ]
    let reader = try AssetReader(asset: clip)
    let output = AssetReaderVideoCompositionOutput(videoTracks: [track])
    output.videoComposition = pictures
    try reader.add(output)
    try #require(reader.startReading())
    var count = 0
    while output.copyNextSampleBuffer() != nil { count += 1 }
    #expect(count == 50 && reader.status == .completed)
  }
}
