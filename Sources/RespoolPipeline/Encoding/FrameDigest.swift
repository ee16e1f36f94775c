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

  /// Returns the greatest difference of a block and its plane; `nil` if the formats cannot be compared.
  func difference(from other: FrameDigest) -> (value: Double, plane: Int)? {
    guard !planes.isEmpty, !other.planes.isEmpty, family == other.family else { return nil }
    var worst = (value: 0.0, plane: 0)
    // Interleaved chroma has another number of planes.
    let count = planes.count == other.planes.count ? planes.count : 1
    for plane in 0..<count {
      for (one, two) in zip(planes[plane], other.planes[plane]) where abs(one - two) > worst.value {
        worst = (abs(one - two), plane)
      }
    }
    return worst
  }
}
