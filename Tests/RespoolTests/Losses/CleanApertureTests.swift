import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Hidden parts of a clean aperture stay hidden: bars of 20 white pixels on both sides of a red film.
@Suite struct CleanApertureTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a film of 320x180 pixels, of which the inner 280 columns are visible.
  private func film() throws -> String {
    let path = scratch.path("film.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "color=red:size=280x180:rate=25:duration=0.4"]
        + ["-vf", "pad=320:180:20:0:white", "-pix_fmt", "yuv420p", "-c:v", "libx264", path])
    let crops = ["pixel-crop-left=20", "pixel-crop-right=20", "display-width=280"]
    try PluginWorkshop.run(
      "mkvpropedit",
      ["-q", path, "-e", "track:v1"] + (crops + ["display-height=180"]).flatMap { ["-s", $0] })
    return path
  }

  private func track(_ path: String) throws -> TrackDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media.tracks[0]
  }

  @Test(arguments: [("web.mp4", 140.0), ("web.mkv", 140)])
  func `scaled frames have a scaled aperture`(name: String, width: Double) throws {
    var preset = try Pipeline.preset(name.hasSuffix("mp4") ? "web-480p" : "remux-mkv")
    preset.video?.size = .init(160, 90)
    preset.video?.passThrough = .never
    let session = try ExportSession(
      input: try film(), preset: preset, registry: Pipeline.registry, threads: 2)
    let report = try session.exportAndWait(to: scratch.path(name))
    #expect(report.losses == [])
    let track = try track(scratch.path(name))
    let part = try #require(track.cleanAperture).rectangle(width: track.width, height: track.height)
    #expect(track.width == 160)
    #expect(part.x == 10 && part.width == width)
  }

  @Test(arguments: [false, true]) func `joined clips show the visible part`(isFirst: Bool) throws {
    let film = try film()
    let (plain, joined) = (scratch.path("plain.mkv"), scratch.path("joined.mkv"))
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "color=blue:size=280x180:rate=25:duration=0.4"]
        + ["-pix_fmt", "yuv420p", "-c:v", "libx264", plain])
    let clips = (isFirst ? [film, plain] : [plain, film]).map {
      Asset(path: $0, registry: Pipeline.registry)
    }
    let sequence = try ClipSequence(clips)
    let session = try ExportSession(
      asset: sequence.composition, preset: try Pipeline.preset("remux-mkv"),
      registry: Pipeline.registry, threads: 2)
    session.videoComposition = sequence.videoComposition
    try session.exportAndWait(to: joined)
    #expect(try track(joined).cleanAperture == nil)
    let frames = try Pipeline.pictures(joined)
    #expect(frames.count == 20)
    for frame in frames {
      // White has a luma of 235, red of 81 and blue of 41.
      #expect(try frame.brightness(x: 0..<0.05) < 100)
      #expect(try frame.brightness(x: 0.95..<1) < 100)
    }
  }

  @Test(arguments: [
    (0, false, 10, -4), (0, true, -10, -4), (90, false, 4, 10), (180, false, -10, 4),
    (270, false, -4, -10), (90, true, 4, -10),
  ])
  func `the aperture is rotated with the pixels`(
    degrees: Int, mirrored: Bool, right: Int, down: Int
  ) {
    let aperture = CleanAperture(width: 60, height: 40, horizontalOffset: 10, verticalOffset: -4)
    let orientation = DisplayMatrix.Orientation(clockwiseDegrees: degrees, mirrored: mirrored)
    let isTurned = orientation.swapsAxes
    let size = isTurned ? (96, 160) : (160, 96)
    #expect(
      aperture.transformed(from: (160, 96), rotatedBy: orientation, to: size)
        == CleanAperture(
          width: isTurned ? 40 : 60, height: isTurned ? 60 : 40, horizontalOffset: right,
          verticalOffset: down))
  }

  @Test func `the least offset is mirrored without overflow`() {
    var aperture = CleanAperture(width: 60, height: 40)
    aperture.horizontalOffset = Rational(.min, 1)
    let mirrored = aperture.transformed(
      from: (160, 96), rotatedBy: .init(clockwiseDegrees: 0, mirrored: true), to: (160, 96))
    #expect(mirrored.horizontalOffset == Rational(.max, 1))
    #expect(!aperture.fits(width: 160, height: 96))
  }

  /// Exceeds the frame by a distance that floating point does not express.
  @Test func `an aperture is compared exactly`() {
    let aperture = CleanAperture(
      width: Rational(261_742_562, 18_283_901), height: Rational(9, 1),
      horizontalOffset: Rational(1_272_686_666, 1_511_025_150))
    #expect(!aperture.fits(width: 16, height: 9))
    #expect(CleanAperture(width: 16, height: 9).fits(width: 16, height: 9))
  }

  @Test(arguments: [
    "704/1 junk 480/1 0/1 0/1", "704/1 480/1 0/1 0/1 junk", "704/1 480/1 0/1",
    "704/1/x 480/1 0/1 0/1",
    "704//1 480/1 0/1 0/1", "704/1 480/1 0/0 0/1", "",
  ])
  func `other text is not parsed`(text: String) {
    #expect(CleanAperture(text) == nil)
  }
}
