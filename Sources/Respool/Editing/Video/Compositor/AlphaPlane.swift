import RespoolMedia

/// The weights of the pixels of a frame, for luma and for chroma.
///
/// The weight of a chroma component is the mean weight of the pixels around its location. The result is as if the
/// frame had been blended in 4:4:4 and then converted to the target's chroma subsampling.
// The memory is written only in the initializer. Callers ask only for rows and columns within the frame.
final class AlphaPlane {
  private let buffer: MediaBuffer
  private let luma: UnsafeMutablePointer<LayerWeight>
  private let chroma: UnsafeMutablePointer<LayerWeight>
  private let lumaStride: Int
  private let chromaStride: Int

  /// Creates the weights of a frame of `width` by `height`; `alpha` writes one row of luma weights.
  ///
  /// `nil` if memory cannot be allocated.
  init?(
    width: Int, height: Int, target: CompositionTarget, pool: FramePool,
    alpha: (_ row: Int, _ into: UnsafeMutablePointer<LayerWeight>) -> Void
  ) {
    let (shiftX, shiftY) = (target.log2ChromaWidth, target.log2ChromaHeight)
    let (columns, rows) = (
      (width + (1 << shiftX) - 1) >> shiftX, (height + (1 << shiftY) - 1) >> shiftY
    )
    lumaStride = (width + 31) & ~31
    chromaStride = (columns + 31) & ~31
    let count = lumaStride * height + chromaStride * rows
    buffer = pool.buffer(count: count * MemoryLayout<LayerWeight>.stride)
    guard let base = buffer.bytes.baseAddress else { return nil }
    luma = base.bindMemory(to: LayerWeight.self, capacity: count)
    chroma = luma + lumaStride * height
    for y in 0..<height { alpha(y, luma + y * lumaStride) }
    let taps = ChromaTaps(target)
    for y in 0..<rows {
      let target = chroma + y * chromaStride
      for x in 0..<columns {
        var sum = 0
        taps.visit(x, y, width: width, height: height) { column, row, weight in
          sum += Int(luma[row * lumaStride + column]) * weight
        }
        target[x] = LayerWeight(truncatingIfNeeded: (sum + ChromaTaps.sum / 2) / ChromaTaps.sum)
      }
    }
  }

  func row(_ row: Int, ofPlane plane: Int) -> UnsafePointer<LayerWeight> {
    plane == 1 || plane == 2
      ? UnsafePointer(chroma + row * chromaStride) : UnsafePointer(luma + row * lumaStride)
  }
}

extension AlphaPlane {
  /// Creates weights from the alpha plane of a frame in the target's alpha format.
  ///
  /// `nil` if the frame has no alpha plane or memory cannot be allocated.
  convenience init?(alphaOf frame: Frame, target: CompositionTarget, pool: FramePool) {
    guard frame.planes.count > 3 else { return nil }
    let (plane, most) = (frame.planes[3], target.greatestCode)
    self.init(width: frame.width, height: frame.height, target: target, pool: pool) { y, row in
      let source = plane.base + y * plane.stride
      func fill<T: FixedWidthInteger>(_ samples: UnsafePointer<T>) {
        for x in 0..<frame.width {
          let code = min(Int(samples[x]), most)
          row[x] = LayerWeight(truncatingIfNeeded: (code * 32767 + most / 2) / most)
        }
      }
      if target.depth == 8 {
        fill(UnsafePointer(source.assumingMemoryBound(to: UInt8.self)))
      } else {
        fill(UnsafePointer(source.assumingMemoryBound(to: UInt16.self)))
      }
    }
  }
}

/// The pixels around the location of a chroma component, with weights that add up to `sum`.
struct ChromaTaps {
  static let sum = 16
  private let across: [(offset: Int, weight: Int)]
  private let down: [(offset: Int, weight: Int)]
  private let shiftX: Int
  private let shiftY: Int

  init(_ target: CompositionTarget) {
    func taps(_ origin: Double, _ shift: Int) -> [(offset: Int, weight: Int)] {
      if shift == 0 { return [(0, 4)] }
      if origin < 0.75 { return [(-1, 1), (0, 2), (1, 1)] }
      return origin > 1.25 ? [(0, 1), (1, 2), (2, 1)] : [(0, 2), (1, 2)]
    }
    let origin = target.origin(ofPlane: 1)
    (shiftX, shiftY) = (target.log2ChromaWidth, target.log2ChromaHeight)
    across = taps(origin.x, shiftX)
    down = taps(origin.y, shiftY)
  }

  /// Calls `body` for each pixel of a chroma component; pixels outside the frame are replaced by those at its edge.
  @inline(__always)
  func visit(
    _ x: Int, _ y: Int, width: Int, height: Int, _ body: (_ x: Int, _ y: Int, _ weight: Int) -> Void
  ) {
    for (lineOffset, lineWeight) in down {
      let row = min(max((y << shiftY) + lineOffset, 0), height - 1)
      for (offset, weight) in across {
        body(min(max((x << shiftX) + offset, 0), width - 1), row, weight * lineWeight)
      }
    }
  }
}
