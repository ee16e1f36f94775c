import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Timed metadata tracks in compositions.
@Suite struct ComposedMetadataTests {
  let scratch: Scratch
  static let title = MetadataIdentifier(
    key: "com.apple.quicktime.title", keySpace: .quickTimeMetadata)

  init() throws { scratch = try Scratch() }

  private func asset(_ path: String) -> Asset { Asset(path: path, registry: Pipeline.registry) }

  private func range(_ start: Int, _ duration: Int) -> TimeRange {
    TimeRange(start: Writing.time(start), duration: Writing.time(duration))
  }

  /// Creates a composition of the last 20 frames of the locations, followed by all titles.
  private func composition() throws -> MutableComposition {
    let places = asset(try TimedMetadata.movie(scratch))
    let titles = asset(try TimedMetadata.movie(scratch, "titles.mov", of: Self.title))
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(range(5, 20), of: places, at: .zero)
    try composition.insertTimeRangeAndWait(range(0, 25), of: titles, at: .invalid)
    return composition
  }

  private func told(_ groups: [TimedMetadataGroup]) -> [String] {
    groups.map { group in
      let items = group.items.map { "\($0.identifier?.rawValue ?? ""): \($0.stringValue ?? "")" }
      let times = [group.timeRange.start, group.timeRange.end].map { Int($0.seconds * 25 + 0.5) }
      return "\(times) \(items.joined(separator: ", "))"
    }
  }

  private var wanted: [String] {
    let (place, title) = (TimedMetadata.place.rawValue, Self.title.rawValue)
    return [
      "[0, 5] \(place): first", "[5, 20] \(place): second", "[20, 30] \(title): first",
      "[30, 45] \(title): second",
    ]
  }

  @Test func `groups are read at their times in the composition, by the keys of each file`() throws
  {
    let composition = try composition()
    let track = try #require(composition.tracks(withMediaType: .metadata).first)
    #expect(track.formatDescriptions.count == 2)
    let reader = try AssetReader(asset: composition)
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    let adaptor = AssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
    try reader.add(output)
    try #require(reader.startReading())
    var groups: [TimedMetadataGroup] = []
    while let group = adaptor.nextTimedMetadataGroup() { groups.append(group) }
    #expect(reader.status == .completed)
    #expect(told(groups) == wanted)
  }

  @Test(arguments: ["mov", "mp4"])
  func `an export has the groups in one track with the keys of all`(type: String) throws {
    let session = try ExportSession(
      asset: try composition(), presetName: ExportPreset.passthrough.rawValue, container: type,
      registry: Pipeline.registry)
    let path = scratch.path("joined.\(type)")
    let report = try session.exportAndWait(to: path)
    #expect(report.isCopy && report.losses.isEmpty, "\(report.losses)")
    #expect(told(try TimedMetadata.groups(path)) == wanted)
    let track = try #require(try asset(path).tracks(withMediaType: .metadata).first)
    #expect(
      track.formatDescription.metadataSpecifications.map(\.identifier)
        == [TimedMetadata.place, Self.title])
  }

  @Test func `slower groups last longer, and a gap has no group`() throws {
    let places = asset(try TimedMetadata.movie(scratch))
    let source = try #require(try places.tracks(withMediaType: .metadata).first)
    let composition = MutableComposition()
    let pictures = try #require(composition.addMutableTrack(withMediaType: .video))
    try pictures.insertTimeRange(
      range(0, 25), of: try #require(try places.tracks(withMediaType: .video).first), at: .zero)
    let track = try #require(composition.addMutableTrack(withMediaType: .metadata))
    try track.insertTimeRange(range(0, 5), of: source, at: .zero)
    try track.insertTimeRange(range(10, 10), of: source, at: Writing.time(10))
    track.scaleTimeRange(range(0, 5), toDuration: Writing.time(8))
    let session = try ExportSession(
      asset: composition, presetName: ExportPreset.passthrough.rawValue, container: "mov",
      registry: Pipeline.registry)
    let path = scratch.path("slow.mov")
    let report = try session.exportAndWait(to: path)
    #expect(report.losses.isEmpty, "\(report.losses)")
    let place = TimedMetadata.place.rawValue
    let groups = told(try TimedMetadata.groups(path)).filter { !$0.hasSuffix(" ") }
    #expect(groups == ["[0, 8] \(place): first", "[13, 23] \(place): second"])
  }

  @Test func `damaged keys are reported, and nothing is written`() throws {
    let path = try TimedMetadata.movie(scratch)
    var bytes = try Data(contentsOf: URL(filePath: path))
    let keys = try #require(bytes.firstRange(of: Data("keyd".utf8)))
    bytes[keys.lowerBound] = 0
    try bytes.write(to: URL(filePath: scratch.path("broken.mov")))
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(
      range(0, 25), of: asset(scratch.path("broken.mov")), at: .zero)
    let session = try ExportSession(
      asset: composition, presetName: ExportPreset.passthrough.rawValue, container: "mov",
      registry: Pipeline.registry)
    let report = try session.exportAndWait(to: scratch.path("out.mov"))
    #expect(
      report.losses == [
        "track 2 (mebx data) is dropped: a track of timed metadata has no table of its keys"
      ])
  }

  @Test func `joined clips keep timed metadata`() throws {
    let clips = try ["a.mov", "b.mov"].map { asset(try TimedMetadata.movie(scratch, $0)) }
    let sequence = try ClipSequence(clips)
    #expect(sequence.losses.isEmpty)
    let track = try #require(sequence.composition.tracks(withMediaType: .metadata).first)
    #expect(track.timeRange.duration == Writing.time(50))
  }
}
