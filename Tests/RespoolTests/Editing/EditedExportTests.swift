import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// Exports of time ranges, mixes and compositions of the clip with flash and beep.
@Suite struct EditedExportTests {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  private func milliseconds(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: MediaTime(value: start, timescale: 1000), end: MediaTime(value: end, timescale: 1000))
  }

  private func session(_ asset: Asset, _ preset: String) throws -> ExportSession {
    try ExportSession(
      asset: asset, preset: try Pipeline.preset(preset), registry: Pipeline.registry, threads: 2)
  }

  private func expect(
    _ path: String, flashes: [Double], beeps: [Double], frame: Double = 0.04
  ) throws {
    let seen = try Pipeline.pictures(path).flashes()
    let heard = try Pipeline.sound(path).onsets()
    #expect(seen.count == flashes.count, "\(seen)")
    #expect(heard.count == beeps.count, "\(heard)")
    for (a, b) in zip(seen, flashes) { #expect(abs(a - b) < frame / 2, "\(seen)") }
    for (a, b) in zip(heard, beeps) { #expect(abs(a - b) < 0.005, "\(heard)") }
  }

  @Test(.rule("The time range is exported"), arguments: ["web-480p", "webm-720p", "remux-mp4"])
  func `a part of a file is in sync`(preset: String) throws {
    let session = try session(clip, preset)
    session.timeRange = milliseconds(400, 1700)
    let path = scratch.path("part")
    let fractions = Mutex<[Double]>([])
    let report = try session.exportAndWait(to: path) { done in
      fractions.withLock { $0.append(done) }
    }
    try expect(path, flashes: [0.12, 1.12], beeps: [0.1, 1.1])
    let length = try Asset(path: path, registry: Pipeline.registry).duration().seconds
    #expect(abs(length - 1.3) < 0.045, "\(length)")
    #expect(report.isCopy == (preset == "remux-mp4"))
    let done = fractions.withLock { $0 }
    #expect(done == done.sorted() && done.last == 1)
  }

  @Test func `frames that a container cannot hide are reported`() throws {
    let session = try session(clip, "remux-mkv")
    session.timeRange = milliseconds(400, 1700)
    let path = scratch.path("part")
    let report = try session.exportAndWait(to: path)
    #expect(report.isCopy)
    #expect(
      report.losses.contains { $0.contains("400 ms earlier than requested") }, "\(report.losses)")
    try expect(path, flashes: [0.52, 1.52], beeps: [0.5, 1.5])
  }

  @Test(arguments: ["web-480p", "webm-720p"])
  func `a composition of two clips is in sync`(preset: String) throws {
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(1300, 2000), of: clip, at: .zero)
    try composition.insertTimeRangeAndWait(milliseconds(300, 1100), of: clip, at: .invalid)
    let path = scratch.path("two")
    _ = try session(composition, preset).exportAndWait(to: path)
    try expect(path, flashes: [0.22, 0.92], beeps: [0.2, 0.9])
  }

  @Test(.rule("An audio mix applies to the export"))
  func `a mix is exported and the video stays`() throws {
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(0, 2000), of: clip, at: .zero)
    let second = try #require(composition.addMutableTrack(withMediaType: .audio))
    // The same audio, a quarter of a second later.
    try second.insertTimeRange(
      milliseconds(0, 1700), of: try clip.tracks(withMediaType: .audio)[0],
      at: MediaTime(value: 1, timescale: 4))
    let parameters = MutableAudioMixInputParameters(
      track: try composition.tracks(withMediaType: .audio)[0])
    try parameters.setVolume(0, at: MediaTime(value: 1, timescale: 1))
    let session = try session(composition, "web-480p")
    session.audioMix = MutableAudioMix(inputParameters: [parameters])
    let path = scratch.path("mix")
    _ = try session.exportAndWait(to: path)
    try expect(path, flashes: [0.52, 1.52], beeps: [0.5, 0.75, 1.75])
  }

  @Test(.rule("A video composition applies to the export"))
  func `a video composition is exported`() throws {
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(0, 2000), of: clip, at: .zero)
    let video = MutableVideoComposition(
      try VideoComposition(propertiesOf: composition))
    video.renderSize = VideoDimensions(width: 160, height: 120)
    video.frameDuration = MediaTime(value: 1, timescale: 50)
    let session = try session(composition, "web-480p")
    session.videoComposition = video
    let path = scratch.path("composed")
    _ = try session.exportAndWait(to: path)
    let pictures = try Pipeline.pictures(path)
    #expect(pictures.count == 100)
    #expect(pictures.first?.imageBuffer?.width == 160)
    try expect(path, flashes: [0.52, 1.52], beeps: [0.5, 1.5])
  }

  @Test func `a canceled session leaves nothing`() throws {
    let session = try session(clip, "web-480p")
    session.timeRange = milliseconds(0, 1900)
    session.cancel()
    #expect(throws: MediaError.self) { try session.exportAndWait(to: scratch.path("gone")) }
    #expect(scratch.names == [])
  }

  @Test func `a range without media is an error, whatever the header states`() throws {
    var bytes = try Data(contentsOf: URL(filePath: Pipeline.clip("clap-and-flash.mp4")))
    let header = try #require(bytes.range(of: Data("mvhd".utf8)))
    // Version 0: the duration follows two dates and the time scale. It becomes one day.
    bytes.replaceSubrange(
      header.lowerBound + 20..<header.lowerBound + 24, with: [5, 0x26, 0x5C, 0])
    let path = scratch.path("liar.mp4")
    try bytes.write(to: URL(filePath: path))
    let session = try session(Asset(path: path, registry: Pipeline.registry), "remux-mp4")
    session.timeRange = milliseconds(60_000, 61_000)
    let error = #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("part"))
    }
    #expect(
      error?.description.contains("no video and no audio from 60.0 s to 61.0 s") == true,
      "\(String(describing: error))")
    #expect(scratch.names == ["liar.mp4"])
  }

  @Test func `a range of a composition without media is an error`() throws {
    let session = try session(clip, "web-480p")
    session.timeRange = milliseconds(5000, 6000)
    #expect(throws: MediaError.self) { try session.prepare() }
  }

  @Test(.rule("A filter is not applied to metadata that is set"))
  func `tags are as requested`() throws {
    let session = try session(clip, "web-480p")
    session.metadata = [
      MetadataItem(.commonKeyTitle, "Clap"), MetadataItem(name: "comment", "this too"),
    ]
    // The filter applies only to metadata of the source.
    session.metadataItemFilter = MetadataItemFilter { $0.commonKey == .commonKeyTitle }
    let path = scratch.path("tags")
    _ = try session.exportAndWait(to: path)
    let tags = try Asset(path: path, registry: Pipeline.registry).tags()
    #expect(tags.contains { $0.name == "title" && $0.value == "Clap" })
    #expect(tags.contains { $0.name == "comment" && $0.value == "this too" })
  }
}
