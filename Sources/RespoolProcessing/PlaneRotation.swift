import RespoolMedia

/// Rotates a plane of `width` x `height` elements of `step` bytes each.
///
/// The source must have that many elements. The target must have as many, with width and height exchanged for
/// rotations by 90 and 270 degrees.
func rotatePlane(
  _ source: Frame.Plane, width: Int, height: Int, step: Int, into target: Frame.Plane,
  _ orientation: DisplayMatrix.Orientation
) {
  switch step {
  case 1: rotate(UInt8.self, source, width, height, target, orientation)
  case 2: rotate(UInt16.self, source, width, height, target, orientation)
  case 3: rotate((UInt8, UInt8, UInt8).self, source, width, height, target, orientation)
  case 4: rotate(UInt32.self, source, width, height, target, orientation)
  case 6: rotate((UInt16, UInt16, UInt16).self, source, width, height, target, orientation)
  case 8: rotate(UInt64.self, source, width, height, target, orientation)
  default: break
  }
}

@inline(__always)
private func rotate<Sample: BitwiseCopyable>(
  _: Sample.Type, _ source: Frame.Plane, _ width: Int, _ height: Int, _ target: Frame.Plane,
  _ orientation: DisplayMatrix.Orientation
) {
  // Byte offsets in the source for one step to the right and one step down in the target.
  let step = MemoryLayout<Sample>.stride
  let x = orientation.mirrored ? -step : step
  let left = orientation.mirrored ? (width - 1) * step : 0
  let right = (width - 1) * step - left
  let bottom = (height - 1) * source.stride
  let (origin, across, down): (Int, Int, Int) =
    switch (orientation.clockwiseDegrees % 360 + 360) % 360 {
    case 90: (left + bottom, -source.stride, x)
    case 180: (right + bottom, -x, -source.stride)
    case 270: (right, source.stride, -x)
    default: (left, x, source.stride)
    }
  let columns = orientation.swapsAxes ? height : width
  let rows = orientation.swapsAxes ? width : height
  let from = UnsafeRawPointer(source.base) + origin
  if across == step {
    for row in 0..<rows {
      (target.base + row * target.stride).copyMemory(
        from: from + row * down, byteCount: columns * step)
    }
    return
  }
  // Processed in blocks, so that the cache lines of a source column are fully used before they are evicted.
  let block = orientation.swapsAxes ? 32 : max(columns, 1)
  for firstRow in Swift.stride(from: 0, to: rows, by: 32) {
    for firstColumn in Swift.stride(from: 0, to: columns, by: block) {
      let count = min(block, columns - firstColumn)
      for row in firstRow..<min(firstRow + 32, rows) {
        var source = from + row * down + firstColumn * across
        let line = target.base + row * target.stride + firstColumn * step
        for column in 0..<count {
          line.storeBytes(
            of: source.loadUnaligned(as: Sample.self), toByteOffset: column * step, as: Sample.self)
          source += across
        }
      }
    }
  }
}
