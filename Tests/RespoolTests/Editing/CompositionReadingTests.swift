import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Samples that are read from a composition of real clips.
@Suite struct CompositionReadingTests {
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
  let composition = MutableComposition()

  private func milliseconds(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: MediaTime(value: start, timescale: 1000), end: MediaTime(value: end, timescale: 1000))
  }

  private func expect(flashes: [Double], beeps: [Double]) throws {
    let pictures = try Pipeline.samples(of: composition, .video, .video(pixelFormat: .yuv420p))
    let sound = try Sound(Pipeline.samples(of: composition, .audio, .audio(sampleFormat: .fltp)))
    let seen = try pictures.flashes()
    let heard = sound.onsets()
    #expect(seen.count == flashes.count, "\(seen)")
    #expect(heard.count == beeps.count, "\(heard)")
    for (a, b) in zip(seen, flashes) { #expect(abs(a - b) < 0.02, "\(seen)") }
    for (a, b) in zip(heard, beeps) { #expect(abs(a - b) < 0.005, "\(heard)") }
  }

  @Test func `a composition of the whole clip equals the clip`() throws {
    try composition.insertTimeRangeAndWait(milliseconds(0, 2000), of: clip, at: .zero)
    try expect(flashes: [0.52, 1.52], beeps: [0.5, 1.5])
    let pictures = try Pipeline.samples(of: composition, .video, .video())
    #expect(pictures.count == 50)
    let sound = try Sound(Pipeline.samples(of: composition, .audio, .audio(sampleFormat: .fltp)))
    #expect(sound.start == .zero)
    #expect(sound.count == 96000)
  }

  @Test func `two clips in another order stay in sync`() throws {
    try composition.insertTimeRangeAndWait(milliseconds(1300, 2000), of: clip, at: .zero)
    try composition.insertTimeRangeAndWait(milliseconds(300, 1100), of: clip, at: .invalid)
    // 1.52 and 1.5, minus 1.3; then 0.52 and 0.5, minus 0.3, plus 0.7.
    try expect(flashes: [0.22, 0.92], beeps: [0.2, 0.9])
    let sound = try Sound(Pipeline.samples(of: composition, .audio, .audio(sampleFormat: .fltp)))
    #expect(sound.count == 48 * 1500)
  }

  @Test func `a slower clip is slower in video and audio`() throws {
    try composition.insertTimeRangeAndWait(milliseconds(0, 2000), of: clip, at: .zero)
    composition.scaleTimeRange(
      milliseconds(0, 1000), toDuration: MediaTime(value: 2, timescale: 1))
    let pictures = try Pipeline.samples(of: composition, .video, .video(pixelFormat: .yuv420p))
    let flashes = try pictures.flashes()
    #expect(flashes.count == 2)
    #expect(abs((flashes.first ?? 0) - 1.04) < 0.041 && abs((flashes.last ?? 0) - 2.52) < 0.02)
    let sound = try Sound(Pipeline.samples(of: composition, .audio, .audio(sampleFormat: .fltp)))
    #expect(sound.count == 3 * 48000)
    // The beep that was not scaled is at its time, within 5 ms.
    #expect(abs((sound.onsets().last ?? 0) - 2.5) < 0.005, "\(sound.onsets())")
  }

  @Test func `a range of a composition is read from the clip at that time`() throws {
    try composition.insertTimeRangeAndWait(milliseconds(0, 1000), of: clip, at: .zero)
    try composition.insertTimeRangeAndWait(milliseconds(0, 1000), of: clip, at: .invalid)
    let reader = try AssetReader(asset: composition)
    let track = try #require(try composition.tracks(withMediaType: .video).first)
    let output = AssetReaderTrackOutput(track: track, settings: .video())
    reader.timeRange = milliseconds(1200, 1400)
    try reader.add(output)
    try #require(reader.startReading())
    var times: [Double] = []
    while let sample = output.copyNextSampleBuffer() {
      times.append(sample.presentationTimeStamp.seconds)
    }
    #expect(reader.status == .completed)
    #expect(times == [1.2, 1.24, 1.28, 1.32, 1.36])
  }

  @Test func `a track that is deleted during reading fails with a reason`() throws {
    let gone = Asset(path: Pipeline.clip("nowhere.mp4"), registry: Pipeline.registry)
    var description = TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 600))
    description.duration = 6000
    let track = try #require(composition.addMutableTrack(withMediaType: .video))
    try track.insertTimeRange(
      milliseconds(0, 1000), of: AssetTrack(asset: gone, index: 0, description), at: .zero)
    let reader = try AssetReader(asset: composition)
    try reader.add(AssetReaderTrackOutput(track: track, settings: .video()))
    #expect(!reader.startReading())
    #expect(reader.status == .failed)
    #expect(reader.error?.code == .io)
  }

  @Test(.rule("Ranges of a composition can be read again, too"))
  func `ranges can be read again on request`() throws {
    let reader = try AssetReader(asset: clip)
    let output = AssetReaderTrackOutput(
      track: try clip.tracks(withMediaType: .video)[0], settings: .video())
    output.supportsRandomAccess = true
    reader.timeRange = milliseconds(0, 80)
    try reader.add(output)
    try #require(reader.startReading())
    #expect(throws: MediaError.self) {
      try output.reset(forReadingTimeRanges: [milliseconds(400, 480)])
    }
    var times: [Double] = []
    func drain() {
      while let sample = output.copyNextSampleBuffer() {
        times.append(sample.presentationTimeStamp.seconds)
      }
    }
    drain()
    #expect(reader.status == .reading)
    try output.reset(
      forReadingTimeRanges: [milliseconds(400, 480), milliseconds(1000, 1040)])
    drain()
    #expect(times == [0, 0.04, 0.4, 0.44, 1])
    #expect(throws: MediaError.self) {
      try output.reset(forReadingTimeRanges: [milliseconds(80, 90), milliseconds(40, 50)])
    }
    output.markConfigurationAsFinal()
    #expect(reader.status == .completed)
  }
}
