import RespoolMedia

/// A drawn overlay as samples of the canvas's format, with a weight for each.
///
/// It is drawn premultiplied. Color is divided by alpha after chroma has been subsampled, so that transparent
/// pixels do not affect it.
final class OverlaySprite {
  private let frame: Frame
  private let weights: AlphaPlane
  private let x: Int
  private let y: Int
  private let target: CompositionTarget

  /// Draws an overlay.
  ///
  /// `nil` if no part of it lies on the canvas.
  convenience init?(
    _ drawing: OverlayDrawing, _ place: Rectangle, _ target: CompositionTarget, pool: FramePool
  ) throws(MediaError) {
    let canvas = Rectangle(
      x: 0, y: 0, width: Double(target.width), height: Double(target.height))
    guard drawing.size.width > 0, drawing.size.height > 0,
      let seen = place.intersection(canvas)
    else { return nil }
    // Whole chroma samples, and one more to each side, into which chroma on the left reaches.
    let left = (Int(seen.x.rounded(.down)) - 2) & ~1
    let top = (Int(seen.y.rounded(.down)) - 2) & ~1
    let width = ((Int(seen.maxX.rounded(.up)) + 3) & ~1) - left
    let height = ((Int(seen.maxY.rounded(.up)) + 3) & ~1) - top
    var pixels = [UInt32](repeating: 0, count: width * height)
    try drawing.paint(
      &pixels, width: width, height: height, x: place.x - Double(left), y: place.y - Double(top),
      scaleX: place.width / drawing.size.width, scaleY: place.height / drawing.size.height)
    try self.init(pixels, x: left, y: top, width: width, height: height, target, pool: pool)
  }

  /// Takes over an image of the size of the canvas in `rgba`.
  ///
  /// `nil` if all of it is transparent.
  convenience init?(_ image: Frame, _ target: CompositionTarget, pool: FramePool)
    throws(MediaError)
  {
    guard let seen = image.opaqueBounds else { return nil }
    let (left, top) = ((seen.x.lowerBound - 2) & ~1, (seen.y.lowerBound - 2) & ~1)
    let width = ((seen.x.upperBound + 3) & ~1) - left
    let height = ((seen.y.upperBound + 3) & ~1) - top
    var pixels = [UInt32](repeating: 0, count: width * height)
    for row in seen.y {
      let line = (image.planes[0].base + row * image.planes[0].stride)
        .assumingMemoryBound(to: UInt8.self)
      for column in seen.x where line[column * 4 + 3] != 0 {
        let alpha = UInt32(line[column * 4 + 3])
        func part(_ index: Int) -> UInt32 { (UInt32(line[column * 4 + index]) * alpha + 127) / 255 }
        pixels[(row - top) * width + column - left] =
          alpha << 24 | part(0) << 16 | part(1) << 8 | part(2)
      }
    }
    try self.init(pixels, x: left, y: top, width: width, height: height, target, pool: pool)
  }

  /// Takes over pixels 0xAARRGGBB whose colors are multiplied by their alpha; the first lies at `x`, `y` on the canvas.
  private init(
    _ pixels: [UInt32], x: Int, y: Int, width: Int, height: Int, _ target: CompositionTarget,
    pool: FramePool
  ) throws(MediaError) {
    // Its own memory, not the pool's: it may stay to the end.
    guard
      let frame = Frame(pixelFormat: target.opaqueFormat, width: width, height: height),
      let weights = AlphaPlane(
        width: width, height: height, target: target, pool: pool,
        alpha: { row, into in
          for column in 0..<width {
            let alpha = Int(pixels[row * width + column] >> 24)
            into[column] = LayerWeight(truncatingIfNeeded: (alpha * 32767 + 127) / 255)
          }
        })
    else { throw MediaError(.internal, "no memory for an overlay of \(width)x\(height)") }
    (self.frame, self.weights, self.target) = (frame, weights, target)
    (self.x, self.y) = (x, y)
    fill(pixels)
  }

  /// Returns the layer that is drawn onto a canvas.
  func layer(weight: LayerWeight) -> PlacedFrame {
    PlacedFrame(frame, weights: weights, x: x, y: y, weight: weight, target: target)
  }

  private func fill(_ pixels: [UInt32]) {
    let coder = ColorCoder(target)
    let most = Double(target.greatestCode)
    func store(_ code: Double, _ plane: Int, _ column: Int, _ row: Int) {
      let code = min(max(code, 0), most).rounded()
      let line = frame.planes[plane].base + row * frame.planes[plane].stride
      if target.sampleSize == 1 {
        line.storeBytes(of: UInt8(code), toByteOffset: column, as: UInt8.self)
      } else {
        line.storeBytes(of: UInt16(code), toByteOffset: column * 2, as: UInt16.self)
      }
    }
    /// Returns the color of premultiplied sums.
    func codes(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double) -> (
      y: Double, cb: Double, cr: Double
    ) {
      alpha > 0 ? coder.codes(red / alpha, green / alpha, blue / alpha) : coder.codes(0, 0, 0)
    }
    func part(_ pixel: UInt32, _ shift: UInt32) -> Double { Double(pixel >> shift & 0xFF) }
    for row in 0..<frame.height {
      for column in 0..<frame.width {
        let pixel = pixels[row * frame.width + column]
        store(
          codes(part(pixel, 16), part(pixel, 8), part(pixel, 0), part(pixel, 24)).y, 0, column, row)
      }
    }
    let taps = ChromaTaps(target)
    let (shiftX, shiftY) = (target.log2ChromaWidth, target.log2ChromaHeight)
    for row in 0..<((frame.height + (1 << shiftY) - 1) >> shiftY) {
      for column in 0..<((frame.width + (1 << shiftX) - 1) >> shiftX) {
        var sums = SIMD4<Double>()
        taps.visit(column, row, width: frame.width, height: frame.height) { x, y, weight in
          let pixel = pixels[y * frame.width + x]
          let parts = SIMD4(part(pixel, 16), part(pixel, 8), part(pixel, 0), part(pixel, 24))
          sums += parts * Double(weight)
        }
        let code = codes(sums.x, sums.y, sums.z, sums.w)
        store(code.cb, 1, column, row)
        store(code.cr, 2, column, row)
      }
    }
  }
}

extension Frame {
  /// The smallest rectangle that has all pixels of a frame in `rgba` that are not transparent; `nil` if there are none.
  var opaqueBounds: PixelBounds? {
    var (left, right, top, bottom) = (width, -1, height, -1)
    for row in 0..<height {
      let line = planes[0].base + row * planes[0].stride
      func alpha(_ column: Int) -> UInt8 {
        line.load(fromByteOffset: column * 4 + 3, as: UInt8.self)
      }
      guard let first = (0..<width).first(where: { alpha($0) != 0 }) else { continue }
      let last = (first..<width).last { alpha($0) != 0 } ?? first
      (left, right) = (min(left, first), max(right, last))
      (top, bottom) = (min(top, row), row)
    }
    return bottom < 0 ? nil : PixelBounds(x: left..<right + 1, y: top..<bottom + 1)
  }
}
