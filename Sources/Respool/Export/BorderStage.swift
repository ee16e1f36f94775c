import RespoolMedia

/// The end of a chain, which finds the smallest area outside of which all frames are black.
///
/// A row or column is black if at most one of 512 of its pixels, and never more than three, is brighter than black by
/// more than a sixteenth of the range. Noise of compression remains below that; small marks and letters do not.
final class BorderStage: Stage {
  /// Sides of the area: the first row and column, and those after the last ones.
  private var (left, top, right, bottom) = (0, 0, 0, 0)
  private var size: (width: Int, height: Int)?
  /// `true` if frames differ in size, or have a pixel format in which black is not looked for.
  private var isUnclear = false

  /// The area; `nil` if all frames are black.
  var area: VisibleArea? {
    guard let size else { return nil }
    if isUnclear { return VisibleArea(width: size.width, height: size.height, x: 0, y: 0) }
    guard right > left, bottom > top else { return nil }
    return VisibleArea(width: right - left, height: bottom - top, x: left, y: top)
  }

  func consume(_ frame: Frame) throws(MediaError) {
    guard !isUnclear else { return }
    if let size, size != (frame.width, frame.height) {
      isUnclear = true
      return
    }
    if size == nil {
      size = (frame.width, frame.height)
      (left, top) = (frame.width, frame.height)
    }
    guard let planes = LumaPlanes(frame) else {
      isUnclear = true
      return
    }
    grow(by: planes, frame.width, frame.height)
  }

  func finish() {}

  /// Adds the lines outside of the area that are not black, from the edges inward.
  private func grow(by planes: LumaPlanes, _ width: Int, _ height: Int) {
    if let row = (0..<top).first(where: { !planes.isBlack(row: $0) }) { top = row }
    // The area has no rows before the first frame that is not black.
    let lowest = max(bottom, top)
    if let row = (lowest..<height).last(where: { !planes.isBlack(row: $0) }) { bottom = row + 1 }
    if let column = (0..<left).first(where: { !planes.isBlack(column: $0) }) { left = column }
    let rightmost = max(right, left)
    if let column = (rightmost..<width).last(where: { !planes.isBlack(column: $0) }) {
      right = column + 1
    }
  }
}

/// The planes of a frame in which black is a low number.
private struct LumaPlanes {
  private let planes: [Frame.Plane]
  private let (width, height): (Int, Int)
  /// Bytes of a number.
  private let step: Int
  /// Greatest number that counts as black.
  private let limit: Int

  /// `nil` for formats with other planes.
  init?(_ frame: Frame) {
    guard let layout = frame.pixelFormat.layout, !layout.isFloat, !layout.isBigEndian,
      let step = layout.bytesPerPixel.first, (1...2).contains(step), !frame.planes.isEmpty
    else { return nil }
    switch layout.family {
    case .yuv where layout.planeCount > 1, .gray: planes = [frame.planes[0]]
    case .rgb where layout.planeCount >= 3: planes = Array(frame.planes.prefix(3))
    default: return nil
    }
    guard step == (layout.depth > 8 ? 2 : 1) else { return nil }
    (width, height, self.step) = (frame.width, frame.height, step)
    let black = layout.family == .rgb || frame.color.range == .full ? 0 : 16
    limit = (black + 16) << layout.bitsBelowEight
  }

  func isBlack(row: Int) -> Bool {
    let most = min(3, max(1, width / 512))
    return planes.allSatisfy { plane in
      let base = plane.base + row * plane.stride
      return isBlack(base, width, apart: step, most: most)
    }
  }

  func isBlack(column: Int) -> Bool {
    let most = min(3, max(1, height / 512))
    return planes.allSatisfy { plane in
      isBlack(plane.base + column * step, height, apart: plane.stride, most: most)
    }
  }

  private func isBlack(
    _ base: UnsafeMutableRawPointer, _ count: Int, apart distance: Int, most: Int
  ) -> Bool {
    var bright = 0
    var place = UnsafeRawPointer(base)
    for _ in 0..<count {
      let value =
        step == 1
        ? Int(place.load(as: UInt8.self)) : Int(place.loadUnaligned(as: UInt16.self))
      if value > limit {
        bright += 1
        if bright > most { return false }
      }
      place += distance
    }
    return true
  }
}
