import RespoolMedia

/// The frame onto which layers are drawn, from the lowest up.
///
/// It allocates memory only when something has to be blended. A frame that covers everything is shown
/// unchanged. The first full layer over it is blended from both frames into the result in one pass.
///
/// Unsafe access is right here because rows and columns are clamped to the canvas and each layer's
/// bounds, `base` is held by `baseOwner`, and scratch rows have room for the canvas's width.
final class Canvas {
  private let target: CompositionTarget
  private let pool: FramePool
  /// A frame that can be returned unchanged as long as nothing covers it.
  private var shown: PixelBuffer?
  private var base: [Frame.Plane]
  private var baseOwner: MediaBuffer
  private var result: Frame?
  private let scratch: UnsafeMutableRawPointer
  private let weights: UnsafeMutablePointer<LayerWeight>
  private var whole: PixelBounds { PixelBounds(x: 0..<target.width, y: 0..<target.height) }

  /// Creates a canvas of one color, which needs one row of memory.
  init(_ target: CompositionTarget, background: VideoColor, pool: FramePool) {
    self.target = target
    self.pool = pool
    let rowBytes = (target.width * target.sampleSize + 63) & ~63
    let planes = target.hasAlpha ? 4 : 3
    let owner = MediaBuffer(count: rowBytes * planes)
    base = []
    for (plane, sample) in target.samples(of: background).prefix(planes).enumerated() {
      guard let start = owner.bytes.baseAddress else { break }
      let row = start + plane * rowBytes
      Self.fill(row, with: sample, count: target.width, target)
      base.append(Frame.Plane(base: row, stride: 0))
    }
    baseOwner = owner
    scratch = .allocate(byteCount: rowBytes + 64, alignment: 64)
    scratch.initializeMemory(as: UInt8.self, repeating: 0, count: rowBytes + 64)
    weights = .allocate(capacity: target.width + 32)
    weights.initialize(repeating: 0, count: target.width + 32)
  }

  deinit {
    scratch.deallocate()
    weights.deallocate()
  }

  private static func fill(
    _ row: UnsafeMutableRawPointer, with sample: Int, count: Int, _ target: CompositionTarget
  ) {
    if target.sampleSize == 1 {
      row.initializeMemory(
        as: UInt8.self, repeating: UInt8(truncatingIfNeeded: sample), count: count)
    } else {
      row.initializeMemory(
        as: UInt16.self, repeating: UInt16(truncatingIfNeeded: sample), count: count)
    }
  }

  /// Replaces the content with an opaque frame of the target's format and size.
  func show(_ buffer: PixelBuffer) {
    shown = buffer
    base = buffer.frame.planes
    baseOwner = buffer.frame.buffer
    result = nil
  }

  /// Blends a layer over the content.
  func draw(_ layer: any LayerRows) throws(MediaError) {
    let bounds = layer.bounds.clamped(to: whole)
    guard !bounds.isEmpty, layer.uniformWeight != 0 else { return }
    let replaces = !target.hasAlpha && bounds == whole && layer.uniformWeight != nil
    let before = base
    let owner = baseOwner
    let frame = try writable(copying: !replaces)
    for plane in 0..<3 {
      let samples = bounds.samples(target.shifts(ofPlane: plane))
      for row in samples.y {
        let from = UnsafeRawPointer(
          before[plane].base + row * before[plane].stride
            + samples.x.lowerBound * target.sampleSize)
        drawRow(layer, frame, plane, row, samples.x, replaces ? from : nil)
      }
    }
    if target.hasAlpha { drawAlpha(layer, frame, bounds) }
    base = frame.planes
    baseOwner = frame.buffer
    withExtendedLifetime(owner) {}
  }

  private func drawRow(
    _ layer: any LayerRows, _ frame: Frame, _ plane: Int, _ row: Int, _ columns: Range<Int>,
    _ base: UnsafeRawPointer?
  ) {
    let (count, size) = (columns.count, target.sampleSize)
    let into =
      frame.planes[plane].base + row * frame.planes[plane].stride + columns.lowerBound * size
    let samples = layer.render(
      plane: plane, row: row, columns: columns, scratch: scratch, weights: weights)
    if target.hasAlpha {
      if let weight = layer.uniformWeight { weights.update(repeating: weight, count: count) }
      weighAgainstAlpha(frame, plane, row, columns)
    } else if let weight = layer.uniformWeight {
      if weight == .opaque {
        into.copyMemory(from: samples, byteCount: count * size)
      } else {
        BlendRows.mix(
          depth: target.depth, base: base ?? UnsafeRawPointer(into), layer: samples, weight: weight,
          into: into, count: count)
      }
      return
    }
    BlendRows.mix(
      depth: target.depth, layer: samples, weights: weights, into: into, count: count)
  }

  /// Increases the weights over transparent content, to the layer's share of the combined alpha.
  private func weighAgainstAlpha(_ frame: Frame, _ plane: Int, _ row: Int, _ columns: Range<Int>) {
    let shift = target.shifts(ofPlane: plane)
    for (index, column) in columns.enumerated() where weights[index] != .opaque {
      var (sum, count) = (0, 0)
      for y in (row << shift.y)..<min((row + 1) << shift.y, target.height) {
        for x in (column << shift.x)..<min((column + 1) << shift.x, target.width) {
          sum += alpha(frame, x, y)
          count += 1
        }
      }
      let under = Double(sum) / Double(max(count, 1) * target.greatestCode)
      let over = Double(weights[index]) / Double(LayerWeight.opaque)
      let both = over + under * (1 - over)
      weights[index] = both > 0 ? LayerWeight(opacity: over / both) : .opaque
    }
  }

  private func alpha(_ frame: Frame, _ x: Int, _ y: Int) -> Int {
    let row = frame.planes[3].base + y * frame.planes[3].stride
    return target.sampleSize == 1
      ? Int(row.load(fromByteOffset: x, as: UInt8.self))
      : Int(row.load(fromByteOffset: x * 2, as: UInt16.self))
  }

  private func drawAlpha(_ layer: any LayerRows, _ frame: Frame, _ bounds: PixelBounds) {
    for row in bounds.y {
      _ = layer.render(
        plane: 3, row: row, columns: bounds.x, scratch: scratch, weights: weights)
      if let weight = layer.uniformWeight {
        weights.update(repeating: weight, count: bounds.x.count)
      }
      Self.fill(scratch, with: target.greatestCode, count: bounds.x.count, target)
      let plane = frame.planes[3]
      BlendRows.mix(
        depth: target.depth, layer: UnsafeRawPointer(scratch), weights: weights,
        into: plane.base + row * plane.stride + bounds.x.lowerBound * target.sampleSize,
        count: bounds.x.count)
    }
  }

  /// Returns memory to draw into, with a copy of the content if `copying` is `true`.
  private func writable(copying: Bool) throws(MediaError) -> Frame {
    if let result { return result }
    guard
      var frame = pool.video(
        pixelFormat: target.pixelFormat, width: target.width, height: target.height)
    else {
      throw MediaError(
        .internal, "no memory for a frame of \(target.width)x\(target.height)")
    }
    frame.color = target.tag
    frame.sampleAspect = Rational(1, 1)
    if copying {
      for (plane, source) in base.prefix(frame.planes.count).enumerated() {
        let size = target.size(ofPlane: plane)
        for row in 0..<size.height {
          (frame.planes[plane].base + row * frame.planes[plane].stride).copyMemory(
            from: source.base + row * source.stride, byteCount: size.width * target.sampleSize)
        }
      }
    }
    result = frame
    shown = nil
    return frame
  }

  /// Returns the finished frame: the canvas's own, or the one that is shown unchanged.
  func finish() throws(MediaError) -> PixelBuffer {
    if let shown { return shown }
    guard let buffer = PixelBuffer(try writable(copying: true)) else {
      throw MediaError(.internal, "a composed frame has no usable pixel format")
    }
    return buffer
  }
}
