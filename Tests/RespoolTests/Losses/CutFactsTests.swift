import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Reports of parts that are copied.
@Suite struct CutFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func film() throws -> String {
    let path = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=3"]
        + ["-f", "lavfi", "-i", "sine=duration=3", "-bf", "3", "-g", "75", path])
    return path
  }

  private func export(_ film: String, _ preset: String, to name: String) throws -> ExportReport {
    var options = EditOptions()
    options.end = MediaTime(value: 1, timescale: 1)
    let session = try options.makeSession(
      for: Asset(path: film, registry: Pipeline.registry), preset: try Pipeline.preset(preset),
      registry: Pipeline.registry)
    return try session.exportAndWait(to: scratch.path(name))
  }

  @Test(arguments: ["mp4", "mkv"])
  func `the reported duration is that of the file`(container: String) throws {
    let report = try export(try film(), "remux-\(container)", to: "part.\(container)")
    let asset = Asset(path: scratch.path("part.\(container)"), registry: Pipeline.registry)
    #expect(abs(try asset.duration().seconds - report.duration) < 0.01, "\(report.duration)")
  }

  /// A frame after the end that earlier frames need is shown by players of Matroska.
  @Test func `frames after the end are named`() throws {
    let film = try film()
    #expect(try export(film, "remux-mp4", to: "part.mp4").losses == [])
    let losses = try export(film, "remux-mkv", to: "part.mkv").losses
    #expect(losses.count == 1 && losses[0].contains("of video after the part are shown"))
  }
}
