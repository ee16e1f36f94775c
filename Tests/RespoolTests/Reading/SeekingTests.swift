import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Time ranges of files without an index, in which a seek can end at any packet.
@Suite struct SeekingTests {
  @Test func `a part of a broadcast has the same frames as in the whole`() throws {
    let scratch = try Scratch()
    let path = scratch.path("broadcast.ts")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=9"]
        + ["-c:v", "libx264", "-g", "150", "-sc_threshold", "0", "-bf", "2"]
        + ["-muxrate", "800k", "-f", "mpegts", path])
    let asset = Asset(path: path, registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    let whole = try pictures(of: track, asset, from: nil)
    #expect(whole.count == 225)
    for start in [2, 5, 8] as [Int64] {
      let part = try pictures(of: track, asset, from: MediaTime(value: start, timescale: 1))
      #expect(part == Array(whole.dropFirst(Int(start) * 25).prefix(25)), "from \(start) s")
    }
  }

  /// Screen recordings look like this: no frames while nothing moves, and the usual frame duration in the header.
  @Test(arguments: ["mkv", "webm", "ts", "flv", "mp4"])
  func `a part begins with the frame that is shown at its start`(container: String) throws {
    let scratch = try Scratch()
    let path = scratch.path("still.\(container)")
    let codec =
      container == "webm"
      ? ["-c:v", "libvpx", "-deadline", "realtime"] : ["-c:v", "libx264", "-bf", "2"]
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=4"]
        + ["-vf", "select='lt(t,1)+gte(t,3)'", "-fps_mode", "vfr"] + codec + [path])
    let asset = Asset(path: path, registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    let whole = try Pipeline.samples(of: asset, .video, .video(pixelFormat: .yuv420p))
    #expect(whole.count == 50)
    let next = whole[25].presentationTimeStamp
    func read(_ start: MediaTime, _ duration: Int64) throws -> [SampleBuffer] {
      let reader = try AssetReader(asset: asset)
      reader.timeRange = TimeRange(
        start: start, duration: MediaTime(value: duration, timescale: 1000))
      let output = AssetReaderTrackOutput(track: track, settings: .video(pixelFormat: .yuv420p))
      try reader.add(output)
      try #require(reader.startReading())
      var samples: [SampleBuffer] = []
      while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
      return samples
    }
    func rows(_ sample: SampleBuffer) throws -> [Int] {
      try VideoFixture.plane(try #require(sample.imageBuffer), 0).samples
    }
    let start = next - MediaTime(value: 1, timescale: 1)
    let (long, short) = (try read(start, 1100), try read(start, 500))
    #expect(long.map(\.presentationTimeStamp).prefix(2) == [start, next])
    #expect(long.first?.duration == MediaTime(value: 1, timescale: 1))
    #expect(try rows(long[0]) == rows(whole[24]))
    #expect(short.map(\.presentationTimeStamp) == [start])
    #expect(short.first?.duration == MediaTime(value: 500, timescale: 1000))
    // No earlier frame is returned if the next frame begins at the start of the range.
    #expect(try read(next, 100).first?.presentationTimeStamp == next)
    // No frame is shown for an unlimited time.
    #expect(try read(next + MediaTime(value: 100, timescale: 1), 100).isEmpty)
  }

  @Test(.rule("An asset that prefers precise duration and timing provides them"))
  func `durations are measured on request`() throws {
    let scratch = try Scratch()
    let path = scratch.path("live.webm")
    // A live stream states no duration.
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("pattern-vp9.webm"), "-c", "copy", "-live", "1"]
        + ["-f", "webm", path])
    let told = Asset(path: path, registry: Pipeline.registry)
    #expect(!told.providesPreciseDurationAndTiming)
    let measured = Asset(
      path: path, registry: Pipeline.registry, prefersPreciseDurationAndTiming: true)
    let track = try #require(try measured.tracks(withMediaType: .video).first)
    let pictures = try Pipeline.pictures(path)
    let last = try #require(pictures.last)
    #expect(measured.providesPreciseDurationAndTiming)
    #expect(try measured.duration() == last.presentationTimeStamp + last.duration)
    #expect(track.timeRange.end == (try measured.duration()))
  }

  /// Returns the luma of the frames in one second from `start`, or in the whole track if `start` is `nil`.
  private func pictures(of track: AssetTrack, _ asset: Asset, from start: MediaTime?) throws
    -> [[UInt8]]
  {
    let reader = try AssetReader(asset: asset)
    // The first frame of a broadcast has a presentation time after 0, which leaves time for decoding.
    if let start {
      reader.timeRange = TimeRange(
        start: start + track.timeRange.start, duration: MediaTime(value: 1, timescale: 1))
    }
    let output = AssetReaderTrackOutput(track: track, settings: .video(pixelFormat: .yuv420p))
    try reader.add(output)
    try #require(reader.startReading())
    var rows: [[UInt8]] = []
    while let sample = output.copyNextSampleBuffer() {
      let picture = try #require(sample.imageBuffer)
      rows.append(try VideoFixture.plane(picture, 0).samples.map { UInt8($0) })
    }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return rows
  }
}
