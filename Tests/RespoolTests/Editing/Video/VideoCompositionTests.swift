import RespoolMedia
import TestFixtures
import Synchronization
import Testing

@testable import Respool

@Suite struct VideoCompositionTests {
  private func instruction(_ from: Int64, _ to: Int64, tracks: [Int64] = [1])
    -> MutableVideoCompositionInstruction
  {
    MutableVideoCompositionInstruction(
      timeRange: TimeRange(
        start: MediaTime(value: from, timescale: 1), end: MediaTime(value: to, timescale: 1)),
      layerInstructions: tracks.map { MutableVideoCompositionLayerInstruction(trackID: $0) })
  }

  private func composition(_ instructions: [any VideoCompositionInstructionProtocol])
    -> MutableVideoComposition
  {
    let composition = MutableVideoComposition()
    composition.renderSize = VideoDimensions(width: 16, height: 16)
    composition.frameDuration = MediaTime(value: 1, timescale: 30)
    composition.instructions = instructions
    return composition
  }

  /// A validation handler that records the reported faults.
  private final class Listener: VideoCompositionValidationHandling {
    var faults: [String] = []
    let goesOn: Bool
    init(goesOn: Bool) { self.goesOn = goesOn }

    func videoComposition(
      _ composition: VideoComposition,
      shouldContinueValidatingAfterFindingInvalidValueForKey key: String
    ) -> Bool {
      faults.append(key)
      return goesOn
    }

    func videoComposition(
      _ composition: VideoComposition,
      shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: TimeRange
    ) -> Bool {
      faults.append("gap \(timeRange.start)-\(timeRange.end)")
      return goesOn
    }

    func videoComposition(
      _ composition: VideoComposition,
      shouldContinueValidatingAfterFindingInvalidTimeRangeIn instruction:
        any VideoCompositionInstructionProtocol
    ) -> Bool {
      faults.append("range \(instruction.timeRange.start)")
      return goesOn
    }

    func videoComposition(
      _ composition: VideoComposition,
      shouldContinueValidatingAfterFindingInvalidTrackIDIn instruction:
        any VideoCompositionInstructionProtocol,
      layerInstruction layer: VideoCompositionLayerInstruction?
    ) -> Bool {
      faults.append("track \(layer?.trackID ?? -1)")
      return goesOn
    }
  }

  private func faults(
    _ composition: VideoComposition, duration: Int64, tracks: [Int64]? = [1],
    in range: TimeRange = TimeRange(start: .zero, duration: .positiveInfinity),
    goesOn: Bool = true
  ) -> [String] {
    let listener = Listener(goesOn: goesOn)
    let isValid = composition.isValid(
      forTracks: tracks, assetDuration: MediaTime(value: duration, timescale: 1),
      timeRange: range, validationDelegate: listener)
    #expect(isValid == listener.faults.isEmpty)
    return listener.faults
  }

  @Test func `tiled instructions are valid`() {
    #expect(faults(composition([instruction(0, 2), instruction(2, 5)]), duration: 5) == [])
    #expect(faults(composition([instruction(0, 9)]), duration: 5) == [])
  }

  @Test(.rule("The validation delegate gets gaps and overlaps of instructions"))
  func `gaps and overlaps are found`() {
    #expect(
      faults(composition([instruction(1, 2), instruction(3, 4)]), duration: 5)
        == ["gap 0/1-1/1", "gap 2/1-3/1", "gap 4/1-5/1"])
    #expect(
      faults(composition([instruction(0, 3), instruction(2, 5)]), duration: 5)
        == ["range 2/1", "gap 3/1-5/1"])
    #expect(
      faults(composition([instruction(2, 5), instruction(0, 2)]), duration: 5)
        == ["gap 0/1-2/1", "range 0/1"])
    #expect(faults(composition([]), duration: 5) == ["gap 0/1-5/1"])
  }

  @Test func `only the requested range is checked`() {
    let range = TimeRange(
      start: MediaTime(value: 1, timescale: 1), end: MediaTime(value: 3, timescale: 1))
    #expect(faults(composition([instruction(1, 3)]), duration: 9, in: range) == [])
    #expect(faults(composition([instruction(2, 9)]), duration: 9, in: range) == ["gap 1/1-2/1"])
  }

  @Test func `gaps from rounding of times are no faults`() throws {
    let third = MediaTime(value: 1, timescale: 3)
    // Up to two units of the finest time scale before or after the third; below, 1 ns at the end.
    for value: Int64 in [715_827_882, 715_827_884] {
      let near = MediaTime(value: value, timescale: .max)
      let both = composition([instruction(0, 1), instruction(0, 1)])
      both.instructions = [
        MutableVideoCompositionInstruction(timeRange: TimeRange(start: .zero, end: near)),
        MutableVideoCompositionInstruction(
          timeRange: TimeRange(start: third, end: MediaTime(value: 1, timescale: 1))),
      ]
      #expect(both.isValid(forTracks: nil, assetDuration: MediaTime(value: 1, timescale: 1)))
      let renderer = try VideoCompositionRenderer(both, sources: [])
      #expect(renderer.instruction(at: near) != nil)
      #expect(renderer.instruction(at: third) != nil)
    }
    let late = composition([instruction(0, 1)])
    #expect(
      late.isValid(
        forTracks: nil, assetDuration: MediaTime(value: 1_000_000_001, timescale: 1_000_000_000)))
    #expect(
      !late.isValid(forTracks: nil, assetDuration: MediaTime(value: 1001, timescale: 1000)))
  }

  @Test(.rule("The validation delegate gets invalid values and unknown tracks"))
  func `unknown tracks and bad values are found`() {
    let bad = composition([instruction(0, 5, tracks: [1, 7])])
    bad.renderSize = .zero
    bad.renderScale = -1
    bad.frameDuration = .zero
    #expect(
      faults(bad, duration: 5) == ["renderSize", "renderScale", "frameDuration", "track 7"])
    #expect(faults(bad, duration: 5, goesOn: false) == ["renderSize"])
    #expect(
      !bad.isValid(forTracks: nil, assetDuration: MediaTime(value: 5, timescale: 1)))
    // A frame duration is also needed with a frame-timing track, which may have empty ranges.
    bad.sourceTrackIDForFrameTiming = 1
    #expect(
      faults(bad, duration: 5, tracks: nil) == ["renderSize", "renderScale", "frameDuration"])
  }

  @Test(.rule)
  func `a video composition is checked against the tracks and the duration of an asset`() throws {
    let clip = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let shown = try VideoComposition(propertiesOf: clip)
    #expect(try shown.isValidAndWait(for: clip))
    let range = TimeRange(start: .zero, end: MediaTime(value: 1, timescale: 1))
    for (bad, wanted) in [
      (composition([instruction(0, 1)]), ["gap 1/1-25600/12800"]),
      (composition([instruction(0, 2, tracks: [1, 77])]), ["track 77"]),
    ] {
      let listener = Listener(goesOn: true)
      #expect(try !bad.isValidAndWait(for: clip, validationDelegate: listener))
      #expect(listener.faults == wanted)
      #expect(
        try bad.isValidAndWait(for: clip, timeRange: range) == (wanted == ["gap 1/1-25600/12800"]))
    }
    // Audio that outlasts the video needs no instruction.
    let film = MutableComposition()
    for (type, seconds) in [(MediaType.video, Int64(1)), (.audio, 2)] {
      let track = try #require(film.addMutableTrack(withMediaType: type))
      try track.insertTimeRange(
        TimeRange(start: .zero, end: MediaTime(value: seconds, timescale: 1)),
        of: try clip.tracks(withMediaType: type)[0], at: .zero)
    }
    #expect(try VideoComposition(propertiesOf: film).isValidAndWait(for: film))
    #expect(film.duration() == MediaTime(value: 2, timescale: 1))
    let missing = Asset(path: "nowhere.mp4", registry: Pipeline.registry)
    #expect(throws: MediaError.self) { _ = try shown.isValidAndWait(for: missing) }
  }

  @Test func `a video composition is checked against an asset asynchronously`() async throws {
    let clip = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let shown = try VideoComposition(propertiesOf: clip)
    #expect(try await shown.isValid(for: clip))
    let listener = Listener(goesOn: true)
    let short = composition([instruction(0, 1)])
    #expect(try await !short.isValid(for: clip, validationDelegate: listener))
    #expect(listener.faults == ["gap 1/1-25600/12800"])
  }

  @Test func `the properties of tracks are adopted`() throws {
    func source(_ id: Int64, _ degrees: Int, _ rate: Rational, _ from: Int64, _ to: Int64)
      -> VideoCompositionSource
    {
      VideoCompositionSource(
        trackID: id, naturalWidth: 1280, naturalHeight: 720,
        preferredTransform: DisplayMatrix(clockwiseDegrees: degrees), nominalFrameRate: rate,
        timeRange: TimeRange(
          start: MediaTime(value: from, timescale: 1), end: MediaTime(value: to, timescale: 1)))
    }
    let made = VideoComposition(
      propertiesOf: [
        source(1, 90, Rational(24000, 1001), 1, 4), source(2, 0, Rational(25, 1), 2, 6),
      ])
    #expect(made.renderSize == VideoDimensions(width: 1280, height: 1280))
    #expect(made.frameDuration == MediaTime(value: 1, timescale: 25))
    #expect(made.instructions.map(\.timeRange.start.seconds) == [0, 1, 2, 4])
    #expect(made.instructions.last?.timeRange.end.seconds == 6)
    #expect(
      made.instructions.map(\.requiredSourceTrackIDs) == [[], [1], [1, 2], [2]])
    #expect(made.isValid(forTracks: [1, 2], assetDuration: MediaTime(value: 6, timescale: 1)))
    let layer = try #require(
      (made.instructions[1] as? VideoCompositionInstruction)?.layerInstructions.first)
    #expect(layer.configuration.transform.value(at: .zero).apply(0, 720) == (0, 0))
    let unknown = MutableVideoComposition(propertiesOf: [source(1, 270, .unknown, 0, 1)])
    #expect(unknown.frameDuration == MediaTime(value: 1, timescale: 30))
    #expect(unknown.renderSize == VideoDimensions(width: 720, height: 1280))
    #expect(VideoComposition(propertiesOf: []).instructions.isEmpty)
  }

  @Test func `odd sides become even without an edge`() throws {
    let picture = try VideoFixture.flat(.yuv420p, 33, 21, [200, 90, 90])
    let source = VideoCompositionSource(
      trackID: 1, naturalWidth: 33 * 4 / 3.0, naturalHeight: 21, timeRange: VideoFixture.second)
    let made = VideoComposition(propertiesOf: [source])
    #expect(made.renderSize == VideoDimensions(width: 44, height: 20))
    let renderer = try VideoCompositionRenderer(made, sources: [source])
    let result = try #require(try renderer.render(at: .zero, frames: [1: picture]))
    #expect(try VideoFixture.plane(result, 0).samples.allSatisfy { $0 == 200 })
    #expect(try VideoFixture.plane(result, 1).samples.allSatisfy { $0 == 90 })
  }

  @Test func `the target follows the sources`() throws {
    func target(_ color: ColorDescription, _ format: PixelFormat, height: Int = 720) throws
      -> CompositionTarget
    {
      try CompositionTarget(
        VideoFixture.composition(height * 4 / 3, height, []),
        sources: [
          VideoCompositionSource(
            trackID: 1, naturalWidth: 640, naturalHeight: 480, pixelFormat: format, color: color,
            timeRange: VideoFixture.second)
        ], compositor: nil, pixelFormat: nil)
    }
    #expect(try target(.bt709, .yuv420p).pixelFormat == .yuv420p)
    #expect(try target(.bt709, .yuv422p10le).pixelFormat == .yuv420p10le)
    #expect(try target(.bt709, .yuv420p).tag == .bt709)
    // Unmarked standard-definition video is BT.601, which a frame of 720 rows must state.
    #expect(try target(.unspecified, .yuv420p).tag.matrix == 6)
    #expect(try target(.unspecified, .yuv420p, height: 480).tag.matrix == 2)
    #expect(try target(.unspecified, .rgb24).color.matrix == 1)
    #expect(try target(ColorDescription(range: .full), .yuv420p).color.range == .full)
    let clear = VideoFixture.composition(64, 64, [], background: .clear)
    #expect(
      try CompositionTarget(clear, sources: [], compositor: nil, pixelFormat: nil).pixelFormat
        == .yuva420p)
    #expect(throws: MediaError.self) {
      try CompositionTarget(clear, sources: [], compositor: nil, pixelFormat: .rgb24)
    }
  }
}
