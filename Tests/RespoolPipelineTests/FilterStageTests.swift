import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolHost
@testable import RespoolPipeline

/// A stage that keeps the frames that reach it.
private final class Kept: Stage {
  var frames: [Frame] = []
  var hasFinished = false
  func consume(_ frame: Frame) { frames.append(frame) }
  func finish() { hasFinished = true }
}

@Suite struct FilterStageTests {
  private let end = Kept()

  private static func track(_ format: PixelFormat = .yuv420p) -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (32, 32, format)
    (track.frameRate, track.baseFrameRate) = (Rational(25, 1), Rational(25, 1))
    track.language = "deu"
    track.cleanAperture = CleanAperture("30/1 30/1 0/1 0/1")
    return track
  }

  private func chain(
    _ names: [(String, [PluginOption])], _ track: TrackDescription = track(), threads: Int = 1
  ) throws -> FilterChain {
    let registry = Pipeline.registry
    let steps = try names.map { name, options in
      FilterChain.Step(
        try #require(registry.filter(named: name, of: track.kind == .video ? .video : .audio)),
        options: options)
    }
    return try FilterChain(steps, of: track, registry: registry, threads: threads)
  }

  private func frame(
    _ pts: Int64, _ format: PixelFormat = .yuv420p, size: Int = 32, with sideData: [SideData] = []
  ) throws -> Frame {
    var frame = try FrameFixture.counting(format, size, size, seed: Int(pts))
    (frame.pts, frame.duration, frame.sideData) = (pts, 1, sideData)
    return frame
  }

  private static func captions(_ number: UInt8) -> SideData {
    SideData(.registeredUserData, [0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03, number])
  }

  @Test func `text of the track is kept, and what its frames lose is not`() throws {
    let chain = try chain([("crop", [PluginOption("w", "16"), PluginOption("h", "24")])])
    #expect((chain.output.width, chain.output.height) == (16, 24))
    #expect(chain.output.language == "deu")
    #expect(chain.output.cleanAperture == nil)
    #expect(chain.output.timeBase == Rational(1, 25))
    #expect(chain.output.frameRate == Rational(25, 1))
    #expect(try self.chain([("hflip", [])]).output.cleanAperture != nil)
  }

  @Test func `durations and side data pass a filter that keeps times`() throws {
    let chain = try chain([("hqdn3d", []), ("hflip", [])])
    let stage = chain.stage(to: end)
    let light = SideData(.contentLightLevel, [0, 100, 0, 50])
    for number in 0..<5 {
      try stage.consume(
        frame(Int64(number), with: [Self.captions(UInt8(number))] + (number == 0 ? [light] : [])))
    }
    try stage.finish()
    #expect(end.hasFinished)
    #expect(end.frames.map(\.pts) == [0, 1, 2, 3, 4])
    #expect(end.frames.map(\.duration) == [1, 1, 1, 1, 1])
    for (number, frame) in end.frames.enumerated() {
      var expected = [Self.captions(UInt8(number))]
      if number == 0 { expected.append(light) }
      #expect(frame.sideData == expected)
    }
  }

  @Test func `captions appear once where frames double, and none is lost where frames go`() throws {
    let light = SideData(.contentLightLevel, [0, 100, 0, 50])
    var chain = try chain([("fps", [PluginOption("fps", "50")])])
    #expect(chain.output.timeBase == Rational(1, 50))
    var stage = chain.stage(to: end)
    for number in 0..<4 {
      try stage.consume(frame(Int64(number), with: [Self.captions(UInt8(number)), light]))
    }
    try stage.finish()
    #expect(end.frames.map(\.pts) == (0..<8).map { Int64($0) })
    #expect(end.frames.map(\.duration) == Array(repeating: 1, count: 8))
    #expect(
      end.frames.map { $0.sideData.count(where: \.isCaptions) } == [1, 0, 1, 0, 1, 0, 1, 0])
    #expect(end.frames.allSatisfy { $0.sideData.contains(light) })

    end.frames = []
    chain = try self.chain([("fps", [PluginOption("fps", "5")])])
    stage = chain.stage(to: end)
    for number in 0..<10 {
      try stage.consume(frame(Int64(number), with: [Self.captions(UInt8(number))]))
    }
    try stage.finish()
    #expect(end.frames.count == 2)
    let numbers = end.frames.flatMap(\.sideData).filter(\.isCaptions).compactMap(\.bytes.last)
    #expect(numbers == numbers.sorted())
    #expect(numbers.count >= 6)
  }

  @Test func `frames of other formats and sizes are converted to the first`() throws {
    let chain = try chain([("eq", [PluginOption("contrast", "1")])], Self.track(.yuv420p10le))
    let stage = chain.stage(to: end)
    try stage.consume(frame(0, .yuv420p10le))
    try stage.consume(frame(1, .yuv444p))
    try stage.consume(frame(2, .yuv420p10le, size: 64))
    try stage.finish()
    #expect(end.frames.map(\.pixelFormat) == [.yuv420p, .yuv420p, .yuv420p])
    #expect(end.frames.map(\.width) == [32, 32, 32])
  }

  @Test func `a track that describes its frames wrongly is filtered as its frames are`() throws {
    let chain = try chain([("crop", [PluginOption("w", "iw/2")])])
    let stage = chain.stage(to: end)
    for number in 0..<2 { try stage.consume(frame(Int64(number), .yuv444p, size: 48)) }
    try stage.finish()
    #expect(end.frames.map(\.width) == [24, 24])
    #expect(end.frames.map(\.pixelFormat) == [.yuv444p, .yuv444p])
  }

  @Test func `a filter that measures leaves the frames as they are`() throws {
    let chain = try chain(
      [("cropdetect", [PluginOption("skip", "0")]), ("hflip", [])], Self.track(.yuv422p10le))
    #expect(chain.output.pixelFormat == .yuv422p10le)
    let stage = chain.stage(to: end)
    for number in 0..<4 { try stage.consume(frame(Int64(number), .yuv422p10le)) }
    try stage.finish()
    #expect(end.frames.map(\.pts) == [0, 1, 2, 3])
    #expect(chain.results.map(\.filter) == ["cropdetect"])
    #expect(chain.results.first?.results.map(\.name) == ["crop", "visible"])
  }

  @Test func `frames whose times do not increase are left out and counted`() throws {
    let chain = try chain([("bwdif", [PluginOption("mode", "send_frame")])])
    let stage = chain.stage(to: end)
    for time: Int64 in [0, 1, 1, 0, 2, 3] { try stage.consume(frame(time)) }
    try stage.finish()
    #expect(chain.output.timeBase == Rational(1, 50))
    #expect(end.frames.map(\.pts) == [0, 2, 4, 6])
    #expect(end.frames.map(\.duration) == [2, 2, 2, 2])
    #expect(chain.outOfOrderCount == 2)
  }

  @Test func `audio reaches each filter in its format`() throws {
    var track = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48000))
    (track.sampleRate, track.channelLayout, track.sampleFormat) = (48000, .stereo, .s16)
    let chain = try chain(
      [("ebur128", []), ("highpass", [PluginOption("f", "100")]), ("loudnorm", [])], track)
    #expect(chain.output.sampleRate == 192_000)
    #expect(chain.output.sampleFormat == .dbl)
    let stage = chain.stage(to: end)
    for number in 0..<100 {
      var frame = try #require(
        Frame(
          sampleFormat: .s16, channelLayout: .stereo, sampleRate: 48000, sampleCount: 1024,
          pts: Int64(number) * 1024))
      for index in 0..<2048 {
        let value = Int16(truncatingIfNeeded: (number * 2048 + index) &* 2029 % 16384)
        frame.planes[0].base.storeBytes(of: value, toByteOffset: index * 2, as: Int16.self)
      }
      frame.duration = 1024
      try stage.consume(frame)
    }
    try stage.finish()
    #expect(end.frames.allSatisfy { $0.sampleFormat == .dbl && $0.sampleRate == 192_000 })
    #expect(end.frames.reduce(0) { $0 + $1.sampleCount } == 100 * 1024 * 4)
    #expect(chain.results.map(\.filter) == ["ebur128"])
  }

  @Test func `nothing is filtered where there is no frame`() throws {
    let chain = try chain(
      [("ebur128", [])],
      {
        var track = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48000))
        (track.sampleRate, track.channelLayout, track.sampleFormat) = (48000, .stereo, .dbl)
        return track
      }())
    try chain.stage(to: end).finish()
    #expect(end.hasFinished)
    #expect(chain.results.isEmpty)
  }
}
