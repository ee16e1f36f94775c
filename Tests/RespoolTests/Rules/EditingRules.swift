import RespoolMedia
import Testing

@testable import Respool

/// What is documented of compositions, a test to a rule.
@Suite struct EditingRules {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  @Test func `A track gets the number that is asked for, or one of its own`() throws {
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

  @Test func `A track that is removed is in the composition no more`() throws {
    let film = MutableComposition()
    let whole = TimeRange(start: .zero, duration: try clip.duration())
    try film.insertTimeRange(whole, of: clip, at: .zero)
    let sound = try #require(film.mutableTracks.first { $0.mediaType == .audio })
    film.removeTrack(sound)
    #expect(film.tracks().map(\.mediaType) == [.video])
    let path = scratch.path("silent.mp4")
    _ = try ExportSession(
      asset: film, preset: try Pipeline.preset("web-480p"), registry: Pipeline.registry
    ).export(to: path)
    #expect(try Writing.probe(path, ["-show_entries", "stream=codec_type"]).contains("video"))
    #expect(try !Writing.probe(path, ["-show_entries", "stream=codec_type"]).contains("audio"))
  }

  @Test func `A compatible track is one into which pieces of the other can be put`() throws {
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
}
