import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Computed frames, compositions of them, and functions that render and compare the output.
enum VideoFixture {
  static let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))

  static func time(_ seconds: Double) -> MediaTime {
    MediaTime(seconds: seconds, preferredTimescale: 60000)
  }

  /// Creates a frame from the pixel components that `value` returns for plane, column and row.
  static func picture(
    _ format: PixelFormat, _ width: Int, _ height: Int, color: ColorDescription = .bt709,
    _ value: (_ plane: Int, _ x: Int, _ y: Int) -> Int
  ) throws -> PixelBuffer {
    try #require(PixelBuffer(try FrameFixture.computed(format, width, height, color: color, value)))
  }

  static func flat(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ values: [Int],
    color: ColorDescription = .bt709
  ) throws -> PixelBuffer {
    try picture(format, width, height, color: color) { plane, _, _ in values[plane] }
  }

  /// Returns the pixel components of a plane, row by row.
  static func plane(_ picture: PixelBuffer, _ plane: Int) throws -> Plane {
    try FrameFixture.plane(picture.frame, plane)
  }

  typealias Plane = FrameFixture.Plane

  static func layer(_ id: Int64) -> MutableVideoCompositionLayerInstruction {
    MutableVideoCompositionLayerInstruction(trackID: id)
  }

  static func layer(
    _ id: Int64, _ change: (MutableVideoCompositionLayerInstruction) throws -> Void
  ) throws -> MutableVideoCompositionLayerInstruction {
    let layer = MutableVideoCompositionLayerInstruction(trackID: id)
    try change(layer)
    return layer
  }

  /// Creates a composition of one instruction for the first second.
  static func composition(
    _ width: Int, _ height: Int, _ layers: [VideoCompositionLayerInstruction],
    background: VideoColor = .black
  ) -> MutableVideoComposition {
    let composition = MutableVideoComposition()
    composition.renderSize = VideoDimensions(width: width, height: height)
    composition.frameDuration = MediaTime(value: 1, timescale: 25)
    let instruction = MutableVideoCompositionInstruction(
      timeRange: second, layerInstructions: layers)
    instruction.backgroundColor = background
    composition.instructions = [instruction]
    return composition
  }

  static func source(_ id: Int64, _ picture: PixelBuffer) -> VideoCompositionSource {
    VideoCompositionSource(
      trackID: id, naturalWidth: Double(picture.width), naturalHeight: Double(picture.height),
      pixelFormat: picture.pixelFormat, color: picture.frame.color, timeRange: second)
  }

  static func renderer(_ composition: VideoComposition, _ frames: [Int64: PixelBuffer]) throws
    -> VideoCompositionRenderer
  {
    try VideoCompositionRenderer(
      composition,
      sources: frames.sorted { $0.key < $1.key }.map { source($0.key, $0.value) })
  }

  /// Creates a reader of an asset's composed frames, without starting it.
  static func reader(_ asset: Asset, _ composition: VideoComposition, in range: TimeRange? = nil)
    throws -> (AssetReader, AssetReaderVideoCompositionOutput)
  {
    let reader = try AssetReader(asset: asset)
    if let range { reader.timeRange = range }
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try asset.tracks(withMediaType: .video))
    output.videoComposition = composition
    try reader.add(output)
    return (reader, output)
  }

  static func render(
    _ composition: VideoComposition, at seconds: Double = 0, _ frames: [Int64: PixelBuffer]
  ) throws -> PixelBuffer {
    try #require(
      try renderer(composition, frames).render(at: time(seconds), frames: frames))
  }

  /// Returns the greatest difference between the pixel components of a plane and the expected ones.
  ///
  /// Components for which `expected` returns `nil` are skipped.
  static func greatestDifference(
    _ plane: Plane, _ expected: (_ x: Int, _ y: Int) -> Double?
  ) -> Double {
    var greatest = 0.0
    for y in 0..<plane.height {
      for x in 0..<plane.width {
        guard let wanted = expected(x, y) else { continue }
        greatest = max(greatest, abs(Double(plane[x, y]) - wanted))
      }
    }
    return greatest
  }
}
