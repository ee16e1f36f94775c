import Foundation
import ReadingFixtures
import RespoolMedia
import RespoolPresets
import TestFixtures
import Testing

@testable import Respool

/// Exports of files, parts of files and compositions through filters.
@Suite struct FilteredExportTests {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  /// A preset whose video has twice the frames and half the width, and whose audio is measured and quieter.
  private func preset() throws -> Preset {
    var preset = try Pipeline.preset("web-480p")
    preset.video?.filters = [
      .init("crop", options: [PluginOption("w", "iw/2")]),
      .init("fps", options: [PluginOption("fps", "50")]),
    ]
    preset.audio?.filters = [
      .init("volume", options: [PluginOption("volume", "0.5")]), .init("ebur128"),
    ]
    return preset
  }

  private func check(_ path: String, seconds: Double) throws {
    let media = try Pipeline.registry.openDemuxer(FileSource(path: path)).media
    let video = try #require(media.tracks.first { $0.kind == .video })
    #expect((video.width, video.height) == (160, 180))
    #expect(video.frameRate.doubleValue.rounded() == 50)
    #expect(video.packetCount == Int64(seconds * 50))
  }

  @Test(arguments: [1, 3])
  func `a file is filtered`(threads: Int) throws {
    let session = try ExportSession(
      asset: clip, preset: try preset(), registry: Pipeline.registry, threads: threads)
    let report = try session.exportAndWait(to: scratch.path("out.mp4"))
    try check(scratch.path("out.mp4"), seconds: 2)
    #expect(report.losses == [])
    #expect(report.notes.contains { $0.hasPrefix("track 2: ebur128 measured integrated -") })
    #expect(report.plugins.contains { $0.contains("track 1 is filtered by") })
  }

  @Test func `a part of a file is filtered`() throws {
    let session = try ExportSession(
      asset: clip, preset: try preset(), registry: Pipeline.registry, threads: 2)
    session.timeRange = TimeRange(
      start: MediaTime(value: 1, timescale: 2), duration: MediaTime(value: 1, timescale: 1))
    _ = try session.exportAndWait(to: scratch.path("part.mp4"))
    try check(scratch.path("part.mp4"), seconds: 1)
  }

  @Test func `a composition is filtered, in a resumable export too`() throws {
    let film = MutableComposition()
    let whole = TimeRange(start: .zero, duration: try clip.duration())
    for _ in 0..<2 { try film.insertTimeRangeAndWait(whole, of: clip, at: .invalid) }
    let session = try ExportSession(
      asset: film, preset: try preset(), registry: Pipeline.registry, threads: 2)
    session.directoryForTemporaryFiles = scratch.path("")
    _ = session.configureForResumableExportAndWait()
    _ = try session.exportAndWait(to: scratch.path("film.mp4"))
    try check(scratch.path("film.mp4"), seconds: 4)
  }
}
