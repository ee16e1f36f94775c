import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Clips of several sizes in one track of a composition.
@Suite struct ClipSizeTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates a clip of one second in one gray.
  private func clip(_ name: String, _ size: String, gray: String) throws -> Asset {
    let path = scratch.path(name)
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=\(gray):s=\(size):r=10:d=1", "-pix_fmt",
        "yuv420p", "-c:v", "libx264", path,
      ])
    return Asset(path: path, registry: Pipeline.registry)
  }

  /// Creates a composition of the small clip followed by the large one.
  private func film() throws -> MutableComposition {
    let film = MutableComposition()
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    try film.insertTimeRangeAndWait(
      second, of: try clip("small.mp4", "160x90", gray: "0x808080"), at: .zero)
    try film.insertTimeRangeAndWait(
      second, of: try clip("large.mp4", "320x180", gray: "0xC0C0C0"), at: .invalid)
    return film
  }

  /// Checks that each clip fills the frame to its corners.
  private func expectFull(_ film: MutableComposition, _ look: VideoComposition) throws {
    let reader = try AssetReader(asset: film)
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try film.tracks(withMediaType: .video))
    output.videoComposition = look
    try reader.add(output)
    try #require(reader.startReading())
    var count = 0
    while let sample = output.copyNextSampleBuffer() {
      let wanted = sample.presentationTimeStamp.seconds < 1 ? 126.0 : 180.0
      for x in [0.0..<0.1, 0.9..<1] {
        for y in [0.0..<0.1, 0.9..<1] {
          let found = try sample.brightness(x: x, y: y)
          #expect(abs(found - wanted) < 4, "\(found) at \(sample.presentationTimeStamp.seconds) s")
        }
      }
      count += 1
    }
    #expect(reader.status == .completed && count == 20)
  }

  @Test func `a transform moves the frame of the clip that is shown`() throws {
    let film = try film()
    let track = try #require(film.mutableTracks.first)
    let layer = MutableVideoCompositionLayerInstruction(assetTrack: track)
    try layer.setTransform(
      Transform(scaleX: 0.5, y: 0.5), at: MediaTime(value: 1, timescale: 1))
    let look = MutableVideoComposition()
    look.renderSize = VideoDimensions(width: 160, height: 90)
    look.frameDuration = MediaTime(value: 1, timescale: 10)
    look.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: TimeRange(start: .zero, duration: film.duration()), layerInstructions: [layer])
    ]
    try expectFull(film, look)
  }

  @Test func `without own transforms each clip fills the area of the first`() throws {
    let film = try film()
    try expectFull(film, try VideoComposition(propertiesOf: film))
  }
}
