import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Exported time ranges that begin in an open group of pictures (GOP).
@Suite struct LeadingPictures {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: ["remux-mkv", "remux-mp4"])
  func `frames that depend on the group before are not copied without it`(preset: String) throws {
    let source = scratch.path("source.ts")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=2", "-c:v", "mpeg2video"]
        + ["-bf", "2", "-g", "12", source])
    let session = try ExportSession(
      input: source, preset: try Pipeline.preset(preset), registry: Pipeline.registry, threads: 1)
    session.timeRange = TimeRange(
      start: MediaTime(value: 20, timescale: 25), end: MediaTime(value: 40, timescale: 25))
    _ = try session.exportAndWait(to: scratch.path("out"))

    let stored = try Pipeline.samples(scratch.path("out"), .video, nil)
    let first = try #require(stored.first)
    #expect(stored.contains { $0.presentationTimeStamp < stored[1].presentationTimeStamp })
    #expect(stored.allSatisfy { $0.presentationTimeStamp >= first.presentationTimeStamp })
    // No frame of the time range is missing.
    let shown = try Pipeline.pictures(scratch.path("out")).map(\.presentationTimeStamp)
    let times = (0..<20).map { MediaTime(value: $0, timescale: 25) }
    if preset == "remux-mp4" {
      #expect(shown == times)
    } else {
      // Matroska has no edit lists to hide frames that are needed for decoding only, so all stored frames are shown.
      #expect(shown.count == stored.count)
    }
  }

  @Test func `a copied part that begins earlier has its audio from there`() throws {
    let source = scratch.path("source.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=8", "-f", "lavfi", "-i"]
        + ["sine=440:d=8", "-c:v", "libx264", "-g", "50", "-c:a", "aac", source])
    let session = try ExportSession(
      input: source, preset: try Pipeline.preset("remux-mkv"), registry: Pipeline.registry)
    session.timeRange = TimeRange(
      start: MediaTime(value: 326, timescale: 100), end: MediaTime(value: 6, timescale: 1))
    let output = scratch.path("part.mkv")
    let report = try session.exportAndWait(to: output)
    #expect(report.losses.contains { $0.contains("1260 ms earlier") }, "\(report.losses)")
    let starts = try [MediaType.video, .audio].map {
      try #require(try Pipeline.samples(output, $0, nil).map(\.presentationTimeStamp.seconds).min())
    }
    #expect(starts.allSatisfy { $0 < 0.05 }, "\(starts)")
  }
}
