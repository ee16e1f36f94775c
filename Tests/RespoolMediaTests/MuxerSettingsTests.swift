import CRespool
import RespoolMedia
import Testing

@Suite struct MuxerSettingsTests {
  private func copy(_ settings: MuxerSettings, trackCount: Int) throws -> MuxerSettings {
    let arena = CArena()
    defer { withExtendedLifetime(arena) {} }
    return try MuxerSettings(
      arena.box(settings.cValue(in: arena)), options: settings.options, trackCount: trackCount)
  }

  @Test func `the C form keeps everything`() throws {
    var settings = MuxerSettings(options: [PluginOption("faststart", "true")])
    #expect(try copy(settings, trackCount: 2) == settings)
    settings.isOptimizedForNetwork = false
    settings.cutsAtDuration = true
    settings.segmentFormat = .cmaf
    settings.isCombinable = true
    settings.fragmentInterval = 2
    settings.firstFragmentInterval = 0.5
    settings.firstFragmentNumber = 7
    settings.durationHint = 90
    settings.timeScale = 600
    var track = MuxerSettings.Track()
    track.timeScale = 25
    track.volume = 0
    track.isEnabled = false
    track.alternateGroup = 3
    track.naturalSize = .init(width: 640, height: 360.5)
    track.chunkDuration = 1.5
    track.chunkAlignment = 4096
    track.precedesMainMediaData = true
    track.references = [.init(type: "cdsc", track: 1)]
    settings.tracks = [track, .init()]
    #expect(try copy(settings, trackCount: 2) == settings)
  }

  @Test(
    arguments: [
      { $0.segments = 9 }, { $0.time_scale = -1 }, { $0.fragment_interval = .nan },
      { $0.duration_hint = -1 }, { $0.track_count = 3 },
    ] as [@Sendable (inout rsp_muxing_settings) -> Void])
  func `values out of range are rejected`(change: @Sendable (inout rsp_muxing_settings) -> Void) {
    let arena = CArena()
    var value = MuxerSettings().cValue(in: arena)
    change(&value)
    let lent = arena.box(value)
    #expect(throws: MediaError.self) { try MuxerSettings(lent, options: [], trackCount: 2) }
  }

  @Test(
    arguments: [
      { $0.references = [.init(type: "cdsc", track: 1)] }, { $0.alternateGroup = -1 },
      { $0.volume = 1000 }, { $0.chunkAlignment = -4 }, { $0.chunkDuration = .infinity * 0 },
      { $0.naturalSize = .init(width: 70_000, height: 1) },
    ] as [@Sendable (inout MuxerSettings.Track) -> Void])
  func `tracks out of range are rejected`(change: @Sendable (inout MuxerSettings.Track) -> Void) {
    var settings = MuxerSettings()
    settings.tracks = [.init()]
    change(&settings.tracks[0])
    let error = #expect(throws: MediaError.self) { try copy(settings, trackCount: 1) }
    #expect(error?.track == 0)
  }
}
