import RespoolMedia

/// The weights of the pixels of a frame, for luma and for chroma.
///
/// The weight of a chroma sample is the mean of those of the pixels around its place, as if the
/// picture had been blended with full chroma and then brought to that of the target.
// Its memory is written in the initialiser alone; rows and columns asked for lie within the
// picture.
final class LayerWeights {
  private let buffer: MediaBuffer
  private let luma: UnsafeMutablePointer<LayerWeight>
  private let chroma: UnsafeMutablePointer<LayerWeight>
  private let lumaStride: Int
  private let chromaStride: Int

  /// Weights of a picture of `width` by `height`; `alpha` fills one row of luma.
  init?(
    width: Int, height: Int, target: CompositionTarget, pool: FramePool,
    alpha: (_ row: Int, _ into: UnsafeMutablePointer<LayerWeight>) -> Void
  ) {
    let (shiftX, shiftY) = (target.chromaShiftX, target.chromaShiftY)
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

extension LayerWeights {
  /// The weights that the alpha plane of a picture of the target's alpha format stands for.
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

/// The pixels around the place of a chroma sample, with weights that add up to `sum`.
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
    (shiftX, shiftY) = (target.chromaShiftX, target.chromaShiftY)
    across = taps(origin.x, shiftX)
    down = taps(origin.y, shiftY)
  }

  /// Visits the pixels for a chroma sample; beyond the picture the last ones count again.
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
