import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Documented rules for compositions, one test for each.
@Suite struct EditingRules {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  @Test(.rule) func `a track whose preferred identifier is in use or invalid gets another`() throws
  {
    let film = MutableComposition()
    let first = try #require(film.addMutableTrack(withMediaType: .video, preferredTrackID: 7))
    let others = try [7, 0, -3, nil].map {
      try #require(film.addMutableTrack(withMediaType: .audio, preferredTrackID: $0)).trackID
    }
    #expect(first.trackID == 7)
    #expect(Set(others).count == 4 && others.allSatisfy { $0 > 7 })
    #expect(film.tracks().map(\.trackID) == [7] + others)
    #expect(try film.track(withTrackID: 7) === first)
  }

  @Test(
    .rule, arguments: ["pattern-vp9.webm", "deep.mkv", "clap-and-flash.mp4", "pattern-h264.mp4"])
  func `a whole track can be inserted with its time range`(name: String) throws {
    let asset = Asset(path: Pipeline.clip(name), registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    let film = MutableComposition()
    let target = try #require(film.addMutableTrack(withMediaType: .video))
    try target.insertTimeRange(track.timeRange, of: track, at: .zero)
    #expect(abs(film.duration().seconds - track.timeRange.duration.seconds) < 0.001)
    #expect(track.timeRange.end <= (try asset.duration()) + MediaTime(value: 1, timescale: 100))
    #expect(track.segments.allSatisfy { !$0.isEmpty })
    #expect(track.segment(forTrackTime: MediaTime(value: 1, timescale: 1)) != nil)
  }

  @Test(.rule) func `the segment for a time outside of a track is the closest`() throws {
    let source = try #require(try clip.tracks(withMediaType: .video).first)
    let film = MutableComposition()
    let track = try #require(film.addMutableTrack(withMediaType: .video))
    #expect(track.segment(forTrackTime: .zero) == nil)
    let piece = TimeRange(start: .zero, duration: Writing.time(25))
    try track.insertTimeRange(piece, of: source, at: Writing.time(25))
    #expect(track.segment(forTrackTime: Writing.time(-1))?.isEmpty == true)
    #expect(track.segment(forTrackTime: Writing.time(24))?.isEmpty == true)
    for number in [25, 49, 50, 5000] {
      #expect(track.segment(forTrackTime: Writing.time(number))?.isEmpty == false)
    }
    // The segment has no media at that time nevertheless.
    #expect(!track.samplePresentationTime(forTrackTime: Writing.time(50)).isValid)
    #expect(track.segment(forTrackTime: .indefinite) == nil)
    let end = source.timeRange.end
    #expect(source.segment(forTrackTime: end + Writing.time(1))?.isEmpty == false)
  }

  @Test func `durations of assets add up exactly`() throws {
    let duration = try Asset(
      path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry
    ).duration()
    let half = MediaTime(value: 300, timescale: 600)
    let sum = (duration - half) + (duration - half) + duration
    #expect(sum == MediaTime(value: 5, timescale: 1) && !sum.flags.contains(.hasBeenRounded))
  }

  @Test(.rule("Tracks can be removed"))
  func `a removed track is no longer in the composition`() throws {
    let film = MutableComposition()
    let whole = TimeRange(start: .zero, duration: try clip.duration())
    try film.insertTimeRangeAndWait(whole, of: clip, at: .zero)
    let sound = try #require(film.mutableTracks.first { $0.mediaType == .audio })
    film.removeTrack(sound)
    #expect(film.tracks().map(\.mediaType) == [.video])
    let path = scratch.path("silent.mp4")
    _ = try ExportSession(
      asset: film, preset: try Pipeline.preset("web-480p"), registry: Pipeline.registry
    ).exportAndWait(to: path)
    #expect(try Writing.probe(path, ["-show_entries", "stream=codec_type"]).contains("video"))
    #expect(try !Writing.probe(path, ["-show_entries", "stream=codec_type"]).contains("audio"))
  }

  @Test(.rule) func `a compatible track accepts segments of the other`() throws {
    let film = MutableComposition()
    let picture = try #require(try clip.tracks(withMediaType: .video).first)
    let sound = try #require(try clip.tracks(withMediaType: .audio).first)
    #expect(film.mutableTrack(compatibleWith: picture) == nil)
    let track = try #require(film.addMutableTrack(withMediaType: .video))
    #expect(film.mutableTrack(compatibleWith: picture) === track)
    #expect(film.mutableTrack(compatibleWith: sound) == nil)
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    #expect(throws: MediaError.self) { try track.insertTimeRange(second, of: sound, at: .zero) }
  }

  @Test(.rule)
  func `a track's natural time scale is that of its first segment, and 600 for an empty track`()
    throws
  {
    let film = MutableComposition()
    let track = try #require(film.addMutableTrack(withMediaType: .audio))
    #expect(track.naturalTimeScale == 600)
    let sound = try #require(try clip.tracks(withMediaType: .audio).first)
    let half = MediaTime(value: 1, timescale: 2)
    try track.insertTimeRange(TimeRange(start: .zero, duration: half), of: sound, at: half)
    // The first segment is empty and has no time scale of its own.
    #expect(track.segments.first?.isEmpty == true)
    #expect(sound.naturalTimeScale != 600 && track.naturalTimeScale == sound.naturalTimeScale)
    track.naturalTimeScale = 1000
    #expect(track.naturalTimeScale == 1000)
    track.naturalTimeScale = 0
    #expect(track.naturalTimeScale == sound.naturalTimeScale)
  }
}
