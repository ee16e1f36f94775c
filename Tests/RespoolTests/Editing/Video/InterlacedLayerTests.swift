import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Interlaced frames in a composition, compared with a frame that shows only their first field.
@Suite struct InterlacedLayerTests {
  private static let (width, height) = (48, 40)

  /// Creates a frame with a bar on a flat background.
  ///
  /// `places` are the left edges of the bar, in pixels: one for each field, or one for both.
  private func bar(
    _ format: PixelFormat = .yuv420p, places: [Int], flags: Frame.Flags = []
  ) throws -> PixelBuffer {
    let unit = format.layout?.depth == 10 ? 4 : 1
    let shiftX = format.layout?.log2ChromaWidth ?? 0
    let picture = try VideoFixture.picture(format, Self.width, Self.height) { plane, x, y in
      let place = places[y % places.count]
      let isBar = (place..<place + 12).contains(plane == 0 ? x : x << shiftX)
      return (plane == 0 ? (isBar ? 200 : 40) : (isBar ? 90 : 150)) * unit
    }
    var frame = picture.frame
    frame.flags = flags
    return try #require(PixelBuffer(frame))
  }

  private func render(
    _ picture: PixelBuffer, _ transform: Transform, opacity: Double = 1, width: Int = 64,
    height: Int = 72
  ) throws -> PixelBuffer {
    let layer = try VideoFixture.layer(1) {
      try $0.setTransform(transform, at: .zero)
      try $0.setOpacity(opacity, at: .zero)
    }
    return try VideoFixture.render(
      VideoFixture.composition(width, height, [layer]), [1: picture])
  }

  @Test(
    arguments: [
      Transform.identity, Transform(translationX: 2, y: 2), Transform(translationX: 0, y: 1.5),
      Transform(scaleX: 1, y: 1.5), Transform(scaleX: 0.5, y: 0.75), Transform(rotation: 0.2),
      Transform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: 40),
      Transform(a: 0, b: 1, c: -1, d: 0, tx: 40, ty: 0),
    ])
  func `moving content shows no combs`(transform: Transform) throws {
    let fields = try bar(places: [8, 24], flags: [.interlaced, .topFieldFirst])
    let first = try bar(places: [8])
    for opacity in [1, 0.4] {
      let made = try render(fields, transform, opacity: opacity)
      let wanted = try render(first, transform, opacity: opacity)
      for plane in 0..<3 {
        #expect(try VideoFixture.plane(made, plane) == VideoFixture.plane(wanted, plane))
      }
      #expect(!made.frame.flags.contains(.interlaced))
    }
  }

  @Test func `the field that was captured first is shown`() throws {
    let (width, height) = (Self.width, Self.height)
    let fields = try bar(places: [8, 24], flags: .interlaced)
    let made = try render(fields, .identity, width: width, height: height)
    #expect(try VideoFixture.plane(made, 0) == VideoFixture.plane(bar(places: [24]), 0))
  }

  @Test(arguments: [PixelFormat.yuv422p, .yuv422p10le, .yuv444p10le])
  func `other pixel formats are deinterlaced, too`(format: PixelFormat) throws {
    let (width, height) = (Self.width, Self.height)
    let fields = try bar(format, places: [8, 24], flags: [.interlaced, .topFieldFirst])
    let move = Transform(translationX: 0, y: 3)
    let made = try render(fields, move, width: width, height: height)
    let wanted = try render(bar(format, places: [8]), move, width: width, height: height)
    #expect(try VideoFixture.plane(made, 0) == VideoFixture.plane(wanted, 0))
  }

  @Test func `still content keeps its lines`() throws {
    let still = try VideoFixture.picture(.yuv420p, 32, 32) { plane, x, y in
      plane == 0 ? 30 + 4 * y + x : 100 + y
    }
    var frame = still.frame
    frame.flags = [.interlaced, .topFieldFirst]
    let picture = try #require(PixelBuffer(frame))
    let made = try render(picture, .identity, width: 32, height: 32)
    for plane in 0..<3 {
      let (from, to) = (try VideoFixture.plane(still, plane), try VideoFixture.plane(made, plane))
      // The last line has only one neighbor and becomes equal to it.
      let count = from.width * (from.height - 1)
      #expect(from.samples.prefix(count) == to.samples.prefix(count))
    }
  }

  @Test func `frames that a custom compositor returns are deinterlaced`() throws {
    let composition = VideoFixture.composition(Self.width, Self.height, [VideoFixture.layer(1)])
    composition.customVideoCompositor = { HandingOn() }
    let fields = try bar(places: [8, 24], flags: [.interlaced, .topFieldFirst])
    let made = try VideoFixture.render(composition, [1: fields])
    #expect(try VideoFixture.plane(made, 0) == VideoFixture.plane(bar(places: [8]), 0))
  }

  private final class HandingOn: VideoCompositing {
    func startRequest(_ request: AsynchronousVideoCompositionRequest) {
      if let frame = request.sourceFrame(byTrackID: 1) {
        request.finish(withComposedVideoFrame: frame)
      }
    }
  }

  @Test func `an export reports the deinterlacing`() throws {
    for order in [TrackDescription.FieldOrder.topFirst, .progressive] {
      var description = TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 600))
      description.duration = 6000
      description.width = 720
      description.height = 576
      description.fieldOrder = order
      let film = MutableComposition()
      let track = try #require(film.addMutableTrack(withMediaType: .video))
      let file = Asset(path: Pipeline.clip("nowhere.mp4"), registry: Pipeline.registry)
      try track.insertTimeRange(
        VideoFixture.second, of: AssetTrack(asset: file, index: 0, description), at: .zero)
      var edits = ExportConfiguration()
      edits.timeRange = VideoFixture.second
      edits.videoComposition = VideoFixture.composition(720, 576, [])
      let edited = try EditedMedia(film, edits)
      let losses = edited.losses.filter { $0.setting.description == "video.fields" && $0.isWarning }
      #expect(losses.count == (order == .progressive ? 0 : 1))
    }
  }
}
