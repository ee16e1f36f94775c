import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Timed metadata tracks in exports.
@Suite struct TimedMetadataExport {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func session(_ path: String, _ container: String) throws -> ExportSession {
    try ExportSession(
      asset: Asset(path: path, registry: Pipeline.registry),
      presetName: "AVAssetExportPresetPassthrough", container: container,
      registry: Pipeline.registry)
  }

  private func hasMetadata(_ path: String) throws -> Bool {
    try !Asset(path: path, registry: Pipeline.registry).tracks(withMediaType: .metadata).isEmpty
  }

  @Test(arguments: ["mov", "mp4"])
  func `a copy has the groups and their reference`(container: String) throws {
    let path = try TimedMetadata.movie(scratch)
    let copy = scratch.path("copy.\(container)")
    let report = try session(path, container).exportAndWait(to: copy)
    #expect(report.isCopy && report.losses.isEmpty)
    #expect(try TimedMetadata.groups(copy) == TimedMetadata.groups(path))
    #expect(try references(copy) == [.init(track: 1, type: "cdsc", trackID: 1)])
  }

  private func references(_ path: String) throws -> [TrackReference] {
    try Asset(path: path, registry: Pipeline.registry).mediaDescription().references
  }

  @Test func `a part has the groups of its time`() throws {
    let path = try TimedMetadata.movie(scratch)
    let copy = scratch.path("part.mov")
    let session = try session(path, "mov")
    session.timeRange = TimeRange(start: Writing.time(5), duration: Writing.time(10))
    _ = try session.exportAndWait(to: copy)
    let groups = try TimedMetadata.groups(copy)
    #expect(groups.map { $0.items.first?.stringValue } == ["first", "second"])
    #expect(groups.map(\.timeRange.start) == [.zero, Writing.time(5)])
    #expect(groups.last?.timeRange.end == Writing.time(10))
    #expect(try Asset(path: copy, registry: Pipeline.registry).duration() == Writing.time(10))
    #expect(try references(copy) == [.init(track: 1, type: "cdsc", trackID: 1)])
  }

  @Test func `references without a track to name are dropped`() throws {
    let tracks: [TrackDescription] = (1...2).map { (number: Int64) in
      var track = TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 90000))
      (track.width, track.height, track.id) = (64, 64, number)
      return track
    }
    var source = MediaDescription(format: "test", tracks: tracks)
    source.references = [
      .init(track: 0, type: "cdsc", trackID: 2), .init(track: 0, type: "a;b,", trackID: 2),
      .init(track: 0, type: "\u{0}\u{1}=:", trackID: 2), .init(track: 1, type: "folw", trackID: 9),
      .init(track: 1, type: "chap", trackID: 1), .init(track: 7, type: "cdsc", trackID: 1),
      .init(track: 1, type: "folw", trackID: 0),
    ]
    let available = Pipeline.registry.availablePlugins
    let settings = try PresetResolver.resolve(
      preset: try Pipeline.preset("remux-mp4"), source: source, available: available)
    #expect(source.references(of: settings) == [[.init(type: "cdsc", track: 1)], []])
    var muxing = MuxerSettings()
    muxing.tracks = source.references(of: settings).map { references in
      var track = MuxerSettings.Track()
      track.references = references
      return track
    }
    #expect(muxing.limited(to: [0, 1]) == muxing)
    #expect(muxing.limited(to: [1, 0]).tracks[1].references == [.init(type: "cdsc", track: 0)])
    #expect(muxing.limited(to: [0]).tracks.flatMap(\.references).isEmpty)
  }

  @Test func `a container that cannot store timed metadata drops it and reports it`() throws {
    let path = try TimedMetadata.movie(scratch)
    let copy = scratch.path("copy.mkv")
    let report = try session(path, "matroska").exportAndWait(to: copy)
    #expect(report.losses == ["track 2 (mebx data) is dropped: matroska does not carry mebx"])
    #expect(try !hasMetadata(copy))
  }

  @Test func `a preset that encodes drops timed metadata and reports it`() throws {
    let path = try TimedMetadata.movie(scratch)
    let report = try Pipeline.export(path, "web-480p", to: scratch.path("small.mp4"))
    #expect(
      report.losses == [
        "track 2 (mebx data) is dropped: timed metadata needs `tracks: all` or video "
          + "`passthrough: only`"
      ])
    try Pipeline.export(path, "remux-mp4", to: scratch.path("remux.mp4"))
    #expect(try hasMetadata(scratch.path("remux.mp4")))
  }

  /// Checks that a filter that removes location tags also removes a track of locations.
  @Test(.rule("A metadata filter applies to tracks of timed metadata"))
  func `a filter that removes a key also removes its timed metadata track`() throws {
    let path = try TimedMetadata.movie(scratch)
    let session = try session(path, "mov")
    session.metadataItemFilter = .forSharing()
    #expect(try session.prepare().tracks.last?.isDropped == true)
    let report = try session.exportAndWait(to: scratch.path("shared.mov"))
    #expect(report.losses.count == 1)
    #expect(try !hasMetadata(scratch.path("shared.mov")))

    let title = MetadataIdentifier(key: "com.apple.quicktime.title", keySpace: .quickTimeMetadata)
    let titles = try TimedMetadata.movie(scratch, "titles.mov", of: title)
    let kept = try self.session(titles, "mov")
    // The filter is set after `prepare()`. Titles are still kept, and locations still removed.
    _ = try kept.prepare()
    kept.metadataItemFilter = .forSharing()
    _ = try kept.exportAndWait(to: scratch.path("titled.mov"))
    #expect(try hasMetadata(scratch.path("titled.mov")))
    let late = try self.session(path, "mov")
    _ = try late.prepare()
    late.metadataItemFilter = .forSharing()
    _ = try late.exportAndWait(to: scratch.path("late.mov"))
    #expect(try !hasMetadata(scratch.path("late.mov")))
  }
}
