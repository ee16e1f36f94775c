import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Tracks with several sample descriptions: read, decoded, copied and joined.
@Suite struct SeveralFormatsTests {
  let scratch: Scratch
  private let first = Pipeline.clip("pattern-h264.mp4")
  private let second = Pipeline.clip("clap-and-flash.mp4")

  init() throws { scratch = try Scratch() }

  private func asset(_ path: String) -> Asset { Asset(path: path, registry: Pipeline.registry) }

  private func composition(_ paths: [String]) throws -> MutableComposition {
    let composition = MutableComposition()
    for path in paths {
      try composition.insertTimeRangeAndWait(
        TimeRange(start: .zero, duration: try asset(path).duration()), of: asset(path), at: .invalid
      )
    }
    return composition
  }

  private func session(_ asset: Asset, _ type: String) throws -> ExportSession {
    try ExportSession(
      asset: asset, presetName: ExportPreset.passthrough.rawValue, container: type,
      registry: Pipeline.registry)
  }

  /// Creates a movie of 320x180 frames followed by 160x90 frames.
  private func movie(_ type: String = "mp4") throws -> String {
    let path = scratch.path("both.\(type)")
    let report = try session(try composition([first, second]), type).exportAndWait(to: path)
    #expect(report.isCopy && report.losses.isEmpty)
    return path
  }

  /// Encodes the first clip in the same size with other parameters.
  private func again() throws -> String {
    let preset = try Pipeline.preset("web-480p")
    let path = scratch.path("again.mp4")
    let session = try ExportSession(
      asset: asset(first), preset: preset, registry: Pipeline.registry)
    _ = try session.exportAndWait(to: path)
    return path
  }

  /// Returns the luma planes, each in the size of its frame.
  private func decoded(_ path: String) throws -> [VideoFixture.Plane] {
    try Pipeline.samples(path, .video, .video()).map {
      try VideoFixture.plane(try #require($0.imageBuffer), 0)
    }
  }

  /// Creates a movie of one second in each of two sizes, without reordering, so that one edit shows both.
  private func plainMovie() throws -> String {
    let path = scratch.path("plain.mp4")
    let report = try session(try composition(plainClips()), "mp4").exportAndWait(to: path)
    try #require(report.isCopy)
    return path
  }

  private func plainClips() throws -> [String] {
    try [("128x96", "a.mp4"), ("64x48", "b.mp4")].map { size, name in
      let path = scratch.path(name)
      try PluginWorkshop.run(
        "ffmpeg",
        ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=s=\(size):r=25:d=1", "-c:v", "mpeg4"]
          + ["-bf", "0", path])
      return path
    }
  }

  @Test(arguments: ["mp4", "mov"])
  func `joined clips of other sizes are decoded with their sizes`(type: String) throws {
    let path = try movie(type)
    let track = try #require(try asset(path).tracks(withMediaType: .video).first)
    #expect(track.formatDescriptions.map(\.track.width) == [320, 160])
    let pictures = try decoded(path)
    let alone = try decoded(first) + decoded(second)
    #expect(pictures.map(\.width) == alone.map(\.width) && !alone.isEmpty)
    #expect(pictures.map(\.samples) == alone.map(\.samples))
    #expect(
      try Pipeline.sound(path).count
        == (try Pipeline.sound(first).count + Pipeline.sound(second).count))
  }

  @Test func `FFmpeg gets the frames of both clips if only the parameters differ`() throws {
    let other = try again()
    let path = scratch.path("both.mp4")
    _ = try session(try composition([first, other]), "mp4").exportAndWait(to: path)
    #expect(try asset(path).tracks()[0].formatDescriptions.count == 2)
    func pictures(_ path: String) throws -> [[UInt8]] {
      try FFmpegPictures(path, width: 320, height: 180).pictures
    }
    #expect(try pictures(path) == pictures(first) + pictures(other))
  }

  @Test func `stored samples have their sample description, from readers and cursors`() throws {
    let track = try #require(try asset(try plainMovie()).tracks(withMediaType: .video).first)
    let widths = try Writing.stored(track).map(\.formatDescription.track.width)
    #expect(widths == [Int](repeating: 128, count: 25) + [Int](repeating: 64, count: 25))
    let cursor = try #require(try track.makeSampleCursorAtFirstSampleInDecodeOrder())
    _ = cursor.stepInDecodeOrder(byCount: 30)
    #expect(cursor.currentSampleFormatDescription.track.width == 64)
    let sample = try SampleBufferGenerator(asset: try #require(track.asset))
      .makeSampleBuffer(for: SampleBufferRequest(start: cursor))
    #expect(sample.formatDescription.track.width == 64)
  }

  /// Passes the stored frames of two clips through a writer.
  private func written(
    _ container: String, configure: (AssetWriter) -> Void = { _ in }
  ) throws -> AssetWriter {
    let composition = try composition(plainClips())
    let samples = try Pipeline.samples(of: composition, .video, nil)
    let writer = try Writing.writer(scratch, "written.\(container)", container)
    configure(writer)
    let input = AssetWriterInput(
      mediaType: .video, settings: nil, sourceFormatHint: samples.first?.formatDescription)
    try Writing.start(writer, [input])
    for sample in samples where !input.append(sample) { break }
    writer.finishWritingAndWait()
    return writer
  }

  @Test func `a writer writes sample descriptions as they arrive`() throws {
    let writer = try written("mp4")
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let formats = try asset(writer.path).tracks()[0].formatDescriptions
    #expect(formats.map(\.track.width) == [128, 64])
    let alone = try plainClips().flatMap { try decoded($0) }
    let pictures = try decoded(writer.path)
    #expect(pictures.map(\.width) == alone.map(\.width))
    #expect(pictures.map(\.samples) == alone.map(\.samples))
  }

  @Test func `a writer that cannot store several sample descriptions reports them`() throws {
    let writers = [
      try written("mkv"),
      try written("mp4") { $0.movieFragmentInterval = MediaTime(value: 1, timescale: 2) },
    ]
    for writer in writers {
      #expect(writer.status == .failed)
      let reason = writer.error?.description ?? ""
      #expect(reason.contains("from 1.0 s on") && reason.contains("cannot store"), "\(reason)")
    }
  }

  @Test func `a copy has both sample descriptions, or the container rejects them`() throws {
    let path = try plainMovie()
    #expect(try asset(path).tracks()[0].segments.count == 1)
    let copy = scratch.path("copy.mp4")
    let preset = try Pipeline.preset("remux-mp4")
    let remux = try ExportSession(
      asset: asset(path), preset: preset, registry: Pipeline.registry)
    #expect(try remux.exportAndWait(to: copy).isCopy)
    #expect(try Writing.frameHashes(copy) == Writing.frameHashes(path))
    #expect(try asset(copy).tracks()[0].formatDescriptions.count == 2)
    let error = #expect(throws: MediaError.self) {
      try session(asset(path), "mkv").exportAndWait(to: scratch.path("copy.mkv"))
    }
    #expect(
      error?.description.contains("has 2 sample descriptions") == true,
      "\(String(describing: error))")
  }

  @Test func `presets with limits encode all frames in one size`() throws {
    let out = scratch.path("out.mp4")
    let preset = try Pipeline.preset("web-480p")
    let report = try ExportSession(
      asset: asset(try movie()), preset: preset, registry: Pipeline.registry
    ).exportAndWait(to: out)
    #expect(!report.isCopy)
    let sizes = Set(try Pipeline.pictures(out).compactMap(\.imageBuffer).map(\.width))
    #expect(sizes == [320])
    #expect(try Pipeline.pictures(out).count == 100)
  }

  /// Clips with another rotation or size are composed, each as it is shown alone.
  @Test func `a sequence reports clips with several pixel aspect ratios`() throws {
    let alike = try ClipSequence([asset(first), asset(try again())])
    #expect(alike.formatDifference == nil)
    let sizes = try ClipSequence([asset(first), asset(second)])
    #expect(
      sizes.formatDifference
        == "the video is 320x180 in pattern-h264.mp4 and 160x90 in clap-and-flash.mp4")
    let turned = try ClipSequence([asset(Pipeline.clip("portrait.mov")), asset(first)])
    #expect(turned.formatDifference?.contains("rotated") == true)
  }
}
