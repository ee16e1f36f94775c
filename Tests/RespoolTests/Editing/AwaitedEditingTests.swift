import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Asynchronous versions of the editing methods that read files.
@Suite struct AwaitedEditingTests {
  let clip = Pipeline.clip("clap-and-flash.mp4")
  let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))

  /// Creates an asset of which nothing has been read.
  private func asset(_ path: String? = nil) -> Asset {
    Asset(path: path ?? clip, registry: Pipeline.registry)
  }

  /// Creates a composition with the blocking method.
  private func composed(_ count: Int) throws -> MutableComposition {
    let film = MutableComposition()
    for _ in 0..<count { try film.insertTimeRangeAndWait(second, of: asset(), at: .invalid) }
    return film
  }

  private func shape(_ film: Composition) -> [[TimeMapping]] {
    film.compositionTracks.map { $0.compositionSegments.map(\.timeMapping) }
  }

  @Test(.rule("A time range of an asset is inserted asynchronously"))
  func `asynchronous and blocking insertion give the same composition`() async throws {
    let film = MutableComposition()
    for _ in 0..<3 { try await film.insertTimeRange(second, of: asset(), at: .invalid) }
    #expect(film.tracks().map(\.mediaType) == [.video, .audio])
    #expect(shape(film) == shape(try composed(3)))
    #expect(film.duration() == MediaTime(value: 3, timescale: 1))
  }

  @Test func `tasks insert assets concurrently`() async throws {
    let film = MutableComposition()
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { try await film.insertTimeRange(second, of: asset(), at: .zero) }
      }
      try await group.waitForAll()
    }
    #expect(
      film.compositionTracks.allSatisfy { SegmentList.problem(of: $0.compositionSegments) == nil })
    #expect(
      film.compositionTracks.filter { $0.mediaType == .video }.map {
        $0.timeRange.duration.seconds
      }.max() == 8)
  }

  @Test(arguments: ["file", "range"])
  func `a failed insertion leaves the composition unchanged`(what: String) async throws {
    let film = MutableComposition()
    let error = await #expect(throws: MediaError.self) {
      if what == "file" {
        try await film.insertTimeRange(second, of: asset("/nowhere.mp4"), at: .zero)
      } else {
        try await film.insertTimeRange(.invalid, of: asset(), at: .zero)
      }
    }
    #expect(error?.code == (what == "file" ? .io : .invalidArgument))
    #expect(film.tracks().isEmpty)
  }

  @Test(
    .rule(
      "A video composition with the properties of an asset and a prototype instruction is made asynchronously"
    ))
  func `asynchronous and blocking initializers give the same video composition`() async throws {
    let portrait = asset(Pipeline.clip("portrait.mov"))
    var prototype = VideoCompositionInstruction.Configuration()
    prototype.backgroundColor = .white
    let plain = try VideoComposition(propertiesOf: portrait)
    let fixed = try await VideoComposition.videoComposition(withPropertiesOf: portrait)
    let made = try await MutableVideoComposition.videoComposition(
      withPropertiesOf: asset(Pipeline.clip("portrait.mov")),
      prototypeInstruction: VideoCompositionInstruction(configuration: prototype))
    for one in [fixed, made] {
      #expect(one.renderSize == plain.renderSize && plain.renderSize != .zero)
      #expect(one.frameDuration == plain.frameDuration)
      #expect(one.instructions.map(\.timeRange) == plain.instructions.map(\.timeRange))
    }
    let instructions = made.instructions.compactMap { $0 as? VideoCompositionInstruction }
    #expect(!instructions.isEmpty && instructions.allSatisfy { $0.backgroundColor == .white })
    made.renderScale = 0.5
    #expect(made.renderScale == 0.5)
    // The blocking initializer also creates a mutable composition.
    #expect(try MutableVideoComposition(propertiesOf: portrait).renderSize == plain.renderSize)
    let error = await #expect(throws: MediaError.self) {
      try await VideoComposition.videoComposition(withPropertiesOf: asset("/nowhere.mp4"))
    }
    #expect(error?.code == .io)
  }
}
