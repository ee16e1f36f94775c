import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

@Suite struct PropertyLoading {
  @Test(.rule) func `several properties are loaded by one call`() async throws {
    let asset = AssetFixture.asset("pattern-h264.mp4")
    let (duration, tracks, isReadable, isPlayable, isProtected, rate, groups, chapters) =
      try await asset.load(
        .duration, .tracks, .isReadable, .isPlayable, .hasProtectedContent, .preferredRate,
        .trackGroups, .chapters)
    #expect(try duration == asset.duration())
    #expect(tracks.count == 2 && isReadable && isPlayable && !isProtected && rate == 1)
    #expect(groups.isEmpty && chapters.isEmpty)
    let (size, scale, bytes, isEnabled) = try await tracks[0].load(
      .naturalSize, .naturalTimeScale, .totalSampleDataLength, .isEnabled)
    #expect(size == tracks[0].naturalSize && scale == 12800 && isEnabled)
    #expect(try bytes == tracks[0].totalSampleDataLength())
  }

  @Test(.rule) func `the status of a property has the value after loading`() async throws {
    let asset = AssetFixture.asset("pattern-h264.mp4")
    guard case .notYetLoaded = asset.status(of: .duration) else {
      Issue.record("\(asset.status(of: .duration))")
      return
    }
    let duration = try await asset.load(.duration)
    guard case .loaded(duration) = asset.status(of: .duration) else {
      Issue.record("\(asset.status(of: .duration))")
      return
    }
    guard case .notYetLoaded = asset.status(of: .preferredRate) else {
      Issue.record("another property")
      return
    }
    let track = try await asset.load(.tracks)[0]
    let size = try await track.load(.naturalSize)
    guard case .loaded(let known) = track.status(of: .naturalSize) else {
      Issue.record("\(track.status(of: .naturalSize))")
      return
    }
    #expect(known == size)
    // A property that the file does not have is loaded as `nil`.
    let sound = try AssetFixture.track("speech.wav", .audio)
    #expect(try await sound.load(.languageCode) == nil)
    guard case .loaded(nil) = sound.status(of: .languageCode) else {
      Issue.record("\(sound.status(of: .languageCode))")
      return
    }
  }

  @Test func `loaded tracks do not retain their asset`() async throws {
    weak var gone: Asset?
    do {
      let asset = AssetFixture.asset("pattern-h264.mp4")
      gone = asset
      _ = try await asset.load(.tracks, .duration, .trackGroups)
      guard case .loaded(let tracks) = asset.status(of: .tracks) else {
        Issue.record("\(asset.status(of: .tracks))")
        return
      }
      #expect(tracks.count == 2)
      _ = try await tracks[0].load(.segments, .formatDescriptions, .totalSampleDataLength)
    }
    // The threads that have loaded it may be about to end.
    for _ in 0..<500 where gone != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(gone == nil)
  }

  @Test(.rule("The status of a property has the error after loading failed"))
  func `a failed load is reported and tried again`() async throws {
    let asset = AssetFixture.asset("gone.mp4")
    let error = await #expect(throws: MediaError.self) { try await asset.load(.duration) }
    guard case .failed(let told) = asset.status(of: .duration) else {
      Issue.record("\(asset.status(of: .duration))")
      return
    }
    #expect(told.message == error?.message)
    await #expect(throws: MediaError.self) { try await asset.load(.duration, .tracks, .isReadable) }
  }

  @Test func `properties of a composition are loaded, with their current values`() async throws {
    let film = MutableComposition()
    guard case .loaded(.zero) = film.status(of: .duration) else {
      Issue.record("\(film.status(of: .duration))")
      return
    }
    #expect(try await film.load(.duration) == .zero)
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    try await film.insertTimeRange(second, of: AssetFixture.asset("pattern-h264.mp4"), at: .zero)
    #expect(try await film.load(.duration) == second.duration)
    let track = film.tracks()[0]
    guard case .loaded(second) = track.status(of: .timeRange) else {
      Issue.record("\(track.status(of: .timeRange))")
      return
    }
  }

  @Test func `tracks are loaded by identifier, type and characteristic`() async throws {
    let asset = AssetFixture.asset("pattern-h264.mp4")
    let audible = try await asset.loadTracks(withMediaCharacteristic: .audible)
    #expect(audible.map(\.mediaType) == [.audio])
    #expect(try await asset.findUnusedTrackID() == 3)
    #expect(try await audible[0].loadAssociatedTracks(ofType: .chapterList).isEmpty)
  }

  @Test func `times and segments are loaded under AVFoundation's names`() async throws {
    let track = try AssetFixture.track("pattern-h264.mp4")
    let time = MediaTime(value: 1, timescale: 1)
    let segment = try #require(try await track.loadSegment(forTrackTime: time))
    let mapping = segment.timeMapping
    #expect(
      try await track.loadSamplePresentationTime(forTrackTime: time)
        == time - mapping.target.start + mapping.source.start)
  }
}
