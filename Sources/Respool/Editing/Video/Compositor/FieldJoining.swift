import RespoolMedia

/// Converts interlaced frames to progressive ones.
///
/// The first field is kept. In the other field, each component becomes the median of itself and the components
/// above and below. Static parts keep their lines, moving parts show no combing, and no other frame is needed.
/// Chroma of 4:2:0 is treated in the same way, because its rows belong to the two fields alternately.
enum FieldJoining {
  /// Returns the progressive frame; `nil` if memory cannot be allocated.
  ///
  /// `frame` is planar and has the depth of `target`, with or without alpha.
  static func join(_ frame: Frame, target: CompositionTarget, pool: FramePool) -> Frame? {
    guard
      var result = pool.video(
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
        // The first and last rows have one neighbor, which counts twice and so is the median.
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
