import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// The abilities of an asset, and the properties that its file states.
@Suite struct AssetAbilities {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func abilities(_ asset: Asset) -> [Bool] {
    [asset.isReadable(), asset.isPlayable(), asset.isExportable(), asset.isComposable()]
  }

  @Test(arguments: ["pattern-h264.mp4", "speech-opus.opus", "pattern-flac.mkv", "speech.wav"])
  func `media with decoders can be read, played, exported and composed`(name: String) throws {
    let asset = AssetFixture.asset(name)
    #expect(abilities(asset) == [true, true, true, true])
    #expect(try !asset.hasProtectedContent())
    for track in try asset.tracks() {
      #expect(track.isDecodable() && track.isPlayable() && track.isSelfContained)
    }
  }

  @Test(.rule("An asset is readable if a reader can get media from it"))
  func `without a decoder an asset can only be copied and composed`() throws {
    let workshop = try PluginWorkshop()
    defer { withExtendedLifetime(workshop) {} }
    let registry = try AssetFixture.registry(of: ["ISOMedia"], in: workshop)
    let asset = AssetFixture.asset("pattern-h264.mp4", registry: registry)
    #expect(try asset.tracks().count == 2)
    #expect(abilities(asset) == [false, false, true, true])
    #expect(try !asset.tracks().contains { $0.isDecodable() || $0.isPlayable() })
  }

  @Test(arguments: ["notes.txt", "gone.mp4"])
  func `a file that cannot be read supports nothing`(name: String) {
    let asset = AssetFixture.asset(name)
    #expect(abilities(asset) == [false, false, false, false])
    #expect(throws: MediaError.self) { try asset.hasProtectedContent() }
  }

  @Test(.rule("An encrypted asset has protected content"))
  func `an encrypted movie has tracks that support nothing`() throws {
    let path = try AssetFixture.encrypted(scratch)
    let asset = Asset(path: path, registry: Pipeline.registry)
    #expect(try asset.tracks().count == 2)
    #expect(try asset.hasProtectedContent())
    #expect(abilities(asset) == [false, false, false, false])
    let film = MutableComposition()
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    try film.insertTimeRangeAndWait(second, of: asset, at: .zero)
    #expect(try film.hasProtectedContent())
  }

  @Test func `a composition supports what its clips support`() throws {
    let film = MutableComposition()
    #expect(abilities(film) == [false, false, false, false])
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    try film.insertTimeRangeAndWait(second, of: AssetFixture.asset("pattern-h264.mp4"), at: .zero)
    #expect(abilities(film) == [true, true, true, true])
    #expect(!film.tracks().contains { $0.isSelfContained })
    let workshop = try PluginWorkshop()
    defer { withExtendedLifetime(workshop) {} }
    let registry = try AssetFixture.registry(of: ["ISOMedia"], in: workshop)
    let other = AssetFixture.asset("pattern-h264.mp4", registry: registry)
    try film.insertTimeRangeAndWait(second, of: other, at: .invalid)
    #expect(abilities(film) == [false, false, false, true])
  }

  @Test func `rate and volume are those of the movie, and 1 by default`() throws {
    let path = try AssetFixture.patched(
      "pattern-h264.mp4", scratch, [("mvhd", 24, [0, 2, 0x80, 0, 0, 0x80])])
    let asset = Asset(path: path, registry: Pipeline.registry)
    #expect(try asset.preferredRate() == 2.5)
    #expect(try asset.preferredVolume() == 0.5)
    let sound = AssetFixture.asset("speech.wav")
    #expect(try sound.preferredRate() == 1 && sound.preferredVolume() == 1)
    #expect(try sound.mediaDescription().preferredRate == nil)
  }

  @Test func `a track states its volume, and exports keep it`() throws {
    let writer = try Writing.writer(scratch, "half.mov", "mov")
    let (video, sound) = (Writing.videoInput(), Writing.audioInput())
    sound.preferredVolume = 0.5
    try Writing.start(writer, [video, sound])
    try Writing.feedASecond([video, sound])
    writer.finishWritingAndWait()
    func volumes(_ path: String) throws -> [Float] {
      try Asset(path: path, registry: Pipeline.registry).tracks().map(\.preferredVolume)
    }
    #expect(try volumes(writer.path) == [1, 0.5])
    #expect(try volumes(Pipeline.clip("speech.wav")) == [1])
    let source = Asset(path: writer.path, registry: Pipeline.registry)
    for preset in [ExportPreset.passthrough, .lowQuality] {
      let path = scratch.path("\(preset.rawValue).mov")
      _ = try ExportSession(
        asset: source, presetName: preset.rawValue, container: "mov", registry: Pipeline.registry
      ).exportAndWait(to: path, progress: nil)
      #expect(try volumes(path) == [1, 0.5], "\(preset)")
    }
    let film = MutableComposition()
    try film.insertTimeRangeAndWait(
      TimeRange(start: .zero, duration: Writing.time(25)), of: source, at: .zero)
    #expect(film.tracks().map(\.preferredVolume) == [1, 1])
    let track = film.compositionTracks[1]
    track.preferredVolume = 0.25
    #expect(film.tracks()[1].preferredVolume == 0.25)
    let path = scratch.path("film.mov")
    _ = try ExportSession(
      asset: film, presetName: ExportPreset.passthrough.rawValue, container: "mov",
      registry: Pipeline.registry
    ).exportAndWait(to: path, progress: nil)
    #expect(try volumes(path) == [1, 0.25])
  }

  @Test func `the rotation of an asset is that of its first video track`() async throws {
    let portrait = AssetFixture.asset("portrait.mov")
    let turn = try AssetFixture.track("portrait.mov").preferredTransform
    #expect(turn != .identity)
    #expect(try portrait.preferredTransform() == turn)
    #expect(try await portrait.load(.preferredTransform) == turn)
    #expect(try AssetFixture.asset("speech.wav").preferredTransform() == .identity)
  }

  @Test func `lyrics are those of the tags`() async throws {
    let writer = try Writing.writer(scratch, "song.m4a", "m4a")
    writer.metadata = [MetadataItem(name: "title", "Song"), MetadataItem(name: "lyrics", "La la")]
    let input = Writing.audioInput()
    try Writing.start(writer, [input])
    try #require(input.append(Writing.tone(0)))
    await writer.finishWriting()
    let song = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try song.lyrics() == "La la")
    #expect(try await song.load(.lyrics) == "La la")
    #expect(try AssetFixture.asset("speech.wav").lyrics() == nil)
  }

  @Test(.rule("An asset can contain fragments before it contains any"))
  func `a movie reports whether fragments extend it`() throws {
    let writer = try Writing.writer(scratch)
    writer.movieFragmentInterval = MediaTime(value: 1, timescale: 4)
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.finishWritingAndWait()
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.canContainFragments() && asset.containsFragments())
    let whole = AssetFixture.asset("pattern-h264.mp4")
    #expect(try !whole.canContainFragments() && !whole.containsFragments())
    // The same movie before the first fragment is written.
    let data = try Data(contentsOf: URL(filePath: writer.path))
    let first = try #require(data.range(of: Data("moof".utf8))).lowerBound - 4
    let path = scratch.path("head.mp4")
    try data[..<first].write(to: URL(filePath: path))
    let head = Asset(path: path, registry: Pipeline.registry)
    #expect(try head.canContainFragments() && !head.containsFragments())
  }

  @Test(.rule) func `an unused track identifier belongs to no track`() throws {
    let asset = AssetFixture.asset("pattern-h264.mp4")
    #expect(try asset.tracks().map(\.trackID) == [1, 2])
    #expect(try asset.unusedTrackID() == 3)
    let film = MutableComposition()
    _ = film.addMutableTrack(withMediaType: .video, preferredTrackID: 2)
    #expect(try film.unusedTrackID() == 1)
  }
}

/// The properties of a track: its samples and its associations with other tracks.
@Suite struct TrackFacts {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: ["pattern-h264.mp4", "pattern-flac.mkv", "speech-opus.opus", "speech.wav"])
  func `the data length of all samples is the sum of ffprobe`(name: String) throws {
    for track in try AssetFixture.asset(name).tracks() {
      let sizes = try Writing.probe(
        Pipeline.clip(name),
        ["-select_streams", "\(track.index)", "-show_entries", "packet=size"])
      let sum = sizes.split { !$0.isNumber }.compactMap { Int64($0) }.reduce(0, +)
      #expect(try track.totalSampleDataLength() == sum)
    }
  }

  @Test(
    .rule("The estimated data rate of a track is in bits per second"),
    arguments: [
      "pattern-h264.mp4", "pattern-vp9.webm", "pattern-flac.mkv", "speech-opus.opus",
      "speech-flac.flac", "speech.wav",
    ])
  func `the data rate is that of the samples, whether the file states it or not`(name: String)
    async throws
  {
    let asset = AssetFixture.asset(name)
    for track in try asset.tracks() {
      let rate = track.estimatedDataRate
      #expect(try await track.load(.estimatedDataRate) == rate)
      let sizes = try Writing.probe(
        Pipeline.clip(name),
        ["-select_streams", "\(track.index)", "-show_entries", "packet=size"])
      let bytes = sizes.split { !$0.isNumber }.compactMap { Double($0) }.reduce(0, +)
      let expected = try bytes * 8 / asset.duration().seconds
      #expect(abs(Double(rate) - expected) < 0.1 * expected, "\(rate) for \(expected)")
    }
  }

  @Test func `each track of a composition is counted once`() throws {
    let asset = AssetFixture.asset("pattern-h264.mp4")
    let film = MutableComposition()
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    for _ in 0..<2 { try film.insertTimeRangeAndWait(second, of: asset, at: .invalid) }
    let (a, b) = (try asset.tracks()[0], film.tracks()[0])
    #expect(try a.totalSampleDataLength() == b.totalSampleDataLength())
  }

  @Test func `audio whose packets depend on others is marked`() throws {
    #expect(try !AssetFixture.track("pattern-h264.mp4", .audio).hasAudioSampleDependencies())
    #expect(try !AssetFixture.track("pattern-h264.mp4").hasAudioSampleDependencies())
    let path = scratch.path("lossless.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=d=1:r=48000", "-c:a", "truehd", "-strict", "-2"]
        + [path])
    let asset = Asset(path: path, registry: Pipeline.registry)
    #expect(try asset.tracks()[0].hasAudioSampleDependencies())
  }

  @Test(.rule) func `the sample presentation time is the track time mapped by its segment`() throws
  {
    let track = try AssetFixture.track("pattern-h264.mp4")
    let segment = try #require(track.segments.first)
    let late = MediaTime(value: 1, timescale: 2)
    #expect(segment.timeMapping.source.start > .zero)
    #expect(
      track.samplePresentationTime(forTrackTime: late) == segment.timeMapping.source.start + late)
    #expect(!track.samplePresentationTime(forTrackTime: track.timeRange.end + late).isValid)
    let film = MutableComposition()
    let picture = try #require(film.addMutableTrack(withMediaType: .video))
    let piece = TimeRange(start: late, duration: late)
    try picture.insertTimeRange(piece, of: track, at: .zero)
    picture.insertEmptyTimeRange(TimeRange(start: .zero, duration: late))
    #expect(picture.samplePresentationTime(forTrackTime: late) == late)
    #expect(!picture.samplePresentationTime(forTrackTime: .zero).isValid)
  }

  @Test(.rule) func `associated tracks are those that the track refers to with that type`() throws {
    let writer = try Writing.writer(scratch, "refer.mov", "mov")
    let inputs = [Writing.videoInput(), Writing.audioInput(), Writing.audioInput()]
    inputs[1].addTrackAssociation(withTrackOf: inputs[2], type: .audioFallback)
    inputs[1].addTrackAssociation(withTrackOf: inputs[0], type: .metadataReferent)
    inputs[1].addTrackAssociation(withTrackOf: inputs[2], type: .metadataReferent)
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let tracks = try Asset(path: writer.path, registry: Pipeline.registry).tracks()
    #expect(tracks.map(\.availableTrackAssociationTypes.count) == [0, 2, 0])
    #expect(tracks[1].associatedTracks(ofType: .audioFallback).map(\.trackID) == [3])
    #expect(tracks[1].associatedTracks(ofType: .metadataReferent).map(\.trackID) == [1, 3])
    #expect(tracks[1].associatedTracks(ofType: .timecode).isEmpty)
    #expect(tracks[0].associatedTracks(ofType: .audioFallback).isEmpty)
  }
}
