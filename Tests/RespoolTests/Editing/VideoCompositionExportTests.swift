import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Results of a reader and an export for the same video composition, and for one that cannot be rendered.
@Suite struct VideoCompositionExportTests {
  let scratch: Scratch
  let registry = Pipeline.registry

  init() throws { scratch = try Scratch() }

  private func asset(_ name: String) -> Asset {
    Asset(path: Pipeline.clip(name), registry: registry)
  }

  private func time(_ milliseconds: Int64) -> MediaTime {
    MediaTime(value: milliseconds, timescale: 1000)
  }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  private func times(_ asset: Asset, _ composition: VideoComposition, in range: TimeRange? = nil)
    throws -> [Double]
  {
    let (reader, output) = try VideoFixture.reader(asset, composition, in: range)
    try #require(reader.startReading(), "\(String(describing: reader.error))")
    var times: [Double] = []
    while let sample = output.copyNextSampleBuffer() {
      times.append(sample.presentationTimeStamp.seconds)
    }
    try #require(reader.status == .completed)
    return times
  }

  private func session(_ asset: Asset, _ composition: VideoComposition) throws -> ExportSession {
    let session = try ExportSession(
      asset: asset, preset: try Pipeline.preset("web-480p"), registry: registry, threads: 2)
    session.videoComposition = composition
    return session
  }

  private func export(_ asset: Asset, _ composition: VideoComposition, _ name: String = "out.mp4")
    throws -> String
  {
    let path = scratch.path(name)
    _ = try session(asset, composition).exportAndWait(to: path)
    return path
  }

  // MARK: Color

  /// Creates a movie of one red, in codes of the BT.601 matrix and tagged with that matrix.
  private func red(_ primaries: UInt8, _ transfer: UInt8) throws -> Asset {
    let path = scratch.path("red.mp4")
    let writer = try AssetWriter(path: path, container: "mp4", registry: registry)
    let input = AssetWriterInput(
      mediaType: .video,
      settings: .video(codec: "h264", width: 96, height: 64, encoder: "x264", quality: 5))
    try Writing.start(writer, [input])
    let (y, cb, cr) = Self.codes(red: 0.8, green: 0.2, blue: 0.2, kr: 0.299, kb: 0.114)
    for number in 0..<5 {
      var frame = try FrameFixture.flat(.yuv420p, 96, 64, [UInt8(y), UInt8(cb), UInt8(cr)])
      frame.color = ColorDescription(primaries: primaries, transfer: transfer, matrix: 6)
      try #require(
        input.append(
          SampleBuffer(
            try #require(PixelBuffer(frame)), at: Writing.time(number), duration: Writing.time(1))))
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed)
    return Asset(path: path, registry: registry)
  }

  /// Returns Y, Cb and Cr as 8-bit codes of limited range (ITU-R BT.601 2.5.3 and BT.709 3.4).
  private static func codes(red: Double, green: Double, blue: Double, kr: Double, kb: Double) -> (
    Int, Int, Int
  ) {
    let y = kr * red + (1 - kr - kb) * green + kb * blue
    return (
      Int((16 + 219 * y).rounded()), Int((128 + 224 * (blue - y) / (2 * (1 - kb))).rounded()),
      Int((128 + 224 * (red - y) / (2 * (1 - kr))).rounded())
    )
  }

  @Test(
    .rule("Frames have the color of the video composition"),
    arguments: [
      (UInt8(1), UInt8(1), UInt8(1), "bt709,bt709,bt709"),
      (9, 16, 9, "bt2020nc,smpte2084,bt2020"), (9, 18, 9, "bt2020nc,arib-std-b67,bt2020"),
    ])
  func `an export has the color of its video composition`(
    primaries: UInt8, transfer: UInt8, matrix: UInt8, tags: String
  ) throws {
    let source = try red(primaries, transfer)
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: source))
    composition.colorPrimaries = primaries
    composition.colorTransferFunction = transfer
    composition.colorYCbCrMatrix = matrix
    let path = try export(source, composition)
    let told = try Writing.probe(
      path,
      [
        "-select_streams", "v", "-show_entries",
        "stream=color_space,color_transfer,color_primaries",
      ])
    #expect(told.trimmingCharacters(in: .whitespacesAndNewlines) == tags)

    // The same red in codes of the output's matrix.
    let (kr, kb) = matrix == 1 ? (0.2126, 0.0722) : (0.2627, 0.0593)
    let (y, cb, cr) = Self.codes(red: 0.8, green: 0.2, blue: 0.2, kr: kr, kb: kb)
    let picture = try #require(try Pipeline.pictures(path).last?.imageBuffer)
    for (plane, wanted) in [y, cb, cr].enumerated() {
      let made = try VideoFixture.plane(picture, plane).samples
      let worst = made.map { abs($0 - wanted) }.max() ?? 255
      #expect(worst <= 3, "plane \(plane): \(made[0]) for \(wanted)")
    }
  }

  @Test(.rule("Without a color of the video composition, that of the source is used"))
  func `an export without a color has that of its source`() throws {
    let source = try red(1, 1)
    let path = try export(source, try VideoComposition(propertiesOf: source))
    let told = try Writing.probe(
      path,
      [
        "-select_streams", "v", "-show_entries",
        "stream=color_space,color_transfer,color_primaries",
      ])
    #expect(told.trimmingCharacters(in: .whitespacesAndNewlines) == "smpte170m,bt709,bt709")
  }

  // MARK: Presentation times

  @Test(.rule("The source track of frame timing gives its times"))
  func `the source of frame timing gives its times to reading and exports`() throws {
    let source = asset("variable.mp4")
    let stored = try Pipeline.pictures(Pipeline.clip("variable.mp4"))
      .map(\.presentationTimeStamp.seconds)
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: source))
    composition.sourceTrackIDForFrameTiming = 1
    composition.frameDuration = MediaTime(value: 1, timescale: 5)
    #expect(stored.count == 35)
    #expect(try times(source, composition) == stored)
    #expect(
      try Pipeline.pictures(export(source, composition)).map(\.presentationTimeStamp.seconds)
        == stored)
  }

  @Test(
    .rule("In an empty edit of the source track of frame timing, frames have the frame duration"))
  func `an empty edit of the source of frame timing uses the frame duration`() throws {
    let film = MutableComposition()
    let track = try #require(film.addMutableTrack(withMediaType: .video))
    let source = try #require(try asset("pattern-h264.mp4").tracks(withMediaType: .video).first)
    try track.insertTimeRange(range(0, 200), of: source, at: .zero)
    track.insertEmptyTimeRange(range(200, 500))
    try track.insertTimeRange(range(0, 80), of: source, at: time(500))
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: film))
    composition.sourceTrackIDForFrameTiming = track.trackID
    composition.frameDuration = MediaTime(value: 1, timescale: 10)
    let wanted = [0, 0.04, 0.08, 0.12, 0.16, 0.2, 0.3, 0.4, 0.5, 0.54]
    #expect(try times(film, composition) == wanted)
    #expect(
      try Pipeline.pictures(export(film, composition)).map(\.presentationTimeStamp.seconds)
        == wanted)
  }

  @Test(arguments: [false, true])
  func `a fade continues during a long frame of the source of frame timing`(fades: Bool)
    throws
  {
    let film = MutableComposition()
    let track = try #require(film.addMutableTrack(withMediaType: .video))
    let source = try #require(try asset("pattern-h264.mp4").tracks(withMediaType: .video).first)
    try track.insertTimeRange(range(0, 40), of: source, at: .zero)
    film.scaleTimeRange(range(0, 40), toDuration: time(1000))
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: film))
    composition.sourceTrackIDForFrameTiming = track.trackID
    composition.frameDuration = MediaTime(value: 1, timescale: 4)
    let layer = MutableVideoCompositionLayerInstruction(trackID: track.trackID)
    try layer.setOpacity(1, at: .zero)
    if fades {
      try layer.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: range(500, 1000))
    }
    composition.instructions = [
      MutableVideoCompositionInstruction(timeRange: range(0, 1000), layerInstructions: [layer])
    ]
    #expect(try times(film, composition) == (fades ? [0, 0.25, 0.5, 0.75] : [0]))
  }

  @Test(arguments: [(1001, 24_000, 48), (2, 45, 45), (7, 100, 29)] as [(Int64, Int32, Int)])
  func `an export has a frame every frame duration, even between those of the source`(
    value: Int64, timescale: Int32, count: Int
  ) throws {
    let source = asset("pattern-h264.mp4")
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: source))
    composition.frameDuration = MediaTime(value: value, timescale: timescale)
    let parts = Notes<Double>()
    let path = scratch.path("out.mp4")
    _ = try session(source, composition).exportAndWait(to: path) { parts.add($0) }
    let made = try Pipeline.pictures(path)
    #expect(
      made.map(\.presentationTimeStamp)
        == (0..<Int64(count)).map { MediaTime(value: value * $0, timescale: timescale) })
    #expect(parts.values == parts.values.sorted() && parts.values.last == 1)
    #expect(Set(parts.values).count > 1)
    // Each frame is the one that the clip shows at that time.
    let clip = try FFmpegPictures(source.path ?? "", width: 320, height: 180)
    for number in made.indices {
      let picture = try VideoFixture.plane(try #require(made[number].imageBuffer), 0)
      let wanted = clip.luma(Int(value) * number * 25 / Int(timescale))
      let distance = picture.distance(to: wanted)
      #expect(distance < 5, "picture \(number) is off by \(distance)")
    }
  }

  @Test(.rule("The frame duration is the time between composed frames"))
  func `composed frames are at multiples of the frame duration from the start of reading`() throws {
    let source = asset("pattern-h264.mp4")
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: source))
    composition.frameDuration = MediaTime(value: 1, timescale: 10)
    #expect(
      try times(source, composition, in: range(250, 600)) == [0.25, 0.35, 0.45, 0.55])
  }

  // MARK: Compositions that cannot be rendered

  /// Checks that reader and export fail with the same message, and that it contains `words`.
  private func expectRefusal(
    _ asset: Asset, _ composition: VideoComposition, _ words: String,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let (reader, _) = try VideoFixture.reader(asset, composition)
    #expect(!reader.startReading(), sourceLocation: location)
    #expect(reader.status == .failed, sourceLocation: location)
    #expect(reader.error?.code == .invalidArgument, sourceLocation: location)
    #expect(
      reader.error?.message.contains(words) == true, "\(String(describing: reader.error))",
      sourceLocation: location)
    let error = #expect(throws: MediaError.self, sourceLocation: location) {
      try session(asset, composition).prepare()
    }
    #expect(error?.message == reader.error?.message, sourceLocation: location)
  }

  @Test(.rule("Instructions have no gaps and do not overlap"))
  func `reader and export reject a video composition with gaps or overlaps`() throws {
    let source = asset("pattern-h264.mp4")
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: source))
    let layer = MutableVideoCompositionLayerInstruction(trackID: 1)
    func shown(_ ranges: TimeRange...) {
      composition.instructions = ranges.map {
        MutableVideoCompositionInstruction(timeRange: $0, layerInstructions: [layer])
      }
    }
    shown(range(520, 2000))
    try expectRefusal(source, composition, "no instruction from 0.0 s to 0.52 s")
    shown(range(0, 500), range(800, 2000))
    try expectRefusal(source, composition, "no instruction from 0.5 s to 0.8 s")
    shown(range(0, 1900))
    try expectRefusal(source, composition, "no instruction from 1.9 s to 2.0 s")
    shown(range(0, 1000), range(900, 2000))
    try expectRefusal(source, composition, "instruction from 0.9 s to 2.0 s")
    shown()
    try expectRefusal(source, composition, "no instruction from 0.0 s to 2.0 s")
    // Times that are not read need no instruction.
    shown(range(520, 1000))
    #expect(try times(source, composition, in: range(600, 1000)).count == 10)
  }

  @Test(.rule("Layers belong to tracks of the asset"))
  func `reader and export reject a video composition with an unknown track`()
    throws
  {
    let source = asset("pattern-h264.mp4")
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: source))
    composition.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: range(0, 2000),
        layerInstructions: [MutableVideoCompositionLayerInstruction(trackID: 77)])
    ]
    try expectRefusal(source, composition, "from 0.0 s to 2.0 s shows track 77")
  }

  @Test(.rule("A frame duration is valid and positive"), arguments: [0, 1])
  func `a frame duration is required with and without a source of frame timing`(
    leader: Int64
  ) throws {
    let source = asset("pattern-h264.mp4")
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: source))
    composition.sourceTrackIDForFrameTiming = leader
    for duration in [MediaTime.invalid, .zero, MediaTime(value: -1, timescale: 25)] {
      composition.frameDuration = duration
      #expect(!composition.isValid(forTracks: [1], assetDuration: time(2000)))
      try expectRefusal(source, composition, "frameDuration")
    }
  }

  @Test(.rule) func `a reader requires a video composition before it starts`() throws {
    let source = asset("pattern-h264.mp4")
    let reader = try AssetReader(asset: source)
    try reader.add(
      AssetReaderVideoCompositionOutput(videoTracks: try source.tracks(withMediaType: .video)))
    #expect(!reader.startReading())
    #expect(reader.error?.message == "no video composition is set")
  }
}
