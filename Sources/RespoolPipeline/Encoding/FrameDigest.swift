import RespoolMedia

/// Averages of the blocks of each plane of a video frame, in 8-bit levels.
struct FrameDigest {
  let width: Int
  let height: Int
  private let family: PixelLayout.Family?
  /// Averages of 8x8 blocks of each plane; empty for formats that are not compared.
  private let planes: [[Double]]

  /// Number of blocks in a row and in a column, and of pixels in a row and a column of a block that are read.
  private static let grid = (blocks: 8, samples: 8)

  init(_ frame: Frame) {
    (width, height) = (frame.width, frame.height)
    let layout = frame.pixelFormat.layout
    family = layout?.family
    guard let layout, layout.family != .palette, layout.depth >= 8, !layout.isFloat,
      layout.bytesPerPixel.count > 1 || layout.family == .gray, !layout.isBigEndian
    else {
      planes = []
      return
    }
    planes = (0..<layout.planeCount).map { plane in
      Self.averages(
        frame.planes[plane], layout.width(ofPlane: plane, for: frame.width),
        layout.height(ofPlane: plane, for: frame.height), step: layout.bytesPerPixel[plane],
        isWide: layout.depth > 8, shift: layout.bitsBelowEight)
    }
  }

  private static func averages(
    _ plane: Frame.Plane, _ width: Int, _ height: Int, step: Int, isWide: Bool, shift: Int
  ) -> [Double] {
    let count = grid.blocks * grid.samples
    var sums = [Double](repeating: 0, count: grid.blocks * grid.blocks)
    for y in 0..<count {
      let row = UnsafeRawPointer(plane.base) + (height * y / count) * plane.stride
      for x in 0..<count {
        let pixel = row + (width * x / count) * step
        let value =
          isWide ? Int(pixel.loadUnaligned(as: UInt16.self)) : Int(pixel.load(as: UInt8.self))
        sums[y / grid.samples * grid.blocks + x / grid.samples] +=
          Double(value) / Double(1 << shift)
      }
    }
    return sums.map { $0 / Double(grid.samples * grid.samples) }
  }

  /// Differences of the blocks of a plane, in 8-bit levels.
  struct Difference {
    let plane: Int
    /// Root of the mean square over all blocks.
    let mean: Double
    let greatest: Double

    /// `true` if no encoding explains it: even at the lowest quality, most blocks keep their average.
    ///
    /// At crf 51, x264 changes single blocks of a frame of 30x22 pixels by up to 41.
    var isOfOtherFrame: Bool { mean > 24 || greatest > 80 }
  }

  /// Returns the plane that differs most; `nil` if the formats cannot be compared.
  func difference(from other: FrameDigest) -> Difference? {
    guard !planes.isEmpty, !other.planes.isEmpty, family == other.family else { return nil }
    // Interleaved chroma has another number of planes.
    let count = planes.count == other.planes.count ? planes.count : 1
    return (0..<count).map { plane in
      let blocks = zip(planes[plane], other.planes[plane]).map { abs($0 - $1) }
      let squares = blocks.reduce(0) { $0 + $1 * $1 }
      return Difference(
        plane: plane, mean: (squares / Double(max(1, blocks.count))).squareRoot(),
        greatest: blocks.max() ?? 0)
    }.max { $0.mean < $1.mean }
  }
}
