import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Tracks of compositions that refer to each other.
@Suite struct CompositionAssociationTests {
  let scratch: Scratch
  let film = MutableComposition()
  let picture, first, second: MutableCompositionTrack

  init() throws {
    scratch = try Scratch()
    let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
    let range = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    picture = try #require(film.addMutableTrack(withMediaType: .video))
    first = try #require(film.addMutableTrack(withMediaType: .audio))
    second = try #require(film.addMutableTrack(withMediaType: .audio))
    for track in [picture, first, second] {
      try track.insertTimeRange(
        range, of: try #require(try clip.tracks(withMediaType: track.mediaType).first), at: .zero)
    }
  }

  private func others(_ track: AssetTrack, _ type: TrackAssociationType) -> [Int64] {
    track.associatedTracks(ofType: type).map(\.trackID)
  }

  private func export(_ film: Composition, to name: String) async throws -> Asset {
    let path = scratch.path(name)
    let session = try ExportSession(
      asset: film, presetName: "AVAssetExportPresetPassthrough", container: "mov",
      registry: Pipeline.registry)
    _ = try await session.export(to: path)
    return Asset(path: path, registry: Pipeline.registry)
  }

  @Test(
    .rule(
      "A track can be associated with another of the same composition, and the association can be removed"
    ))
  func `a track refers to another until the association is removed`() {
    first.addTrackAssociation(to: second, type: .audioFallback)
    first.addTrackAssociation(to: second, type: .audioFallback)
    first.addTrackAssociation(to: picture, type: .selectionFollower)
    #expect(others(first, .audioFallback) == [second.trackID])
    #expect(first.associatedTracks(ofType: .audioFallback).first === second)
    #expect(first.availableTrackAssociationTypes == [.audioFallback, .selectionFollower])
    #expect(second.availableTrackAssociationTypes.isEmpty)
    first.removeTrackAssociation(to: second, type: .audioFallback)
    #expect(first.availableTrackAssociationTypes == [.selectionFollower])
  }

  @Test func `unsuitable tracks and those of other compositions cannot be associated`() throws {
    first.addTrackAssociation(to: picture, type: .audioFallback)
    first.addTrackAssociation(to: first, type: .selectionFollower)
    first.addTrackAssociation(to: second, type: TrackAssociationType(rawValue: "long one"))
    let other = try #require(MutableComposition().addMutableTrack(withMediaType: .audio))
    first.addTrackAssociation(to: other, type: .selectionFollower)
    let kept = MutableComposition()
    first.addTrackAssociation(
      to: try #require(kept.addMutableTrack(withMediaType: .audio)), type: .audioFallback)
    #expect(first.availableTrackAssociationTypes.isEmpty)
  }

  @Test func `a removed track has no associations, nor has another with its identifier`()
    throws
  {
    first.addTrackAssociation(to: second, type: .audioFallback)
    film.removeTrack(second)
    let fresh = try #require(
      film.addMutableTrack(withMediaType: .audio, preferredTrackID: second.trackID))
    #expect(fresh.trackID == second.trackID)
    #expect(others(first, .audioFallback).isEmpty)
    first.addTrackAssociation(to: second, type: .audioFallback)
    #expect(others(first, .audioFallback).isEmpty)
  }

  @Test func `a copy keeps its associations`() throws {
    first.addTrackAssociation(to: second, type: .audioFallback)
    let copy = film.copy()
    first.removeTrackAssociation(to: second, type: .audioFallback)
    let same = try #require(copy.mutableTracks.first { $0.trackID == first.trackID })
    #expect(others(same, .audioFallback) == [second.trackID])
    #expect(same.associatedTracks(ofType: .audioFallback).first !== second)
    #expect(others(first, .audioFallback).isEmpty)
  }

  @Test func `an exported file has the associations`() async throws {
    first.addTrackAssociation(to: second, type: .audioFallback)
    second.addTrackAssociation(to: picture, type: .selectionFollower)
    let tracks = try await export(film, to: "refer.mov").tracks()
    try #require(tracks.map(\.mediaType) == [.video, .audio, .audio])
    #expect(others(tracks[1], .audioFallback) == [tracks[2].trackID])
    #expect(others(tracks[2], .selectionFollower) == [tracks[0].trackID])
    #expect(tracks[0].availableTrackAssociationTypes.isEmpty)
  }

  @Test func `tracks that a file lacks are not referred to`() async throws {
    second.addTrackAssociation(to: first, type: .audioFallback)
    second.addTrackAssociation(to: picture, type: .selectionFollower)
    film.removeTrack(first)
    let tracks = try await export(film, to: "left.mov").tracks()
    try #require(tracks.map(\.mediaType) == [.video, .audio])
    #expect(tracks[1].availableTrackAssociationTypes == [.selectionFollower])
    #expect(others(tracks[1], .selectionFollower) == [tracks[0].trackID])
  }

  @Test func `timed metadata refers to the video that it describes`() async throws {
    let walk = Asset(path: try TimedMetadata.movie(scratch), registry: Pipeline.registry)
    let film = MutableComposition()
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    try await film.insertTimeRange(second, of: walk, at: .zero)
    let pictures = try #require(film.mutableTracks.first { $0.mediaType == .video })
    let places = try #require(film.mutableTracks.first { $0.mediaType == .metadata })
    places.addTrackAssociation(to: pictures, type: .metadataReferent)
    let tracks = try await export(film, to: "walk.mov").tracks()
    let told = try #require(tracks.first { $0.mediaType == .metadata })
    #expect(
      others(told, .metadataReferent) == tracks.filter { $0.mediaType == .video }.map(\.trackID))
  }

  @Test func `a track of texts becomes the chapters of the track that refers to it`() async throws {
    let texts = Asset(
      path: try Captions.write(scratch, "names.mov", "mov", "mov_text") {
        $0.append(Captions.caption("One", 0, 400))
        $0.append(Captions.caption("Two", 400, 1000))
      }, registry: Pipeline.registry)
    let names = try #require(film.addMutableTrack(withMediaType: .subtitle))
    try names.insertTimeRange(
      TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1)),
      of: try #require(try texts.tracks().first), at: .zero)
    picture.addTrackAssociation(to: names, type: .chapterList)
    let chapters = try await export(film, to: "chapters.mov").mediaDescription().chapters
    #expect(chapters.map(\.title) == ["One", "Two"])
    #expect(chapters.map(\.start) == [0, 400_000_000])
  }
}
