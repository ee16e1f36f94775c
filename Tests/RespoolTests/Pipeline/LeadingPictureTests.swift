import RespoolMedia
import Testing

@testable import Respool

/// Parts that begin in an open group of pictures.
@Suite struct LeadingPictures {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: ["remux-mkv", "remux-mp4"])
  func `pictures that need the group before are not copied without it`(preset: String) throws {
    let source = scratch.path("source.ts")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=2", "-c:v", "mpeg2video"]
        + ["-bf", "2", "-g", "12", source])
    let session = try ExportSession(
      input: source, preset: try Pipeline.preset(preset), registry: Pipeline.registry, threads: 1)
    session.timeRange = TimeRange(
      start: MediaTime(value: 20, timescale: 25), end: MediaTime(value: 40, timescale: 25))
    _ = try session.export(to: scratch.path("out"))

    let stored = try Pipeline.samples(scratch.path("out"), .video, nil)
    let first = try #require(stored.first)
    #expect(stored.contains { $0.presentationTimeStamp < stored[1].presentationTimeStamp })
    #expect(stored.allSatisfy { $0.presentationTimeStamp >= first.presentationTimeStamp })
    // All of the part is there.
    let shown = try Pipeline.pictures(scratch.path("out")).map(\.presentationTimeStamp)
    let times = (0..<20).map { MediaTime(value: $0, timescale: 25) }
    if preset == "remux-mp4" {
      #expect(shown == times)
    } else {
      // Matroska cannot hide what is needed to decode the part; what is decoded is what is stored.
      #expect(shown.count == stored.count)
    }
  }
}
