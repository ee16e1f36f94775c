import RespoolMedia

/// Makes whole pictures of interlaced ones.
///
/// The field that was taken first stays as it is. Of the other, a sample stays where it lies between
/// the samples above and below, and becomes the nearer of these where it does not: the median of the
/// three. What stands still keeps its lines, what moves shows no combs, and no picture before or after
/// is needed. Chroma of 4:2:0, whose rows belong to the fields in turn, is treated the same.
enum FieldJoining {
  /// The joined picture; nil where there is no memory for it.
  ///
  /// `frame` is planar and has the depth of `target`, with or without alpha.
  static func join(_ frame: Frame, target: CompositionTarget, pool: FramePool) -> Frame? {
    guard
      var result = pool.picture(
        pixelFormat: frame.pixelFormat, width: frame.width, height: frame.height, pts: frame.pts)
    else { return nil }
    let kept = frame.flags.contains(.topFieldFirst) ? 0 : 1
    for plane in 0..<min(frame.planes.count, result.planes.count) {
      let shift = target.shifts(ofPlane: plane)
      let width = (frame.width + (1 << shift.x) - 1) >> shift.x
      let height = (frame.height + (1 << shift.y) - 1) >> shift.y
      let (from, to) = (frame.planes[plane], result.planes[plane])
      for row in 0..<height {
        let into = to.base + row * to.stride
        let line = from.base + row * from.stride
        if row & 1 == kept || height == 1 {
          into.copyMemory(from: line, byteCount: width * target.sampleSize)
          continue
        }
        // At the edges the one neighbour that there is counts twice, which makes it the median.
        let above = from.base + (row > 0 ? row - 1 : row + 1) * from.stride
        let below = from.base + (row + 1 < height ? row + 1 : row - 1) * from.stride
        if target.sampleSize == 1 {
          median(UInt8.self, line, above, below, into, width)
        } else {
          median(UInt16.self, line, above, below, into, width)
        }
      }
    }
    result.duration = frame.duration
    result.flags = frame.flags.subtracting([.interlaced, .topFieldFirst])
    result.color = frame.color
    result.sampleAspect = frame.sampleAspect
    return result
  }

  @inline(__always)
  private static func median<T: FixedWidthInteger & UnsignedInteger>(
    _: T.Type, _ line: UnsafeMutableRawPointer, _ above: UnsafeMutableRawPointer,
    _ below: UnsafeMutableRawPointer, _ into: UnsafeMutableRawPointer, _ count: Int
  ) {
    let line = line.assumingMemoryBound(to: T.self)
    let above = above.assumingMemoryBound(to: T.self)
    let below = below.assumingMemoryBound(to: T.self)
    let into = into.assumingMemoryBound(to: T.self)
    for x in 0..<count {
      let (a, b) = (above[x], below[x])
      into[x] = max(min(a, b), min(max(a, b), line[x]))
    }
  }
}
