import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// The durations of an asset, of its tracks and of compositions made from it, which must agree.
@Suite struct Durations {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a copy of a clip whose movie header states a duration that is `units` shorter.
  ///
  /// `units` are in the time scale of the movie.
  private func shortened(by units: UInt32) throws -> Asset {
    var data = try Data(contentsOf: URL(filePath: Pipeline.clip("clap-and-flash.mp4")))
    let box = try #require(data.range(of: Data("mvhd".utf8))).lowerBound
    // ISO/IEC 14496-12 8.2.2: version and flags, two dates, the time scale, then the duration.
    let place = box + 20
    let told = data[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    for byte in 0..<4 {
      data[place + byte] = UInt8(truncatingIfNeeded: (told - units) >> (24 - 8 * byte))
    }
    let path = scratch.path("short\(units).mp4")
    try data.write(to: URL(filePath: path))
    return Asset(path: path, registry: Pipeline.registry)
  }

  @Test(arguments: [UInt32(1), 40, 500])
  func `an asset lasts until its last track ends, whatever the movie header states`(
    units: UInt32
  ) throws {
    let asset = try shortened(by: units)
    let duration = try asset.duration()
    let ends = try asset.tracks().map(\.timeRange.end)
    #expect(ends.allSatisfy { $0 <= duration })
    #expect(ends.contains(duration))
    let media = try asset.mediaDescription()
    #expect(media.duration == duration.ticks(Rational(1, 1_000_000_000), rounding: .up))
  }

  @Test func `an instruction of the asset's whole duration is valid and is exported to its end`()
    async throws
  {
    let asset = try shortened(by: 40)
    let whole = TimeRange(start: .zero, duration: try asset.duration())
    let composition = try MutableVideoComposition(VideoComposition(propertiesOf: asset))
    let layers = try composition.instructions.map {
      try #require($0 as? VideoCompositionInstruction).layerInstructions
    }
    composition.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: whole, layerInstructions: layers.joined().map(\.self))
    ]
    #expect(try await composition.isValid(for: asset))
    let session = try ExportSession(asset: asset, preset: .size640x480, registry: Pipeline.registry)
    session.videoComposition = composition
    let path = scratch.path("whole.mp4")
    try await session.export(to: path)
    let written = try Asset(path: path, registry: Pipeline.registry).tracks(withMediaType: .video)
    let end = try #require(written.first).timeRange.end
    #expect(abs(end.seconds - whole.end.seconds) < 0.05)
  }

  /// Uses the latest times that can be represented, in common time scales.
  @Test(arguments: [Int32(1), 600, 30000, 1_000_000_000])
  func `an instruction may end at the last possible time`(scale: Int32) async throws {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let composition = try MutableVideoComposition(VideoComposition(propertiesOf: asset))
    let instruction = try #require(
      composition.instructions.first as? MutableVideoCompositionInstruction)
    for value: Int64 in [.max, .max - 1, .max / 3] {
      instruction.timeRange = TimeRange(
        start: .zero, duration: MediaTime(value: value, timescale: scale))
      composition.instructions = [instruction]
      #expect(try await composition.isValid(for: asset))
      let late = MediaTime(value: value, timescale: scale)
      #expect(composition.isValid(forTracks: nil, assetDuration: late))
    }
    let session = try ExportSession(asset: asset, preset: .size640x480, registry: Pipeline.registry)
    session.videoComposition = composition
    session.timeRange = instruction.timeRange
    let path = scratch.path("late.mp4")
    try await session.export(to: path)
    let written = Asset(path: path, registry: Pipeline.registry)
    #expect(abs(try written.duration().seconds - asset.duration().seconds) < 0.05)
  }

  /// Uses end times that are not multiples of the frame duration.
  @Test(arguments: [Int64(1234), 707, 1501])
  func `a composed export ends when its time range does`(milliseconds: Int64) async throws {
    let asset = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
    let session = try ExportSession(asset: asset, preset: .size640x480, registry: Pipeline.registry)
    let composition = try MutableVideoComposition(VideoComposition(propertiesOf: asset))
    composition.frameDuration = MediaTime(value: 1, timescale: 30)
    session.videoComposition = composition
    let end = MediaTime(value: milliseconds, timescale: 1000)
    session.timeRange = TimeRange(start: .zero, end: end)
    let path = scratch.path("part.mp4")
    try await session.export(to: path)
    let written = try Asset(path: path, registry: Pipeline.registry).tracks(withMediaType: .video)
    #expect(abs(try #require(written.first).timeRange.end.seconds - end.seconds) < 0.001)
  }

  @Test func `a composed export of a file without a duration ends with its last frame`()
    async throws
  {
    let path = scratch.path("raw.h264")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy", "-f", "h264", path])
    let asset = Asset(path: path, registry: Pipeline.registry)
    try #require(try asset.duration().isIndefinite)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    let composition = MutableVideoComposition()
    (composition.renderSize, composition.frameDuration) = (
      VideoDimensions(width: 160, height: 90), Writing.time(1)
    )
    composition.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: TimeRange(start: .zero, duration: MediaTime(value: .max, timescale: 600)),
        layerInstructions: [MutableVideoCompositionLayerInstruction(assetTrack: track)])
    ]
    let session = try ExportSession(asset: asset, preset: .size640x480, registry: Pipeline.registry)
    session.videoComposition = composition
    let output = scratch.path("raw.mp4")
    try await session.export(to: output)
    let measured = try asset.measured().duration().seconds
    let written = try Asset(path: output, registry: Pipeline.registry).duration().seconds
    #expect(abs(written - measured) < 0.1, "\(written) s of \(measured) s")
  }
}
